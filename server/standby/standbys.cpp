#include "server/standby/standbys.hpp"

#include <algorithm>

#include "base/sha256.hpp"

namespace hone::standby {

std::int64_t Standbys::term() const {
  const std::lock_guard lock(mutex_);
  return state_.term.number;
}

std::vector<Known> Standbys::list() const {
  const std::lock_guard lock(mutex_);
  return state_.standbys;
}

bool Standbys::knows(const Known& standby) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::find(state_.standbys, standby) != state_.standbys.end();
}

Status Standbys::add(const Known& standby) {
  const std::lock_guard lock(mutex_);
  State next = state_;
  if (!enroll(next, standby)) return Done{};
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
