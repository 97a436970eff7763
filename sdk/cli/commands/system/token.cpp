// token: create, list and revoke. The secret is made here; the server is told its digest alone.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/nearest.hpp"
#include "base/sha256.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "server/upkeep/upkeep.hpp"

namespace hone::cli {
namespace {

struct Wish {
  std::string action;
  std::string name;
  std::vector<std::string> scopes;
  std::string expires;
  std::string out;
  std::string data;  // a folder without a server, instead of a server
};

Result<Scopes> scopes_of(const Wish& wish) {
  constexpr std::array<std::string_view, 4> known{"read", "submit", "worker", "admin"};
  Scopes scopes;
  for (const auto& word : wish.scopes) {
    const auto scope = parse_scope(word);
    if (!scope)
      return refuse(Code::invalid, "'" + word + "' is no scope" + did_you_mean(word, known) +
                                       "; there are read, submit, worker and admin");
    scopes = scopes | *scope;
  }
  if (scopes.empty())
    return refuse(Code::invalid,
                  "say with --scope what the token may do: read, submit (read and "
                  "steer sweeps), worker or admin");
  return scopes;
}

// "90d", "12h", "30m", "45s".
Result<std::optional<Duration>> lifetime_of(const Wish& wish) {
  if (wish.expires.empty()) return std::optional<Duration>();
  std::size_t digits = 0;
  while (digits < wish.expires.size() && wish.expires[digits] >= '0' && wish.expires[digits] <= '9')
    ++digits;
  const auto unit = wish.expires.substr(digits);
  const std::int64_t unit_s = unit == "d"   ? 86'400
                              : unit == "h" ? 3'600
                              : unit == "m" ? 60
                              : unit == "s" ? 1
                                            : 0;
  if (digits == 0 || digits > 6 || unit_s == 0)
    return refuse(Code::invalid, "--expires " + wish.expires + ": write it as 90d, 12h or 30m");
  return std::optional(seconds(std::stoll(wish.expires.substr(0, digits)) * unit_s));
}

// A file that was there is not touched: somebody may use the secret in it.
Status write_secret(const std::string& path, const std::string& secret) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0)
    return refuse(Code::invalid, "cannot make the file " + path + ": " + std::strerror(errno));
  const auto line = secret + "\n";
  const bool written = ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (::close(file) != 0 || !written)
    return refuse(Code::internal, "cannot write " + path + ": " + std::strerror(errno));
  return Done{};
}

std::string new_secret() { return "hone_" + new_request_id() + new_request_id(); }

// Both answer the new token's id.
Result<std::string> ask_server(Session& session, const CreateTokenRequest& request) {
  const auto reply = session.post("/v1/tokens", encode(request));
  if (!reply) return reply.error();
  return text_at(*reply, "/token");
}

Result<std::string> ask_folder(const Wish& wish, const CreateTokenRequest& request) {
  const auto made = upkeep::create_token(wish.data, request);
  if (!made) return made.error();
  return text(*made);
}

Result<Exit> create(Session& session, const Wish& wish) {
  if (wish.name.empty()) return refuse(Code::invalid, "give the token a name, to know it by");
  const auto scopes = scopes_of(wish);
  if (!scopes) return scopes.error();
  const auto lifetime = lifetime_of(wish);
  if (!lifetime) return lifetime.error();
  const auto secret = new_secret();
  if (!wish.out.empty())
    if (const auto written = write_secret(wish.out, secret); !written) return written.error();
  const CreateTokenRequest request{new_request_id(), wish.name, *scopes, sha256_hex(secret),
                                   *lifetime};
  const auto made = wish.data.empty() ? ask_server(session, request) : ask_folder(wish, request);
  if (!made) {
    if (!wish.out.empty()) ::unlink(wish.out.c_str());
    return made.error();
  }
  const auto& id = *made;
  session.note(
      id + " '" + wish.name + "' may " + words(*scopes) +
      (wish.out.empty() ? "; its secret is shown this once:" : "; its secret is in " + wish.out));
  if (wish.out.empty()) session.print(secret + "\n");
  return Exit::ok;
}

Json with_state(Json token) {
  const bool revoked = !text_at(token, "/revoked_at").empty();
  token["state"] = revoked ? "revoked" : "live";
  std::string scopes;
  for (const auto& scope : token["scopes"])
    scopes += (scopes.empty() ? "" : " ") + scope.get<std::string>();
  token["scopes_shown"] = scopes;
  return token;
}

Result<Exit> list(Session& session) {
  auto tokens = session.list("/v1/tokens");
  if (!tokens) return tokens.error();
  for (auto& token : *tokens) token = with_state(std::move(token));
  const Fields fields{{"id", "/id"},
                      {"name", "/name"},
                      {"scopes", "/scopes_shown"},
                      {"state", "/state"},
                      {"created", "/created_at", Manner::ago},
                      {"created_by", "/created_by", Manner::text, Where::everywhere, true},
                      {"expires", "/expires_at", Manner::text, Where::everywhere, true},
                      {"revoked", "/revoked_at", Manner::ago, Where::everywhere, true}};
  return print_list(session, fields, *tokens, "no tokens; make one with: hone token create NAME");
}

// By its id, or by the name of a live one.
Result<std::string> id_of(Session& session, const std::string& name) {
  if (parse_token_id(name)) return name;
  const auto tokens = session.list("/v1/tokens");
  if (!tokens) return tokens.error();
  for (const auto& token : *tokens)
    if (text_at(token, "/name") == name && text_at(token, "/revoked_at").empty())
      return text_at(token, "/id");
  return refuse(Code::not_found, "there is no live token '" + name + "'; see hone token ls");
}

Result<Exit> revoke(Session& session, const Wish& wish) {
  if (wish.name.empty()) return refuse(Code::invalid, "say which token: its id or its name");
  const auto id = id_of(session, wish.name);
  if (!id) return id.error();
  const auto reply = session.post("/v1/tokens/" + *id + "/revoke", Json::object());
  if (!reply) return reply.error();
  session.note(*id + " opens nothing any more");
  return Exit::ok;
}

Result<Exit> token(Session& session, const Wish& wish) {
  if (wish.action == "create") return create(session, wish);
  if (!wish.data.empty())
    return refuse(Code::invalid, "--data is for create alone: ask the server for the rest");
  if (wish.action == "ls") return list(session);
  if (wish.action == "revoke") return revoke(session, wish);
  constexpr std::array<std::string_view, 3> known{"create", "ls", "revoke"};
  return refuse(Code::invalid, "hone token cannot '" + wish.action + "'" +
                                   did_you_mean(wish.action, known) +
                                   "; it knows create, ls and revoke");
}

}  // namespace

Work declare_token(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.argument("ACTION", wish->action, "create, ls or revoke");
  flags.optional_argument("NAME", wish->name, "of the token; to revoke, its id will do");
  flags.comma_separated("--scope SCOPES", wish->scopes,
                        "what it may do: read, submit, worker, admin");
  flags.text("--expires TIME", wish->expires, "how long it lives, as 90d or 12h (for ever)");
  flags.text("--data DIR", wish->data,
             "create: in this data folder, while no server runs on it (asks the server)");
  flags.text("--out FILE", wish->out, "write the secret there, for its owner alone (stdout)");
  return [wish](Session& session) { return token(session, *wish); };
}

}  // namespace hone::cli
