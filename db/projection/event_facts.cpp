#include "db/projection/event_facts.hpp"

#include "base/expect.hpp"
#include "schemas/types/event_ids.hpp"

namespace hone {

SweepState state_after(Verb verb) {
  switch (verb) {
    case Verb::pause:
      return SweepState::paused;
    case Verb::resume:
      return SweepState::running;
    case Verb::stop:
    case Verb::cancel:
    case Verb::kill:
      return SweepState::stopping;
  }
  unreachable();
}

std::optional<int> deciding_exit_code(const RunEnded& e) {
  switch (e.reason) {
    case EndReason::exited_early:
    case EndReason::no_report:
    case EndReason::exit_code:
    case EndReason::signal:
    case EndReason::infeasible:
      return e.exit_code;
    case EndReason::none:
    case EndReason::budget_reached:
    case EndReason::bar_reached:
    case EndReason::evicted:
    case EndReason::not_promoted:
    case EndReason::diverged:
    case EndReason::told_failed:
    case EndReason::cannot_start:
    case EndReason::requeue_requested:
    case EndReason::worker_lost:
    case EndReason::retries_exhausted:
    case EndReason::disk_limit:
    case EndReason::user_stop:
    case EndReason::user_cancel:
    case EndReason::user_kill:
    case EndReason::time_limit:
    case EndReason::failure_limit:
      return std::nullopt;
  }
  unreachable();
}

namespace {

// Takes the first id that leads to a sweep: of a new trial, lease or model, no row is there yet.
struct FindClue {
  SweepClue clue{};

  template <class Id>
  void operator()(const Id& id) {
    if constexpr (std::is_same_v<Id, RunId>)
      (*this)(id.trial);
    else if constexpr (std::is_same_v<Id, AttemptId>)
      (*this)(id.run);
    else if constexpr (std::is_same_v<Id, ObjectId>)
      std::visit(*this, id);
    else if constexpr (is_alternative<Id, SweepClue>)
      if (clue.index() == 0) clue = id;
  }
  void makes(SweepId id) { (*this)(id); }
  void makes(const auto&) {}
  void reads(const auto&) {}
  void from(const auto&) {}
  void submitted(const auto&) {}
  void executed(const auto&) {}
  void drops(const auto&) {}
  void of_server() {}
};

}  // namespace

SweepClue sweep_clue(const EventBody& body) {
  FindClue find;
  named::visit_ids(find, body);
  return find.clue;
}

}  // namespace hone
