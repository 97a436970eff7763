// Which sweeps a command or an event reads or changes. Ended sweeps may be out of memory: the
// engine loads these before it decides or folds. Open sweeps are always in the Book and may be left
// out.
#pragma once

#include <vector>

#include "server/sweep/state/command.hpp"
#include "server/sweep/state/state.hpp"

namespace hone {

struct Touched {
  std::vector<SweepId> sweeps;
  std::vector<TrialId> trials;  // stand for their sweeps
  // The ids that a command names. The Book keeps few of them, so the engine checks that they exist.
  std::vector<ModelId> models{};
  std::vector<EvaluationId> evaluations{};
};

Touched touched_by(const Book& book, const Command& command, Instant now);
Touched touched_by(const EventBody& event);

// Whether the sweep may leave the Book: only a command that names it can still need it.
bool may_leave(const Sweep& sweep);

}  // namespace hone
