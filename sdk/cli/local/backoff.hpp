// How long to wait before restarting a process that ended.
#pragma once

#include "schemas/types/instant.hpp"

namespace hone::cli {

// How a process ended: by itself, which will happen again, or by another process.
enum class EndedBy { itself, another };

// 1, 2, 4, ... 30 s; 1 s again for a process that lived longer than the next wait, and for one that
// was killed: it worked, and what killed it is not cured by waiting.
class Backoff {
 public:
  Duration after_a_life_of(Duration life, EndedBy by) {
    if (life >= next_ || by == EndedBy::another) next_ = first;
    const Duration wait = next_;
    next_ = next_.us * 2 < longest.us ? Duration{next_.us * 2} : longest;
    return wait;
  }

 private:
  static constexpr Duration first = seconds(1);
  static constexpr Duration longest = seconds(30);
  Duration next_ = first;
};

}  // namespace hone::cli
