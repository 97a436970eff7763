#include "server/standby/standbys.hpp"

#include <algorithm>

#include "base/sha256.hpp"
#include "server/standby/limits.hpp"

namespace hone::standby {

std::int64_t Standbys::term() const {
  const std::lock_guard lock(mutex_);
  return state_.term.number;
}

std::vector<Known> Standbys::list() const {
  const std::lock_guard lock(mutex_);
  return state_.standbys;
}

bool Standbys::knows(const Pull& pull, bool in_sync, Instant now) const {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(state_.standbys, pull.digest, &Known::digest);
  return known != state_.standbys.end() && known->url == pull.url &&
         (!in_sync || now - known->in_sync < limits::in_sync_noted);
}

Status Standbys::add(const Pull& pull, bool in_sync, const Present& present, Instant now) {
  const std::lock_guard lock(mutex_);
  State next = state_;
  if (auto enrolled = enroll(next, {pull.digest, pull.url}, present, now); !enrolled)
    return enrolled.error();
  const auto known = std::ranges::find(next.standbys, pull.digest, &Known::digest);
  if (in_sync && known != next.standbys.end()) known->in_sync = now;
  if (next.standbys == state_.standbys) return Done{};
  if (auto written = write_state(folder_, next); !written) return written;
  state_ = std::move(next);
  return Done{};
}

void Standbys::consider(const Term& term, const std::string& url) {
  const std::lock_guard lock(mutex_);
  if (!is_replaced_by(state_, term)) return;
  state_.replaced_by = term.number;
  const std::string digest = sha256_hex(term.secret);
  for (const Known& one : state_.standbys)
    if (one.digest == digest) state_.replaced_url = one.url;
  if (!url.empty()) state_.replaced_url = url;
  const auto written = write_state(folder_, state_);
  replaced_("a standby was promoted in place of this server (term " + std::to_string(term.number) +
            ", " + state_.replaced_url +
            "): ending, so that no write is accepted that would be lost" +
            (written ? "" : "; " + written.error().detail));
}

}  // namespace hone::standby
