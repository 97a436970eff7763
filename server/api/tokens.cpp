#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"

namespace hone::api {

// POST /v1/tokens
Result<Command> parse_create_token(const Request& request) {
  auto create = body(request, decode_create_token_request);
  if (!create) return create.error();
  return Command(CreateToken{*std::move(create), request.speaker.token});
}

Response render_create_token(const Reply& reply) {
  const auto& key = std::get<Key>(reply);
  return json_response(encode(CreateTokenReply{key.token, key.expires_at}), 201);
}

// POST /v1/tokens/{token}/revoke
Result<Command> parse_revoke_token(const Request& request) {
  const auto id = parse_token_id(request.ids.at(0));
  if (!id) return no_such_form("token", "tk_3", request.ids.at(0), "");
  if (const auto nothing = body(request, decode_no_request); !nothing) return nothing.error();
  return Command(RevokeToken{*id, request.speaker.token});
}

// GET /v1/tokens
ReadResult tokens(SQLite::Database& db, const Request& request) {
  const auto page = page_query(request);
  if (!page) return page.error();
  return render_pages(list_tokens(db, *page));
}

}  // namespace hone::api
