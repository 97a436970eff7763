#include "server/sweep/state/touched.hpp"

#include <concepts>

#include "schemas/types/event_ids.hpp"
#include "schemas/types/submit.hpp"

namespace hone {
namespace {

struct TouchedByCommand {
  const Book& book;
  Instant now;
  Touched& touched;

  void operator()(const Submit& c) const {
    touched.sweeps = c.request->spec.search.warm_start;
    if (c.request->forked_from) touched.sweeps.push_back(*c.request->forked_from);
  }
  void operator()(const Tick&) const {
    for (const auto& [deadline, id] : book.lease_deadlines) {
      if (deadline > now) return;
      add_suspects(id);
    }
  }
  // The other commands name their objects by members of the same names.
  template <class T>
  void operator()(const T& c) const {
    if constexpr (requires {
                    { c.sweep } -> std::same_as<const SweepId&>;
                  })
      add(c.sweep);
    if constexpr (requires {
                    { c.trial } -> std::same_as<const TrialId&>;
                  })
      add(c.trial);
    if constexpr (requires {
                    { c.model } -> std::same_as<const ModelId&>;
                  })
      touched.models.push_back(c.model);
    if constexpr (requires {
                    { c.lease } -> std::same_as<const LeaseId&>;
                  })
      add_lease(c.lease);
    if constexpr (requires {
                    { c.request.on } -> std::same_as<const ObjectId&>;
                  })
      add_object(c.request.on);
    if constexpr (requires {
                    { c.request.from } -> std::same_as<const std::optional<TrialId>&>;
                  })
      if (c.request.from) add(*c.request.from);
    if constexpr (requires {
                    { c.request.fork } -> std::same_as<const std::optional<ForkRequest>&>;
                  })
      if (c.request.fork) add(c.request.fork->run.trial);
  }

 private:
  void add(SweepId id) const { touched.sweeps.push_back(id); }
  void add(TrialId id) const { touched.trials.push_back(id); }
  void add_object(const ObjectId& object) const {
    if (const auto* sweep = std::get_if<SweepId>(&object)) add(*sweep);
    if (const auto* trial = std::get_if<TrialId>(&object)) add(*trial);
    if (const auto* run = std::get_if<RunId>(&object)) add(run->trial);
    if (const auto* attempt = std::get_if<AttemptId>(&object)) add(attempt->run.trial);
    if (const auto* model = std::get_if<ModelId>(&object)) touched.models.push_back(*model);
    if (const auto* one = std::get_if<EvaluationId>(&object)) touched.evaluations.push_back(*one);
  }
  void add_lease(LeaseId id) const {
    const auto index = lease_index(book, id);
    if (!index) return;
    add(book.run_of_lease[*index].trial);
    add_suspects(id);
  }
  // The end of an attempt is compared with the failures of its worker's earlier runs.
  void add_suspects(LeaseId id) const {
    const Lease* lease = find_live_lease(book, id);
    if (lease == nullptr) return;
    for (const RunId run : book.workers.at(lease->worker).suspects) add(run.trial);
  }
};

struct TouchedByEvent {
  Touched& touched;

  void operator()(SweepId id) const { touched.sweeps.push_back(id); }
  void operator()(TrialId id) const { touched.trials.push_back(id); }
  void operator()(RunId id) const { touched.trials.push_back(id.trial); }
  void reads(SweepId id) const { touched.sweeps.push_back(id); }
  // Notes and grants change no sweep that has ended; others are given with their runs.
  void operator()(const auto&) const {}
  void makes(const auto&) const {}
  void from(const auto&) const {}
  void submitted(const auto&) const {}
  void executed(const auto&) const {}
  void drops(const auto&) const {}
  void of_server() const {}
};

}  // namespace

Touched touched_by(const Book& book, const Command& command, Instant now) {
  Touched touched;
  std::visit(TouchedByCommand{book, now, touched}, command);
  return touched;
}

Touched touched_by(const EventBody& event) {
  Touched touched;
  TouchedByEvent visitor{touched};
  named::visit_ids(visitor, event);
  return touched;
}

bool may_leave(const Sweep& sweep) {
  return is_end(sweep.state) && sweep.open_runs == 0 && sweep.live_leases == 0;
}

}  // namespace hone
