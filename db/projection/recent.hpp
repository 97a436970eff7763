// A cache of a fixed size for facts that never change, such as the sweep of a trial. A newer id
// replaces an older one in its slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hone {

class Recent {
 public:
  // Returns the value of an id, from `look_up` (an optional) if it is not cached. Absent values are
  // not cached.
  template <class LookUp>
  std::optional<std::int64_t> get(std::int64_t id, const LookUp& look_up) {
    Entry& entry = entries_[static_cast<std::size_t>(id) % places];
    if (entry.id == id) return entry.value;
    const std::optional<std::int64_t> found = look_up();
    if (found) entry = {id, *found};
    return found;
  }
  void clear() { entries_.assign(places, {}); }

 private:
  static constexpr std::size_t places = 16'384;  // the runs of 10,000 workers, and their trials
  struct Entry {
    std::int64_t id = -1;
    std::int64_t value = 0;
  };
  std::vector<Entry> entries_ = std::vector<Entry>(places);
};

}  // namespace hone
