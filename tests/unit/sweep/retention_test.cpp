// Which checkpoints outlive their run.
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

std::string digest_of(int phase) { return std::string(64, static_cast<char>('a' + phase)); }

class Retention : public Given {
 public:
  explicit Retention(const SweepSpec& spec) : sweep_id(submit(spec)), worker(join()) {}

  LeaseGrant grant() { return *acquire(worker, "a" + std::to_string(++asked_)); }
  // A checkpoint at the end of the phase, then the report of it.
  Events trained(LeaseId lease, int phase, double value) {
    when(SaveModel{lease, {digest_of(phase), 10, 10 * (phase + 1), phase}});
    return when(Report{lease, {phase, 10 * (phase + 1), Score::of(value)}});
  }
  [[nodiscard]] std::vector<std::string> kept() const {
    std::vector<std::string> digests;
    for (const auto& [id, model] : book.models) digests.push_back(model.sha256.substr(0, 1));
    return digests;
  }

  // The phases of the checkpoints that are left of a run.
  [[nodiscard]] std::vector<int> phases_kept(RunId run) const {
    std::vector<int> phases;
    for (const auto& [content, model] : book.models_by_content)
      if (const auto kept = book.models.find(model);
          std::get<RunId>(content) == run && kept != book.models.end())
        phases.push_back(kept->second.phase);
    return phases;
  }
  [[nodiscard]] bool over() const { return is_end(sweep(sweep_id).state); }

  SweepId sweep_id;
  WorkerId worker;

 private:
  int asked_ = 0;
};

using Digests = std::vector<std::string>;

SweepSpec keeping(Keep keep, int phases = 4) {
  auto spec = small_spec(1, phases);
  spec.checkpoints.keep = keep;
  return spec;
}

// Reports 1, 5, 2 and 3: the second is the best one, the fourth the newest.
Retention after_a_whole_run(const SweepSpec& spec) {
  Retention given(spec);
  const auto lease = given.grant().lease;
  int phase = 0;
  for (const double value : {1.0, 5.0, 2.0, 3.0}) given.trained(lease, phase++, value);
  return given;
}

TEST(Retention, of_a_completed_run_keeps_its_best_and_its_newest_checkpoint) {
  EXPECT_EQ(after_a_whole_run(keeping(Keep::best)).kept(), (Digests{"b", "d"}));
}

TEST(Retention, keeps_every_checkpoint_where_the_sweep_says_so) {
  EXPECT_EQ(after_a_whole_run(keeping(Keep::all)).kept(), (Digests{"a", "b", "c", "d"}));
}

TEST(Retention, keeps_every_checkpoint_where_objectives_are_traded_off) {
  auto spec = keeping(Keep::best, 2);
  spec.further_objectives = {{"seconds", Goal::minimize}};
  Retention given(spec);
  const auto lease = given.grant().lease;
  for (const int phase : {0, 1}) {
    given.when(SaveModel{lease, {digest_of(phase), 10, 10 * (phase + 1), phase}});
    given.when(Report{lease, {phase, 10 * (phase + 1), Score::of(1), {Score::of(2)}}});
  }
  EXPECT_TRUE(given.over());
  EXPECT_EQ(given.kept(), (Digests{"a", "b"}));
}

TEST(Retention, takes_the_goal_into_account) {
  auto spec = keeping(Keep::best);
  spec.objective.goal = Goal::minimize;
  EXPECT_EQ(after_a_whole_run(spec).kept(), (Digests{"a", "d"}));
}

TEST(Retention, says_what_it_drops_before_the_sweep_ends) {
  Retention given(keeping(Keep::best, 3));
  const auto lease = given.grant().lease;
  given.trained(lease, 0, 1);
  given.trained(lease, 1, 2);
  given.when(SaveModel{lease, {digest_of(2), 10, 30, 2}});
  expect_kinds<ReportRecorded, VerdictGiven, RunEnded, ModelDropped, ModelDropped, SweepEnded>(
      given.when(Report{lease, {2, 30, Score::of(3)}}));
}

TEST(Retention, drops_nothing_of_a_run_that_may_go_on) {
  Retention given(keeping(Keep::best));
  const auto lease = given.grant().lease;
  given.trained(lease, 0, 5);
  given.trained(lease, 1, 1);
  given.when(End{lease, {EndReason::signal, 9, "", ""}});  // lost: queued again
  EXPECT_EQ(given.kept(), (Digests{"a", "b"}));
}

TEST(Retention, of_a_run_closed_by_its_terminator_keeps_the_best_checkpoint_alone) {
  auto spec = small_spec(4, 4);
  spec.terminator = {"asha", {{"eta", 2}}};
  Retention given(spec);
  // Worse with every phase: the best report of a promoted run is its first one.
  for (int trial = 0; !given.over(); ++trial) {
    const auto lease = given.grant();
    auto phase = static_cast<int>(given.run(lease.attempt.run).reports.size());
    for (; given.run(lease.attempt.run).lease == lease.lease; ++phase)
      given.trained(lease.lease, phase, trial - 10 * phase);
  }
  int closed = 0;
  for (const auto& [id, entry] : given.book.trials) {
    const hone::Run& run = entry.second.runs.front();
    const bool stopped = run.state == RunState::stopped;
    closed += stopped ? 1 : 0;
    EXPECT_EQ(given.phases_kept(run.id), stopped ? std::vector{0} : (std::vector{0, 3}));
  }
  EXPECT_GT(closed, 0);
}

TEST(Retention, a_late_checkpoint_of_a_closed_run_is_let_go_at_once) {
  Retention given(keeping(Keep::best, 2));
  const auto lease = given.grant().lease;
  given.trained(lease, 0, 5);
  given.trained(lease, 1, 4);
  const Command late = SaveModel{lease, {digest_of(3), 10, 15, 1}};
  expect_kinds<ModelSaved, ModelDropped>(given.when(late));
  EXPECT_TRUE(given.when(late).empty()) << "saved and dropped once";
  EXPECT_EQ(std::get<SaveModelReply>(answer(given.book, late)).model, ModelId{3});
}

TEST(Retention, of_a_run_that_never_reported_keeps_the_newest_checkpoint) {
  Retention given(keeping(Keep::best));
  const auto lease = given.grant().lease;
  given.when(SaveModel{lease, {digest_of(0), 10, 5, 0}});
  given.when(SaveModel{lease, {digest_of(1), 10, 7, 0}});
  given.when(End{lease, {EndReason::exit_code, 1, "", ""}});
  EXPECT_EQ(given.kept(), Digests{"b"});
}

TEST(Retention, of_equal_reports_takes_the_first_as_the_best) {
  Retention given(keeping(Keep::best));
  const auto lease = given.grant().lease;
  for (int phase = 0; phase < 4; ++phase) given.trained(lease, phase, 7);
  EXPECT_EQ(given.kept(), (Digests{"a", "d"}));
}

TEST(Retention, of_a_canceled_run_keeps_the_best_and_the_newest) {
  Retention given(keeping(Keep::best));
  const auto lease = given.grant().lease;
  given.trained(lease, 0, 1);
  given.trained(lease, 1, 9);
  given.trained(lease, 2, 3);
  given.when(Steer{given.sweep_id, {Verb::kill}});
  given.when(End{lease, {EndReason::signal, 9, "", ""}});
  ASSERT_TRUE(given.over());
  EXPECT_EQ(given.kept(), (Digests{"b", "c"}));
}

TEST(Retention, of_a_run_whose_reports_all_diverged_keeps_the_newest) {
  Retention given(keeping(Keep::best));
  const auto lease = given.grant().lease;
  given.when(SaveModel{lease, {digest_of(0), 10, 10, 0}});
  given.when(Report{lease, {0, 10, Score::diverged()}});
  ASSERT_TRUE(given.over());
  EXPECT_EQ(given.kept(), (Digests{"a"}));
}

TEST(Retention, of_several_checkpoints_of_the_best_phase_keeps_the_last_before_its_report) {
  Retention given(keeping(Keep::best, 2));
  const auto lease = given.grant().lease;
  given.when(SaveModel{lease, {digest_of(0), 10, 4, 0}});
  given.when(SaveModel{lease, {digest_of(1), 10, 9, 0}});
  given.when(Report{lease, {0, 10, Score::of(5)}});
  given.trained(lease, 1, 1);
  EXPECT_EQ(given.kept(), (Digests{"b", "b"}));  // of phase 0 at step 9, and the newest
}

}  // namespace
}  // namespace hone
