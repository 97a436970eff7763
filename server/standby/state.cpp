#include "server/standby/state.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "schemas/codec/json.hpp"
#include "server/standby/limits.hpp"

namespace hone::standby {
namespace {

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

Json encode(const State& state) {
  Json json;
  json["term"] = state.term.number;
  json["secret"] = state.term.secret;
  json["follows"] = state.follows;
  json["followed_term"] = state.followed_term;
  json["complete"] = state.complete;
  json["promoted_from"] = state.promoted_from;
  json["replaced_by"] = state.replaced_by;
  json["replaced_url"] = state.replaced_url;
  json["standbys"] = Json::array();
  for (const Known& one : state.standbys)
    json["standbys"].push_back(
        {{"digest", one.digest}, {"url", one.url}, {"in_sync_us", one.in_sync.us}});
  return json;
}

State decode(const Json& json) {
  State state;
  state.term = {number_of(json, "term"), text_of(json, "secret")};
  state.follows = text_of(json, "follows");
  state.followed_term =
      std::clamp<std::int64_t>(number_of(json, "followed_term"), 0, limits::term_max);
  if (const auto complete = json.find("complete"); complete != json.end())
    state.complete = complete->is_boolean() && complete->get<bool>();
  state.promoted_from = text_of(json, "promoted_from");
  state.replaced_by = number_of(json, "replaced_by");
  state.replaced_url = text_of(json, "replaced_url");
  if (const auto list = json.find("standbys"); list != json.end() && list->is_array())
    for (const Json& one : *list)
      if (one.is_object() && state.standbys.size() < limits::standbys_max)
        state.standbys.push_back(
            {text_of(one, "digest"), text_of(one, "url"), {number_of(one, "in_sync_us")}});
  return state;
}

}  // namespace

std::string text(const Term& term) {
  return term.number == 0 ? std::string() : std::to_string(term.number) + "." + term.secret;
}

std::optional<Term> parse_term(std::string_view text) {
  Term term;
  const char* end = text.data() + text.size();
  const auto [stop, trouble] = std::from_chars(text.data(), end, term.number);
  if (trouble != std::errc() || stop == end || *stop != '.' || term.number < 1 ||
      term.number > limits::term_max)
    return std::nullopt;
  term.secret.assign(stop + 1, end);
  if (!is_sha256_hex(term.secret)) return std::nullopt;  // it has the form of a digest
  return term;
}

Result<State> read_state(const std::filesystem::path& folder) {
  const auto path = folder / state_file;
  std::error_code trouble;
  if (!std::filesystem::exists(path, trouble) && !trouble) return State{};
  std::ifstream in(path, std::ios::binary);
  std::string bytes(limits::state_bytes_max, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  const auto json = parse_json(bytes);
  if (!json || !json->is_object())
    return refuse(Code::invalid, "'" + path.string() +
                                     "' cannot be read: restore it, or remove it to make this "
                                     "folder that of a primary that was never promoted");
  return decode(*json);
}

Status write_state(const std::filesystem::path& folder, const State& state) {
  const auto path = folder / state_file;
  const auto refused = [&](const std::string& why) {
    return refuse(Code::unavailable, "cannot write '" + path.string() + "': " + why);
  };
  const ReplaceOptions options{.mode = 0600};
  if (auto put = replace_file(path, to_pretty_text(encode(state)) + "\n", options); !put)
    return refused(put.error().detail);
  if (auto synced = sync_folder(folder); !synced) return refused(synced.error().detail);
  return Done{};
}

State following(State state, const std::string& url, std::string secret) {
  // The primary knows the digest of a secret that was not published: it stays.
  if (state.follows.empty() || state.term.secret.empty()) {
    state.term.secret = std::move(secret);
    state.complete = false;
  }
  state.follows = url;
  state.promoted_from.clear();
  state.replaced_by = 0;
  state.replaced_url.clear();
  return state;
}

Result<State> promoted(State state, bool force) {
  if (state.follows.empty())
    return refuse(Code::conflict, "this data folder follows no server: it is a primary already");
  if (!state.complete && !force)
    return refuse(Code::conflict,
                  "this standby has never had all events of " + state.follows +
                      ": promoted, it would lose acknowledged ones. Let it follow longer, or start "
                      "that server again; --force promotes it all the same");
  state.term.number = std::max(state.term.number, state.followed_term) + 1;
  state.promoted_from = std::exchange(state.follows, {});
  return state;
}

namespace {

// Makes room for one more. False if every standby must be kept.
bool forget_one(std::vector<Known>& standbys, const Present& present, Instant now) {
  auto least = standbys.end();
  for (auto one = standbys.begin(); one != standbys.end(); ++one) {
    if (present.contains(one->digest) || now - one->in_sync < limits::in_sync_kept) continue;
    if (least == standbys.end() || one->in_sync < least->in_sync) least = one;
  }
  if (least == standbys.end()) return false;
  standbys.erase(least);
  return true;
}

}  // namespace

Result<bool> enroll(State& state, const Known& standby, const Present& present, Instant now) {
  if (!is_sha256_hex(standby.digest) || standby.url.size() > limits::url_bytes_max) return false;
  const auto known = std::ranges::find(state.standbys, standby.digest, &Known::digest);
  if (known != state.standbys.end()) return std::exchange(known->url, standby.url) != standby.url;
  if (state.standbys.size() >= limits::standbys_max && !forget_one(state.standbys, present, now))
    return refuse(Code::busy,
                  "this server knows " + std::to_string(state.standbys.size()) +
                      " standbys, its bound, and each follows it or did so in the last "
                      "week. Revoke the token of those that are none of yours, or "
                      "remove their rows from standby.json while the server is stopped");
  state.standbys.push_back(standby);
  return true;
}

bool is_replaced_by(const State& state, const Term& term) {
  if (term.number <= state.term.number) return false;
  const std::string digest = sha256_hex(term.secret);
  return std::ranges::any_of(state.standbys,
                             [&](const Known& one) { return one.digest == digest; });
}

Result<Part> part_at_start(const State& state, const std::string& url,
                           const std::optional<Term>& there) {
  if (url.empty() && !state.follows.empty())
    return refuse(Code::conflict, "this data folder is a standby of " + state.follows +
                                      ": start it with --follow " + state.follows +
                                      ", or make it the server with 'hone db promote --data DIR'");
  if (url.empty() && state.replaced_by > 0)
    return refuse(Code::conflict,
                  "this server was replaced by " +
                      (state.replaced_url.empty() ? "a standby" : state.replaced_url) + " (term " +
                      std::to_string(state.replaced_by) +
                      "): use that one. To make this folder its standby, add --follow URL; if that "
                      "is refused, with a new data folder (docs/standby.md)");
  if (url.empty()) return Part::primary;
  // The unit file of a promoted standby still has --follow: only a newer primary takes it back.
  const bool was_promoted = state.follows.empty() && !state.promoted_from.empty();
  if (was_promoted && state.replaced_by == 0)
    return there && there->number > state.term.number ? Part::follower : Part::primary;
  return Part::follower;
}

}  // namespace hone::standby
