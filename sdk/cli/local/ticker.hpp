// Shows the progress of a long computation on stderr: in place on a terminal, else a line every ten
// seconds; nothing in the first two seconds or with --quiet.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "sdk/cli/session/session.hpp"

namespace hone::cli {

class Ticker {
 public:
  // `unit` names what is counted: "sweeps".
  Ticker(Session& session, std::int64_t total, std::string unit);
  void step() { reach(count_ + 1); }
  void reach(std::int64_t count);
  // Removes the line.
  void done();

 private:
  using Clock = std::chrono::steady_clock;
  void draw(Clock::time_point now);

  Terminal& terminal_;
  bool silent_;
  bool in_place_;
  bool drawn_ = false;
  std::int64_t total_;
  std::int64_t count_ = 0;
  std::string unit_;
  Clock::time_point start_;
  Clock::time_point next_;
};

}  // namespace hone::cli
