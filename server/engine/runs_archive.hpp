// The members of a run in the Book, for book_archive.cpp.
#pragma once

#include "server/engine/archive.hpp"
#include "server/sweep/state/state.hpp"

namespace hone {

template <class Archive>
void fields(Archive& archive, MaybeConst<RecordedReport> auto& report) {
  auto& [step, score, verdict, spent] = report;
  archive(step, score, verdict, spent);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<KeptSlots> auto& keep) {
  auto& [worker, cpus, until] = keep;
  archive(worker, cpus, until);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<AttemptTally> auto& tally) {
  auto& [codes, models, files, code] = tally;
  archive(codes, models, files, code);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Run> auto& run) {
  auto& [id, record, seed, state, reason, attempts, losses, lease, last_lease, reports, checkpoint,
         resumed_from, saved_last, setbacks, failures, avoid, due, blamed, trained, seed_applied,
         artifacts, phase_from, step, step_reports, checkpoint_step, files, alone, keep, pace,
         pace_cpus, paces, paces_on, paces_kind, separated_at, workers_lost, lost_after, tally] =
      run;
  archive(id, record, seed, state, reason, attempts, losses, lease, last_lease, reports, checkpoint,
          resumed_from, saved_last, setbacks, failures, avoid, due, blamed, trained, seed_applied,
          artifacts, phase_from, step, step_reports, checkpoint_step, files, alone, keep, pace,
          pace_cpus, paces, paces_on, paces_kind, separated_at, workers_lost, lost_after, tally);
}

}  // namespace hone
