// What the engine tells of its own work. It reads no clock: whoever measures does.
#pragma once

#include <cstddef>

#include "schemas/types/event.hpp"
#include "server/engine/counters.hpp"

namespace hone {

class Meter {
 public:
  virtual ~Meter() = default;
  virtual void enter(Part part) = 0;            // from here on it works on this
  virtual void took(std::size_t commands) = 0;  // a batch of so many
  virtual void happened(const EventBody& event) = 0;
};

}  // namespace hone
