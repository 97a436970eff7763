// The text of an event's body in parts: that of an imported sweep may have 64 MiB.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

// Whether an event of the kind holds a whole sweep.
bool is_import(std::string_view kind);

std::size_t body_bytes(SQLite::Database& db, std::int64_t seq);

// The bytes of the body from a place on: `most`, or as many as there are. Throws SQLite::Exception
// if there is no such event.
std::string read_body(SQLite::Database& db, std::int64_t seq, std::size_t from, std::size_t most);

}  // namespace hone
