// The kinds of objects of a ledger.
#pragma once

namespace hone {

// In the order of LineageKey.
enum class ObjectKind {
  sweep,
  trial,
  run,
  attempt,
  model,
  dataset,
  workflow,
  worker,
  evaluation,
  report,
  metric,   // a series of a run
  artifact  // a file of a run; LineageKey has none
};

}  // namespace hone
