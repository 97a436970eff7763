// Reads of the tokens.
#include <stdexcept>

#include "db/queries/paging.hpp"
#include "db/queries/queries.hpp"
#include "db/sql.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace {

Scopes read_scopes(const std::string& text) {
  const auto scopes = parse_scopes(text);
  if (!scopes) throw std::runtime_error("the query tables hold an unknown scope in '" + text + "'");
  return *scopes;
}

TokenRow read_token(const SQLite::Statement& s) {
  sql::Columns c(s);
  TokenRow row;
  row.id = c.id<TokenId>();
  row.name = c.text();
  row.scopes = read_scopes(c.text());
  row.created_at = c.instant();
  row.created_by = c.maybe(&sql::Columns::id<TokenId>);
  row.expires_at = c.maybe(&sql::Columns::instant);
  row.revoked_at = c.maybe(&sql::Columns::instant);
  return row;
}

}  // namespace

Result<Page<TokenRow>> list_tokens(SQLite::Database& db, const PageQuery& page) {
  const auto after = integer_cursor(page, 0);
  if (!after) return after.error();
  SQLite::Statement s(db,
                      "SELECT id, name, scopes, created_at, created_by, expires_at, revoked_at"
                      " FROM token WHERE id > ? ORDER BY id LIMIT ?");
  sql::bind(s, *after, page.limit + 1);
  return read_page<TokenRow>(s, page.limit, read_token,
                             [](const TokenRow& row) { return std::to_string(row.id.value); });
}

std::vector<Key> read_keys(SQLite::Database& db) {
  SQLite::Statement s(
      db, "SELECT id, scopes, sha256, expires_at FROM token WHERE revoked_at IS NULL ORDER BY id");
  std::vector<Key> keys;
  while (s.executeStep()) {
    sql::Columns c(s);
    Key key;
    key.token = c.id<TokenId>();
    key.scopes = read_scopes(c.text());
    key.sha256 = c.text();
    key.expires_at = c.maybe(&sql::Columns::instant);
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace hone
