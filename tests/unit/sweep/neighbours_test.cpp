// Runs next to others on a worker: what is measured, which slots stay free, and which runs leave.
#include <map>
#include <vector>

#include "server/sweep/rules.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

constexpr int many_phases = 200;

// One run of an endless sweep: it saves a checkpoint in every phase.
SweepSpec one_run(const std::string& program = "train") {
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

TEST(Neighbours, phases_of_one_run_with_and_without_a_neighbour_measure_the_pair) {
  Neighbourhood given;
  given.measure(given.worker("w"), 100, 4);
  EXPECT_NEAR(given.share(), 0.1, 1e-9);
  EXPECT_EQ(given.samples(), 4) << "the second run was never alone";
}

TEST(Neighbours, a_run_that_is_left_alone_at_the_end_measures_it_too) {
  Neighbourhood given;
  const auto both = given.measure(given.worker("w"), 100, 4);
  given.end(both[0]);
  given.phase_of_all(60);  // in which the other run left
  EXPECT_EQ(given.samples(), 4);
  given.phase_of_all(10);
  EXPECT_EQ(given.samples(), 5);
  EXPECT_NEAR(given.share(), 0.1, 1e-9);
}

TEST(Neighbours, the_first_phase_and_phases_in_which_the_runs_changed_do_not_count) {
  Neighbourhood given;
  const auto id = given.worker("w");
  given.submit(one_run());
  given.ask(id);
  given.phase_of_all(500);  // starts a process
  given.phase_of_all(10);
  const auto& run = given.run({TrialId{1}, 0});
  ASSERT_EQ(run.paces.size(), 1U);
  EXPECT_NEAR(run.paces[0].mean(), 0.1, 1e-12);
  given.now = given.now + seconds(5);
  given.submit(one_run(), "other");
  given.ask(id);
  given.phase_of_all(300);
  ASSERT_EQ(run.paces.size(), 1U) << "the other run joined in this phase";
}

// Reports of an outage come when it is over. Phases of runs next to each other looked long then,
// and runs were separated without a reason.
TEST(Neighbours, an_outage_of_the_server_separated_runs) {
  Neighbourhood given;
  const auto both = given.measure(given.worker("w"), 10, 1);
  const auto before = given.samples();
  for (int i = 0; i < 9; ++i) {
    given.now = given.now + seconds(100);
    for (const LeaseId id : both) given.report_of(id, 90);
  }
  EXPECT_EQ(given.samples(), before);
  EXPECT_NEAR(given.share(), 1, 1e-9);
  for (const LeaseId id : both) EXPECT_TRUE(find_live_lease(given.book, id));
}

TEST(Neighbours, a_phase_in_which_the_server_started_does_not_count) {
  Neighbourhood given;
  const auto both = given.measure(given.worker("w"), 25, 1);
  ASSERT_EQ(given.samples(), 1);
  given.now = given.now + seconds(100);
  given.when(Start{"test", given.book.lease_length, {}});
  given.now = given.now + seconds(1);
  for (const LeaseId id : both) given.report_of(id);
  EXPECT_NEAR(given.share(), 0.4, 1e-9);
  given.phase_of_all(25);
  EXPECT_EQ(given.samples(), 2) << "the next one does";
}

TEST(Neighbours, phases_without_seconds_or_with_more_than_passed_measure_nothing) {
  Neighbourhood given;
  const auto both = given.measure(given.worker("w"), 25, 1);
  const auto& run = given.run({TrialId{1}, 0});
  const auto together = run.paces.back().phases;
  const std::vector<std::optional<double>> seconds_of_worker{std::nullopt, 0.0, 100.1, 74.0, 1e300};
  for (const auto& measured : seconds_of_worker) {
    given.now = given.now + seconds(100);
    given.report_with(both[0], measured);
  }
  EXPECT_EQ(run.paces.back().phases, together);
  given.now = given.now + seconds(100);
  given.report_with(both[0], 76.0);
  EXPECT_EQ(run.paces.back().phases, together + 1);
}

// A compiler that runs for half a minute slows several phases.
TEST(Neighbours, what_is_measured_within_a_minute_counts_once) {
  Neighbourhood given;
  given.measure(given.worker("w"), 12.5, 1);
  EXPECT_EQ(given.samples(), 1);
  EXPECT_NEAR(given.share(), 0.8, 1e-9);
  for (int i = 0; i < 2; ++i) given.phase_of_all(20);
  EXPECT_EQ(given.samples(), 1);
  EXPECT_NEAR(given.share(), 0.6, 1e-9) << "the mean of its phases";
  given.phase_of_all(20);
  EXPECT_EQ(given.samples(), 2);
  EXPECT_NEAR(given.share(), (0.8 + 3 * 0.5) / 4, 1e-9);
}

TEST(Neighbours, workers_of_another_token_learn_nothing_from_what_one_claims_to_be) {
  Neighbourhood given;
  const auto id = given.worker("w");
  given.book.workers.at(id).token = TokenId{1};
  given.measure(id, 100, 4);
  EXPECT_EQ(given.samples("host 2 0 1"), 4);
  EXPECT_EQ(given.samples("host 2 0 0"), 0);
  const auto other = given.worker("v");
  for (const char* name : {"one", "two"}) given.submit(one_run(), name);
  ASSERT_TRUE(given.ask(other));
  ASSERT_TRUE(given.ask(other));
  EXPECT_FALSE(given.granted()->neighbours);
}

TEST(Neighbours, programs_and_hosts_have_their_own_measurements) {
  Neighbourhood given;
  given.measure(given.worker("w"), 25, 4);
  EXPECT_EQ(given.samples("host 4 0 0"), 0);
  const auto other = given.worker("v", 2, "elsewhere");
  given.submit(one_run("other"), "other");
  given.submit(one_run("other"), "other-2");
  given.ask(other);
  ASSERT_TRUE(given.ask(other));
  EXPECT_FALSE(given.granted()->neighbours) << "nothing was measured there";
}

TEST(Neighbours, without_measurements_every_slot_gets_a_run_and_records_nothing) {
  Neighbourhood given;
  const auto id = given.worker("w", 8);
  given.submit(small_spec(8));
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(given.ask(id)) << i;
    EXPECT_FALSE(given.granted()->neighbours);
  }
}

TEST(Neighbours, runs_that_do_not_disturb_each_other_get_every_slot) {
  Neighbourhood given;
  const auto id = given.worker("w", 8);
  given.measure(id, 10.5, 60);
  given.submit(one_run(), "further");
  ASSERT_TRUE(given.ask(id));
  const auto& neighbours = given.granted()->neighbours;
  ASSERT_TRUE(neighbours);
  EXPECT_EQ(neighbours->runs, 2);
  EXPECT_NEAR(neighbours->speed, 1 / 1.1, 0.01);
  EXPECT_GT(neighbours->with, neighbours->without);
}

TEST(Neighbours, two_runs_at_half_speed_lose_nothing_and_stay_together) {
  Neighbourhood given;
  const auto both = given.measure(given.worker("w"), 20, 20);
  for (const LeaseId id : both) EXPECT_TRUE(find_live_lease(given.book, id));
}

// A worker with a run next to which another one takes ten times as long, as it does itself. A sweep
// of such runs has one elsewhere.
class Contended : public Neighbourhood {
 public:
  Contended() : id(worker("w", 4)), far(worker("v", 2, "far")) {
    const auto both = measure(id, 100, 4);
    end(both[1]);
    SweepSpec spec = small_spec(9, many_phases);
    spec.budget.per_run = many_phases;
    sweep_id = submit(spec, "contended");
    elsewhere = ask(far)->lease;
  }
  WorkerId id, far;
  SweepId sweep_id{};
  LeaseId elsewhere{};
};

TEST(Neighbours, a_slot_stays_free_where_the_speeds_together_would_fall) {
  Contended given;
  EXPECT_FALSE(given.ask(given.id));
  const auto kept = given.kept();
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->sweep, given.sweep_id);
  EXPECT_EQ(kept->neighbours.runs, 1);
  EXPECT_DOUBLE_EQ(kept->neighbours.without, 1);
  EXPECT_LT(kept->neighbours.with, 0.5);
  EXPECT_FALSE(given.ask(given.id));
  EXPECT_TRUE(given.last.empty()) << "recorded once";
}

TEST(Neighbours, another_program_gets_the_slot) {
  Contended given;
  ASSERT_FALSE(given.ask(given.id));
  SweepSpec spec = one_run("other");
  spec.search.trials = 9;
  given.submit(spec, "other");
  ASSERT_TRUE(given.ask(given.far));
  const auto grant = given.ask(given.id);
  ASSERT_TRUE(grant) << "it has a run elsewhere, but its pair was never measured";
  EXPECT_NE(sweep_of(given.book, grant->attempt.run).id, given.sweep_id);
  EXPECT_FALSE(given.book.workers.at(given.id).kept_free);
}

TEST(Neighbours, the_slot_is_given_once_the_neighbour_has_left) {
  Contended given;
  ASSERT_FALSE(given.ask(given.id));
  given.end(given.book.workers.at(given.id).runs.front().lease);
  EXPECT_TRUE(given.ask(given.id));
}

TEST(Neighbours, a_sweep_without_any_run_is_never_kept_waiting) {
  Contended given;
  given.end(given.elsewhere);
  ASSERT_EQ(given.sweep(given.sweep_id).live_leases, 0);
  EXPECT_TRUE(given.ask(given.id));
}

TEST(Neighbours, a_sweep_gets_the_slots_that_its_user_asked_for) {
  Contended given;
  SweepSpec spec = small_spec(9, many_phases);
  spec.slots.min = 2;
  const SweepId min = given.submit(spec, "min");
  ASSERT_TRUE(given.ask(given.far));
  ASSERT_EQ(given.sweep(min).live_leases, 1);
  EXPECT_TRUE(given.ask(given.id));
  EXPECT_EQ(given.sweep(min).live_leases, 2);
  EXPECT_FALSE(given.ask(given.id)) << "it has them";
}

TEST(Neighbours, a_pair_is_tried_again_after_half_an_hour_and_only_once) {
  Contended given;
  ASSERT_FALSE(given.ask(given.id));
  for (int i = 0; i < 200; ++i) {
    given.now = given.now + seconds(10);
    for (const auto& [lease, state] : std::map(given.book.leases))
      given.when(Beat{state.worker, {{lease}}});
  }
  ASSERT_TRUE(given.ask(given.id));
  EXPECT_TRUE(given.granted()->neighbours->again);
  EXPECT_FALSE(given.ask(given.id));
}

TEST(Neighbours, a_run_leaves_its_neighbours_at_the_end_of_a_phase) {
  Neighbourhood given;
  const auto id = given.worker("w");
  SweepSpec spec = small_spec(2, many_phases);
  spec.budget.per_run = many_phases;
  given.submit(spec);
  const auto first = given.ask(id);
  for (int i = 0; i < 3; ++i) given.phase_of_all(10);
  const auto second = given.ask(id);
  for (int i = 0; i < 3; ++i) given.phase_of_all(100);
  given.now = given.now + seconds(100);
  EXPECT_EQ(given.report_of(first->lease).action, Action::go_on) << "two measurements so far";
  const Verdict verdict = given.report_of(second->lease);
  ASSERT_EQ(verdict.action, Action::pause);
  EXPECT_EQ(verdict.reason, VerdictReason::yields);
  EXPECT_EQ(verdict.inputs.at(0).name, "speeds_with");
  EXPECT_FALSE(find_live_lease(given.book, second->lease));
  given.now = given.now + seconds(10);
  EXPECT_EQ(given.report_of(first->lease).action, Action::go_on) << "it is the sweep's only run";
  EXPECT_FALSE(given.ask(id)) << "the other one does not come back next to it";
  given.end(first->lease);
  const auto again = given.ask(id);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->attempt.run, second->attempt.run);
}

TEST(Neighbours, a_run_leaves_at_most_every_ten_minutes) {
  Neighbourhood given;
  const auto both = given.measure(given.worker("w"), 100, 4);
  ASSERT_EQ(given.book.leases.size(), 2U) << "each is the only run of its sweep";
  SweepSpec spec = small_spec(3, many_phases);
  spec.budget.per_run = many_phases;
  given.submit(spec, "three");
  const auto far = given.worker("v", 1, "far");
  ASSERT_TRUE(given.ask(far));
  given.end(both[0]);
  auto& worker = given.book.workers.at(WorkerId{1});
  auto pairs = std::exchange(given.book.neighbours, {});
  const auto grant = given.ask(worker.id);
  given.book.neighbours = pairs;
  ASSERT_TRUE(grant);
  given.now = given.now + seconds(100);
  ASSERT_EQ(given.report_of(grant->lease).action, Action::pause);
  given.book.neighbours.clear();
  const auto again = given.ask(worker.id);
  given.book.neighbours = pairs;
  ASSERT_EQ(again->attempt.run, grant->attempt.run);
  given.now = given.now + seconds(400);
  EXPECT_EQ(given.report_of(again->lease).action, Action::go_on);
  given.now = given.now + seconds(201);
  EXPECT_EQ(given.report_of(again->lease).action, Action::pause);
}

}  // namespace
}  // namespace hone
