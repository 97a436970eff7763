// The rules of tokens, which authorize clients.
#include <algorithm>

#include "base/expect.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {
namespace {

bool is_live(const Token& token, Instant now) {
  return !token.revoked && (!token.expires_at || *token.expires_at > now);
}

Status check_new(const Book& book, const CreateTokenRequest& request, Instant now) {
  std::size_t live = 0;
  for (const Token& token : book.tokens) {
    if (token.sha256 == request.sha256)
      return refuse(Code::conflict, "this secret belongs to " + text(token.id) + "; create another",
                    "/sha256");
    if (!is_live(token, now)) continue;
    ++live;
    if (token.name == request.name)
      return refuse(Code::conflict,
                    text(token.id) + " has the name '" + token.name +
                        "' already; revoke it first or choose another name",
                    "/name");
  }
  if (live >= live_tokens_max)
    return refuse(Code::conflict,
                  "there are " + std::to_string(live) +
                      " live tokens, the maximum; revoke those that are not in use");
  return Done{};
}

}  // namespace

Result<Events> decide_create_token(const Book& book, const CreateToken& command, Instant now) {
  const CreateTokenRequest& request = command.request;
  if (std::ranges::find(book.tokens, request.request_id, &Token::request_id) != book.tokens.end())
    return Events{};
  if (auto fits = check_new(book, request, now); !fits) return fits.error();
  std::optional<Instant> expires_at;
  if (request.lifetime) expires_at = now + *request.lifetime;
  const TokenId id{static_cast<std::int64_t>(book.tokens.size()) + 1};
  return Events{TokenCreated{id, request.request_id, request.name, request.scopes, request.sha256,
                             expires_at, command.by}};
}

Result<Events> decide_revoke_token(const Book& book, const RevokeToken& command) {
  const Token* token = find_token(book, command.token);
  if (token == nullptr) return refuse(Code::not_found, "there is no token " + text(command.token));
  if (token->revoked) return Events{};
  return Events{TokenRevoked{command.token, command.by}};
}

void add_token(Book& book, const TokenCreated& e) {
  expect(e.token.value == static_cast<std::int64_t>(book.tokens.size()) + 1,
         "tokens are minted in order");
  book.tokens.push_back({e.token, e.request_id, e.name, e.scopes, e.sha256, e.expires_at, false});
}

}  // namespace hone
