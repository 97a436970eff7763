// Receives the progress of the engine, which reads no clock itself.
#pragma once

#include <cstddef>

#include "server/engine/counters.hpp"

namespace hone {

struct EventBody;

class Meter {
 public:
  virtual ~Meter() = default;
  virtual void enter(Part part) = 0;            // the engine starts to work on `part`
  virtual void took(std::size_t commands) = 0;  // it took a batch of this size
  virtual void happened(const EventBody& event) = 0;
};

}  // namespace hone
