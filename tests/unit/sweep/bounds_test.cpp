// What one command may cost: spaces of long expressions, inherited reports, ends of many runs,
// waiting parameter sets, open sweeps. Without their bounds these tests take minutes.
#include "server/sweep/forks/forks.hpp"
#include "server/sweep/lease/resource_demand.hpp"
#include "server/sweep/submit/check.hpp"
#include "server/sweep/submit/past_fits.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

// Each of `count` parameters is active if the sum of the `read` before it is at least 0.
SweepSpec conditional_spec(int count, int read) {
  SweepSpec spec = small_spec();
  spec.parameters.clear();
  for (int i = 0; i < count; ++i) {
    std::string when;
    for (int j = std::max(0, i - read); j < i; ++j)
      when += (when.empty() ? "p" : "+p") + std::to_string(j);
    if (!when.empty()) when += ">=0";
    spec.parameters.push_back(
        {"p" + std::to_string(i), FloatDomain{0, 1, Scale::linear, {}}, when});
  }
  return spec;
}

TEST(Bounds, conditions_of_many_characters_together_are_refused) {
  const Status fits = check_spec(conditional_spec(900, 180));
  ASSERT_FALSE(fits);
  EXPECT_EQ(fits.error().at, "/parameters");
  EXPECT_NE(fits.error().detail.find("characters together"), std::string::npos);
}

TEST(Bounds, a_space_of_long_conditions_that_nothing_satisfies_is_refused_soon) {
  SweepSpec spec = conditional_spec(900, 6);
  EXPECT_TRUE(check_spec(spec));
  spec.constraints = {"p0 > 2"};
  const Status fits = check_spec(spec);
  ASSERT_FALSE(fits);
  EXPECT_EQ(fits.error().at, "/constraints");
}

SweepSpec forking_spec(int phases) {
  SweepSpec spec = small_spec(1'000'000, phases);
  spec.trainer = CommandTrainer{.argv = {"train", "${x}"}, .may_change = {"x"}};
  spec.parameters = {{"x", FloatDomain{0, 1, Scale::linear, {}}, ""}};
  return spec;
}

// A sweep whose first run has reported all phases but the last, and saved a checkpoint.
struct LongRun : Given {
  explicit LongRun(int phases) : sweep_id(submit(forking_spec(phases))), origin_phase(phases - 2) {
    run = acquire(join(), "a")->attempt.run;
    lease = find_run(book, run)->lease;
    for (int phase = 0; phase <= origin_phase; ++phase) {
      if (phase == origin_phase)
        when(SaveModel{lease, {std::string(64, 'a'), 10, phase + 1, phase}});
      when(Report{lease, {phase, phase + 1, Score::of(1)}});
    }
  }
  void enqueue() {
    const std::string id = "e" + std::to_string(++sent);
    when(Enqueue{sweep_id, {id, {{"x", 0.5}}, std::nullopt, ForkRequest{run}}});
  }

  SweepId sweep_id;
  int origin_phase;
  RunId run;
  LeaseId lease;
  int sent = 0;
};

TEST(Bounds, forks_of_a_sweep_inherit_no_more_reports_than_their_bound) {
  LongRun given(1000);
  given.book.sweeps.at(given.sweep_id).inherited = inherited_reports_max - 2 * 999;
  given.enqueue();
  EXPECT_FALSE(given.error) << given.error->detail;
  given.enqueue();
  EXPECT_FALSE(given.error) << "the first one waits and counts";
  given.enqueue();
  ASSERT_TRUE(given.error.has_value());
  EXPECT_EQ(given.error->at, "/fork/phase");
}

TEST(Bounds, a_proposed_fork_counts_what_it_inherited) {
  LongRun given(10);
  given.enqueue();
  given.acquire(given.join("second"), "b");
  EXPECT_EQ(given.sweep(given.sweep_id).inherited, 9);
}

TEST(Bounds, forks_of_a_document_inherit_less) {
  LongRun given(10);
  given.enqueue();
  const Origin origin = *given.sweep(given.sweep_id).enqueued.front().origin;
  const TrialProposed fork{TrialId{2}, given.sweep_id, 1, {{"x", 0.5}}, std::nullopt, origin};
  EXPECT_TRUE(fits(given.book, fork));
  given.book.sweeps.at(given.sweep_id).inherited = imported_inherited_max - 8;
  EXPECT_FALSE(fits(given.book, fork));
}

TEST(Bounds, waiting_parameter_sets_have_a_bound_together) {
  SweepSpec spec = conditional_spec(1000, 0);
  spec.search.trials = 1'000'000;
  Given given;
  const SweepId sweep = given.submit(spec);
  auto& enqueued = given.book.sweeps.at(sweep).enqueued;
  enqueued.resize(999);
  given.when(Enqueue{sweep, {"a", {}, std::nullopt, {}}});
  EXPECT_FALSE(given.error) << given.error->detail;
  given.when(Enqueue{sweep, {"b", {}, std::nullopt, {}}});
  EXPECT_TRUE(given.error.has_value());
}

TEST(Bounds, a_kill_ends_every_waiting_run_of_a_trial_with_ten_thousand) {
  SweepSpec spec = small_spec();
  spec.seeds = 1000;
  InstancesSpec instances;
  instances.parameter = "env";
  for (std::int64_t i = 0; i < 10; ++i) instances.values.emplace_back(i);
  spec.replicates.instances = instances;
  Given given;
  const SweepId sweep = given.submit(spec);
  given.acquire(given.join(), "a");
  const Events events = given.when(Steer{sweep, {Verb::kill}});
  EXPECT_EQ(
      std::ranges::count_if(
          events, [](const EventBody& body) { return std::holds_alternative<RunEnded>(body); }),
      9999);
  EXPECT_EQ(given.sweep(sweep).open_runs, 1);
}

TEST(Bounds, cmaes_proposes_only_as_many_trials_as_it_can_fold_again) {
  SweepSpec spec = conditional_spec(1000, 0);
  spec.search = {"cmaes", 100, {}};
  EXPECT_TRUE(check_spec(spec));
  spec.search.trials = 10'000;
  const Status fits = check_spec(spec);
  ASSERT_FALSE(fits);
  EXPECT_EQ(fits.error().at, "/search/trials");
  spec = conditional_spec(20, 0);
  spec.search = {"cmaes", 1'000'000, {}};
  EXPECT_TRUE(check_spec(spec));
}

TEST(Bounds, resources_that_no_sweep_gives_a_run_for_are_not_wanted) {
  Given given;
  EXPECT_TRUE(resources_wanted(given.book).empty());
  SweepSpec large = small_spec();
  large.resources = {64, 8};
  given.submit(large);
  given.submit(large, "again");
  ASSERT_EQ(resources_wanted(given.book).size(), 1U);
  const WorkerId worker = given.join();
  EXPECT_FALSE(may_serve(given.book, {"r", worker, 8, 0, {}}, resources_wanted(given.book)));
  SweepSpec picked = small_spec();
  picked.search = {"external", 10, {}};
  const SweepId external = given.submit(picked, "picked");
  EXPECT_EQ(resources_wanted(given.book).size(), 1U) << "nothing is enqueued";
  given.when(Enqueue{external, {"e", {}, std::nullopt, {}}});
  EXPECT_EQ(resources_wanted(given.book).size(), 2U);
  EXPECT_TRUE(may_serve(given.book, {"r", worker, 8, 0, {}}, resources_wanted(given.book)));
}

TEST(Bounds, memory_and_labels_that_no_sweep_gives_a_run_for_are_not_wanted) {
  Given given;
  const auto join = [&](const char* name, std::int64_t memory, std::vector<std::string> labels) {
    const Command command = Join{{name, "host", 1, 4, 0, "test", {}, memory, std::move(labels)}};
    given.when(command);
    return std::get<JoinReply>(answer(given.book, command)).worker;
  };
  const WorkerId fits = join("fits", 8, {"a", "b"}), small = join("small", 7, {"a", "b"}),
                 elsewhere = join("elsewhere", 8, {"b"});
  SweepSpec spec = small_spec();
  spec.resources.memory = 8;
  spec.resources.labels = {"a"};
  given.submit(spec);
  const auto wanted = resources_wanted(given.book);
  EXPECT_TRUE(may_serve(given.book, {"r", fits, 4, 0, {}}, wanted));
  EXPECT_FALSE(may_serve(given.book, {"r", small, 4, 0, {}}, wanted));
  EXPECT_FALSE(may_serve(given.book, {"r", elsewhere, 4, 0, {}}, wanted));
}

}  // namespace
}  // namespace hone
