// How long to wait before restarting a process that ended.
#pragma once

#include "schemas/types/instant.hpp"

namespace hone::cli {

// 1, 2, 4, ... 30 s; 1 s again for a process that ran for a minute.
class Backoff {
 public:
  Duration after_a_life_of(Duration life) {
    if (life >= seconds(60)) next_ = seconds(1);
    const Duration wait = next_;
    next_ = next_.us * 2 < longest.us ? Duration{next_.us * 2} : longest;
    return wait;
  }

 private:
  static constexpr Duration longest = seconds(30);
  Duration next_ = seconds(1);
};

}  // namespace hone::cli
