// token: creates, lists and revokes tokens. The secret is made here; the server gets only its
// digest.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/nearest.hpp"
#include "base/sha256.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/fields.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/wire.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "server/upkeep/upkeep.hpp"

namespace hone::cli {
namespace {

struct TokenOptions {
  std::string action;
  std::string name;
  std::vector<std::string> scopes;
  std::string expires;
  std::string out;
  std::string data;  // a data folder that no server uses
};

Result<Scopes> scopes_of(const TokenOptions& options) {
  constexpr auto known = words_of<Scope>;
  Scopes scopes;
  for (const auto& word : options.scopes) {
    const auto scope = parse_word<Scope>(word);
    if (!scope)
      return refuse(Code::invalid, "'" + word + "' is not a scope" + did_you_mean(word, known) +
                                       "; the scopes are read, submit, worker, admin and replica");
    scopes = scopes | *scope;
  }
  if (scopes.empty())
    return refuse(Code::invalid,
                  "no scope given; pass --scope read, submit (read and steer sweeps), worker, "
                  "admin or replica (a standby)");
  return scopes;
}

// "90d", "12h", "30m", "45s".
Result<std::optional<Duration>> lifetime_of(const TokenOptions& options) {
  if (options.expires.empty()) return std::optional<Duration>();
  const auto lifetime = codec::parse_duration(options.expires);
  if (!lifetime || *lifetime < seconds(1))
    return refuse(Code::invalid, "--expires " + options.expires + ": write it as 90d, 12h or 30m");
  return lifetime;
}

// Never replaces a file: the secret in it may be in use.
Status write_secret(const std::string& path, const std::string& secret) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0)
    return refuse(Code::invalid, "cannot create the file " + path + ": " + std::strerror(errno));
  const auto line = secret + "\n";
  const bool written = ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (::close(file) != 0 || !written)
    return refuse(Code::internal, "cannot write " + path + ": " + std::strerror(errno));
  return Done{};
}

std::string new_secret() { return "hone_" + new_request_id() + new_request_id(); }

// Both return the id of the new token.
Result<std::string> create_on_server(Session& session, const CreateTokenRequest& request) {
  const auto reply = session.post("/v1/tokens", encode(request));
  if (!reply) return reply.error();
  return text_at(*reply, "/token");
}

Result<std::string> create_in_folder(const TokenOptions& options,
                                     const CreateTokenRequest& request) {
  const auto made = upkeep::create_token(options.data, request);
  if (!made) return made.error();
  return text(*made);
}

Result<Exit> create_token(Session& session, const TokenOptions& options) {
  if (options.name.empty())
    return refuse(Code::invalid, "no name given; write: hone token create NAME --scope SCOPE");
  const auto scopes = scopes_of(options);
  if (!scopes) return scopes.error();
  const auto lifetime = lifetime_of(options);
  if (!lifetime) return lifetime.error();
  const auto secret = new_secret();
  if (!options.out.empty())
    if (const auto written = write_secret(options.out, secret); !written) return written.error();
  const CreateTokenRequest request{new_request_id(), options.name, *scopes, sha256_hex(secret),
                                   *lifetime};
  const auto made = options.data.empty() ? create_on_server(session, request)
                                         : create_in_folder(options, request);
  if (!made) {
    if (!options.out.empty()) ::unlink(options.out.c_str());
    return made.error();
  }
  const std::string& id = *made;
  session.note(id + " '" + options.name + "' may " + words(*scopes) +
               (options.out.empty() ? "; this is the only time its secret is shown:"
                                    : "; its secret is in " + options.out));
  if (options.out.empty()) session.print(secret + "\n");
  return Exit::ok;
}

Json with_state(Json token) {
  if (!token.is_object()) token = Json::object();
  const bool revoked = !text_at(token, "/revoked_at").empty();
  token["state"] = revoked ? "revoked" : "live";
  std::string scopes;
  for (const Json& scope : member(token, "/scopes"))
    scopes += (scopes.empty() ? "" : " ") + text_at(scope, "");
  token["scopes_shown"] = scopes;
  return token;
}

Result<Exit> list_tokens(Session& session) {
  auto tokens = session.list("/v1/tokens");
  if (!tokens) return tokens.error();
  for (auto& token : *tokens) token = with_state(std::move(token));
  return print_list(session, token_columns(), *tokens,
                    "no tokens; create one with: hone token create NAME");
}

// Finds a token by its id, or by the name of a live token.
Result<std::string> find_token(Session& session, const std::string& name) {
  if (parse_token_id(name)) return name;
  const auto tokens = session.list("/v1/tokens");
  if (!tokens) return tokens.error();
  for (const auto& token : *tokens)
    if (text_at(token, "/name") == name && text_at(token, "/revoked_at").empty())
      return text_at(token, "/id");
  return refuse(Code::not_found,
                "unknown token '" + name + "'; list the tokens with: hone token ls");
}

Result<Exit> revoke_token(Session& session, const TokenOptions& options) {
  if (options.name.empty()) return refuse(Code::invalid, "no token given; pass its id or its name");
  const auto id = find_token(session, options.name);
  if (!id) return id.error();
  const auto reply = session.post("/v1/tokens/" + *id + "/revoke", Json::object());
  if (!reply) return reply.error();
  session.note(*id + " is revoked");
  return Exit::ok;
}

Result<Exit> token(Session& session, const TokenOptions& options) {
  if (options.action == "create") return create_token(session, options);
  if (!options.data.empty())
    return refuse(Code::invalid, "--data works only with create; the other actions need a server");
  if (options.action == "ls") return list_tokens(session);
  if (options.action == "revoke") return revoke_token(session, options);
  constexpr std::array<std::string_view, 3> known{"create", "ls", "revoke"};
  return refuse(Code::invalid, "unknown action '" + options.action + "'" +
                                   did_you_mean(options.action, known) +
                                   "; the actions are create, ls and revoke");
}

}  // namespace

CommandAction declare_token(Flags& flags) {
  return with_options(token, [&](TokenOptions& options) {
    flags.argument("ACTION", options.action, "create, ls or revoke");
    flags.optional_argument("NAME", options.name, "name of the token; to revoke it, also its id");
    flags.comma_separated("--scope SCOPES", options.scopes,
                          "what the token may do: read, submit, worker, admin, replica");
    flags.text("--expires TIME", options.expires, "lifetime, as 90d or 12h (unlimited)");
    flags.text("--data DIR", options.data,
               "create the token in this data folder while no server uses it (on the server)");
    flags.text("--out FILE", options.out,
               "write the secret to FILE, readable only by its owner (stdout)");
  });
}

}  // namespace hone::cli
