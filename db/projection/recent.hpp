// What was looked up lately and never changes: which sweep a trial belongs to, say. A fixed number
// of places; a newer id takes the place of an older one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hone {

class Recent {
 public:
  // The value of an id, by `look_up` (an optional) where it is not known; only what exists is kept.
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
