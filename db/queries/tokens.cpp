#include "db/queries/tokens.hpp"

#include "db/queries/paging.hpp"
#include "db/queries/read.hpp"

namespace hone {
Result<Page<TokenRow>> list_tokens(SQLite::Database& db, const PageQuery& page) {
  const auto after = integer_cursor(page, 0);
  if (!after) return after.error();
  SQLite::Statement s(
      db, "SELECT " + row::columns<TokenRow>() + " FROM token WHERE id > ? ORDER BY id LIMIT ?");
  sql::bind(s, *after, page.limit + 1);
  return read_page<TokenRow>(s, page.limit,
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
    key.scopes = c.scopes();
    key.sha256 = c.text();
    key.expires_at = c.maybe(&sql::Columns::instant);
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace hone
