#include "server/http/watcher_counts.hpp"

#include "server/limits.hpp"

namespace hone::http {

Status WatcherCounts::may_add(const std::string& speaker) const {
  const auto found = open_.find(speaker);
  if (found != open_.end() && found->second >= limits::watchers_per_speaker_max)
    return refuse(Code::busy,
                  "this token or address has " + std::to_string(found->second) +
                      " event streams open, its bound: close one, or use a token that fewer "
                      "clients share");
  if (in_all_ >= limits::watchers_max)
    return refuse(Code::busy, "the server has " + std::to_string(in_all_) +
                                  " event streams open, its bound: close one, or try again later");
  return Done{};
}

void WatcherCounts::add(const std::string& speaker) {
  ++open_[speaker];
  ++in_all_;
}

void WatcherCounts::remove(const std::string& speaker) {
  --in_all_;
  const auto found = open_.find(speaker);
  if (--found->second == 0) open_.erase(found);
}

}  // namespace hone::http
