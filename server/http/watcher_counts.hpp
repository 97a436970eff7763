// The open event streams: how many each client has. Used on the io thread alone. Internal to
// server/http.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "base/result.hpp"

namespace hone::http {

class WatcherCounts {
 public:
  // Refuses (busy) a stream of a speaker, a token or an address, that has as many as it may, or if
  // there are as many in all.
  [[nodiscard]] Status may_add(const std::string& speaker) const;

  void add(const std::string& speaker);
  void remove(const std::string& speaker);  // one that was added
  [[nodiscard]] std::size_t in_all() const { return in_all_; }

 private:
  std::map<std::string, std::size_t> open_;  // by speaker; none of 0
  std::size_t in_all_ = 0;
};

}  // namespace hone::http
