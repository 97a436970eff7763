// The event queue and virtual clock of a simulation: functions that run at instants, in order. Time
// moves from one to the next.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "schemas/types/instant.hpp"

namespace hone::sim {

class Agenda {
 public:
  [[nodiscard]] Instant now() const { return now_; }

  void at(Instant when, std::function<void()> what) {
    items_.emplace(std::max(when, now_), std::move(what));  // equal instants keep their order
  }
  void after(Duration wait, std::function<void()> what) { at(now_ + wait, std::move(what)); }

  // Runs the next function; returns false if there is none up to `until`, which is then the time.
  bool step(Instant until) {
    if (items_.empty() || items_.begin()->first > until) {
      now_ = until;
      return false;
    }
    auto item = items_.extract(items_.begin());
    now_ = item.key();
    item.mapped()();
    return true;
  }

 private:
  Instant now_{1'700'000'000'000'000};
  std::multimap<Instant, std::function<void()>> items_;
};

}  // namespace hone::sim
