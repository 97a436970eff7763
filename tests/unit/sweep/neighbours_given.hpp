// Workers whose runs train next to each other.
#pragma once

#include <string>
#include <vector>

#include "server/sweep/state/rules.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {

inline constexpr int many_phases = 200;

// One run of an endless sweep: it saves a checkpoint in every phase.
inline SweepSpec one_run(const std::string& program = "train") {
  SweepSpec spec = small_spec(1, many_phases);
  spec.budget.per_run = many_phases;
  spec.trainer = CommandTrainer{{program, "${x}"}};
  return spec;
}

class Neighbourhood : public Given {
 public:
  WorkerId worker(const std::string& name, int slots = 2, const std::string& host = "host") {
    const Command command = Join{{name, host, 1, slots, 0, "test"}};
    when(command);
    return std::get<JoinReply>(answer(book, command)).worker;
  }
  // Offers all slots, as a worker does; the server counts those of live leases. A second later than
  // the latest report, so that the phases that it interrupts are not whole.
  std::optional<LeaseGrant> ask(WorkerId id) {
    now = now + seconds(1);
    const Command command = Acquire{{"ask-" + std::to_string(++asks_), id, 64, 0, {}}};
    last = when(command);
    auto grant = std::get<std::optional<LeaseGrant>>(answer(book, command));
    if (grant) leases_.push_back(grant->lease);
    return grant;
  }
  // A phase of one step of every live lease, `seconds` long, reported at the same time.
  void phase_of_all(double seconds) {
    now = now + microseconds(static_cast<std::int64_t>(seconds * 1e6));
    std::erase_if(leases_, [&](LeaseId id) { return find_live_lease(book, id) == nullptr; });
    for (const LeaseId id : leases_) report_of(id);
  }
  // Its worker measured the time since the report before, without what it waited for the server.
  Verdict report_of(LeaseId id, double waited = 0) {
    const Instant from = run(find_live_lease(book, id)->attempt.run).phase_from;
    return report_with(id, static_cast<double>((now - from).us) / 1e6 - waited);
  }
  Verdict report_with(LeaseId id, std::optional<double> phase_seconds) {
    const Lease lease = *find_live_lease(book, id);
    when(Beat{lease.worker, {{id}}});
    const hone::Run& of = run(lease.attempt.run);
    const int phase = static_cast<int>(of.reports.size());
    when(SaveModel{id, {text(of.id) + std::to_string(phase), 1, phase + 1, phase}});
    const Command command = Report{
        id,
        {.phase = phase, .step = phase + 1, .score = Score::of(1), .phase_seconds = phase_seconds}};
    last = when(command);
    EXPECT_FALSE(error) << error->detail;
    return std::get<ReportReply>(answer(book, command)).verdict;
  }
  void end(LeaseId id) {
    now = now + seconds(1);
    when(End{id, {EndReason::exited_early, 0, {}, {}}});
  }
  [[nodiscard]] const LeaseGranted* granted() const {
    for (const EventBody& event : last)
      if (const auto* e = std::get_if<LeaseGranted>(&event)) return e;
    return nullptr;
  }
  [[nodiscard]] std::optional<KeptFree> kept() const {
    for (const EventBody& event : last)
      if (const auto* e = std::get_if<WorkerSeen>(&event)) return e->kept_free;
    return std::nullopt;
  }
  // A run alone with phases of 10 s, then another one that joins it, with phases of `together_s`.
  // Returns both leases.
  std::vector<LeaseId> measure(WorkerId id, double together_s, int phases,
                               const std::vector<std::string>& programs = {"train", "train"}) {
    std::vector<LeaseId> both;
    submit(one_run(programs[0]), "measure-" + std::to_string(++asks_));
    both.push_back(ask(id)->lease);
    for (int i = 0; i < 3; ++i) phase_of_all(10);
    submit(one_run(programs[1]), "measure-" + std::to_string(++asks_));
    both.push_back(ask(id)->lease);
    for (int i = 0; i < phases + 1; ++i) phase_of_all(together_s);  // the first is not whole
    return both;
  }
  [[nodiscard]] double share(const std::string& host = "host 2 0 0") const {
    const int kind = kind_of(book.sweeps.begin()->second, 0, 1);
    const auto found = book.neighbours.find(host);
    return found == book.neighbours.end() ? 0
                                          : found->second.speeds.measured({0, kind, kind}).mean();
  }
  [[nodiscard]] std::int64_t samples(const std::string& host = "host 2 0 0") const {
    const int kind = kind_of(book.sweeps.begin()->second, 0, 1);
    const auto found = book.neighbours.find(host);
    return found == book.neighbours.end()
               ? 0
               : found->second.speeds.measured({0, kind, kind}).measurements;
  }

  Events last;

 private:
  int asks_ = 0;
  std::vector<LeaseId> leases_;
};

}  // namespace hone
