// Reads of the tokens.
#pragma once

#include <SQLiteCpp/Database.h>

#include <vector>

#include "base/result.hpp"
#include "db/queries/rows.hpp"
#include "schemas/types/key.hpp"

namespace hone {

Result<Page<TokenRow>> list_tokens(SQLite::Database& db, const PageQuery& page);  // oldest first
std::vector<Key> read_keys(SQLite::Database& db);  // those that were not revoked

}  // namespace hone
