#include "server/follow/replica.hpp"

#include <SQLiteCpp/Exception.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "db/ledger/chain.hpp"
#include "db/queries/queries.hpp"
#include "schemas/codec/body.hpp"
#include "server/standby/ledger_page.hpp"
#include "server/standby/limits.hpp"

namespace hone {
namespace {

namespace bounds = standby::limits;

// The blobs that an event's body names, wherever in it.
void add_digests(const Json& json, std::deque<std::string>& digests) {
  if (json.is_array())
    for (const Json& one : json) add_digests(one, digests);
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    add_digests(value, digests);
    const bool names = key == "sha256" || key == "patch_sha256" || key == "environment_sha256";
    if (names && value.is_string() && is_sha256_hex(value.get<std::string>()))
      digests.push_back(value.get<std::string>());
  }
}

bool names_blobs(std::string_view kind) {
  return kind == "model_saved" || kind == "artifact_saved" || kind == "workflow_recorded";
}

Error with_prefix(const char* prefix, const Error& why) {
  return refuse(why.code, prefix + why.detail, why.at);
}

}  // namespace

Replica::Replica(Parts parts, net::HttpServer primary, std::string url, standby::State state,
                 Hooks hooks)
    : parts_(std::move(parts)),
      client_(std::move(primary)),
      url_(std::move(url)),
      state_(std::move(state)),
      hooks_(std::move(hooks)),
      ledger_(parts_.db),
      seq_(ledger_.last_seq()) {}

void Replica::start() {
  thread_ = std::thread([this] {
    try {
      run();
    } catch (const std::exception& why) {
      hooks_.failed(why.what(), culprit_of(why));
    }
  });
}

void Replica::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  client_.interrupt();
  if (thread_.joinable()) thread_.join();
}

bool Replica::rest(Duration time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::microseconds(time.us), [this] { return ending_; });
  return !ending_;
}

void Replica::run() {
  for (auto& digest : named_blobs(parts_.db))
    if (!parts_.blobs.find(digest)) backlog_.push_back(std::move(digest));
  std::string trouble = "not yet";
  auto pause = bounds::retry_first;
  for (auto more = true; more;) {
    const Status done = take_turn();
    const std::string why = done ? std::string() : done.error().detail;
    if (why != trouble && !done && rest({})) spdlog::warn("cannot follow: {}", why);
    if (why != trouble && done)
      spdlog::info("follows {} after event {}", parts_.role.primary(), seq_);
    trouble = why;
    if (!done) parts_.role.set_trouble(why);
    more = rest(done ? Duration{} : pause);
    pause = done ? bounds::retry_first : std::min(Duration{pause.us * 2}, bounds::retry_last);
  }
}

// The next request confirms what this turn has put on the disk: events, and the blobs they name.
Status Replica::take_turn() {
  if (auto fetched = fetch_blobs(wanted_, wanted_.size()); !fetched) return fetched;
  const auto page = pull();
  if (!page) return page.error();
  if (auto applied = apply(*page); !applied) return applied;
  feed_ = page->feed;
  want_blobs(*page);
  if (auto fetched = fetch_blobs(wanted_, wanted_.size()); !fetched) return fetched;
  if (auto fetched = fetch_blobs(backlog_, bounds::blobs_each_turn); !fetched) return fetched;
  if (auto noted = note_progress(*page); !noted) return noted;
  parts_.role.followed(seq_, page->newest, hooks_.clock());
  return Done{};
}

Result<net::HttpResponse> Replica::call(const net::HttpRequest& request) {
  auto response = client_.call(request);
  if (!response || response->ok()) return response;
  const auto json = parse_json(response->body);
  if (json && json->is_object() && json->contains("code"))
    return with_prefix("the primary refuses: ", decode_problem(*json));
  return refuse(Code::unavailable,
                "the primary answers with status " + std::to_string(response->status));
}

Result<standby::Page> Replica::pull() {
  standby::Pull pull;
  pull.after = seq_;
  pull.link = link_text(link_of(parts_.db, seq_));
  pull.digest = sha256_hex(state_.term.secret);
  pull.url = url_;
  pull.term = std::max(state_.followed_term, state_.term.number);
  pull.wait = backlog_.empty() ? bounds::pull_wait : Duration{};
  pull.feed = feed_;
  net::HttpRequest request;
  request.method = "POST";
  request.target = "/v1/standby/pull";
  request.body = text(pull);
  request.accept = "application/octet-stream, application/json";
  request.timeout = std::chrono::microseconds(bounds::pull_time.us);
  request.body_bytes_max = bounds::page_bytes_max;
  const auto response = call(request);
  if (!response) return response.error();
  return standby::parse_page(response->body, seq_);
}

// The newest term, and that it was complete once: what a promotion must know.
Status Replica::note_progress(const standby::Page& page) {
  const bool complete = state_.complete || (seq_ >= page.newest && backlog_.empty());
  if (page.term <= state_.followed_term && complete == state_.complete) return Done{};
  state_.followed_term = std::max(state_.followed_term, page.term);
  state_.complete = complete;
  return write_state(parts_.folder, state_);
}

Status Replica::apply(const standby::Page& page) {
  if (page.rows.empty() && page.points.empty()) return Done{};
  try {
    ledger_.begin();
    if (auto appended = standby::append_page(ledger_, page); !appended) {
      ledger_.rollback();
      return appended;
    }
    ledger_.commit();
  } catch (const SQLite::Exception&) {
    ledger_.rollback();
    throw;
  }
  if (page.rows.empty()) return Done{};
  seq_ = page.rows.back().seq;
  hooks_.committed(seq_);
  const auto of_token = [](const standby::Row& row) { return row.kind.starts_with("token_"); };
  if (std::ranges::any_of(page.rows, of_token)) hooks_.tokens_changed();
  return Done{};
}

void Replica::want_blobs(const standby::Page& page) {
  for (const standby::Row& row : page.rows)
    if (names_blobs(row.kind))
      if (const auto body = parse_json(row.body)) add_digests(*body, wanted_);
}

Status Replica::fetch_blobs(std::deque<std::string>& digests, std::size_t most) {
  for (; most > 0 && !digests.empty(); --most) {
    parts_.role.set_missing_blobs(static_cast<std::int64_t>(wanted_.size() + backlog_.size()));
    if (auto fetched = fetch_blob(digests.front()); !fetched) return fetched;
    digests.pop_front();
  }
  parts_.role.set_missing_blobs(static_cast<std::int64_t>(wanted_.size() + backlog_.size()));
  return Done{};
}

// A blob that the primary does not have cannot be copied: it was dropped, or never sent.
Status Replica::fetch_blob(const std::string& digest) {
  if (parts_.blobs.find(digest)) return Done{};
  const auto file = parts_.blobs.incoming_file(digest);
  net::HttpRequest request;
  request.target = "/v1/blobs/" + digest;
  request.accept = "application/octet-stream, application/json";
  request.timeout = std::chrono::microseconds(bounds::blob_time.us);
  request.download = file.string();
  request.download_bytes_max = bounds::blob_bytes_max;
  const auto response = call(request);
  std::error_code ignored;
  if (!response) std::filesystem::remove(file, ignored);
  if (!response && response.error().code == Code::not_found) return Done{};
  if (!response) return response.error();
  return parts_.blobs.adopt(file, digest);
}

}  // namespace hone
