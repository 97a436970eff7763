// Reads of runs that continue the reports and checkpoints of others.
#include "db/queries/overview.hpp"
#include "db/queries/replicates.hpp"
#include "tests/unit/db/queries_given.hpp"

namespace hone {
namespace {

// The best reports of a fork and of its fork are those of the first run.
TEST_F(Queries, AnInheritedBestReportHasTheCheckpointOfTheRunThatSavedIt) {
  SweepSpec spec = two_seeds();
  spec.seeds = 1;
  spec.resources = {};
  spec.trainer = CommandTrainer{.argv = {"train"}, .may_change = {"learning_rate"}};
  const SweepId sweep = submit("forked", spec);
  EXPECT_TRUE(fed.perform(Steer{{1}, {Verb::pause}}, now));
  const auto start = [&](const std::string& request) {
    tick();
    return fed.must<std::optional<LeaseGrant>>(Acquire{{request, {1}, 4, 1, {}}}, now).value();
  };
  const auto fork = [&](RunId of, double rate) {
    const std::string request = "fork " + text(of);
    EXPECT_TRUE(fed.perform(
        Enqueue{sweep, {request, {{"learning_rate", rate}}, std::nullopt, ForkRequest{of}}}, now));
    return start(request);
  };
  const LeaseGrant first = start("first of forks");
  const ModelId best = save(first.lease, 0, '4');
  report(first.lease, 0, Score::of(50));
  const LeaseGrant second = fork(first.attempt.run, 0.02);
  const LeaseGrant third = fork(second.attempt.run, 0.03);
  const auto model_of = [&](const LeaseGrant& lease) {
    return best_of_trial(*db, lease.attempt.run.trial, Goal::maximize)->model;
  };
  EXPECT_EQ(model_of(second), best);
  EXPECT_EQ(model_of(third), best);
  EXPECT_EQ(count_reports(*db, find_sweep(*db, sweep).value()), 3);
  const ModelId own = save(third.lease, 1, '5');
  report(third.lease, 1, Score::of(60));
  EXPECT_EQ(model_of(third), own);
  EXPECT_EQ(model_of(second), best);
}

TEST_F(Queries, AForkHasNoneOfTheSecondsOfItsOrigin) {
  SweepSpec spec = two_seeds();
  spec.seeds = 1;
  spec.resources = {};
  spec.trainer = CommandTrainer{.argv = {"train"}, .may_change = {"learning_rate"}};
  const SweepId sweep = submit("forked", spec);
  EXPECT_TRUE(fed.perform(Steer{{1}, {Verb::pause}}, now));
  const auto start = [&](const std::string& request) {
    tick();
    return fed.must<std::optional<LeaseGrant>>(Acquire{{request, {1}, 4, 1, {}}}, now).value();
  };
  const LeaseGrant first = start("first of forks");
  save(first.lease, 0, '4');
  ReportRequest timed{0, 10, Score::of(50)};
  timed.phase_seconds = 7;
  tick();
  fed.must<ReportReply>(Report{first.lease, timed}, now);
  EXPECT_TRUE(fed.perform(
      Enqueue{sweep, {"fork", {{"learning_rate", 0.02}}, {}, ForkRequest{first.attempt.run}}},
      now));
  const LeaseGrant second = start("fork");
  EXPECT_EQ(find_run(*db, first.attempt.run)->seconds, 7.0);
  EXPECT_EQ(find_run(*db, second.attempt.run)->seconds, std::nullopt);
}

}  // namespace
}  // namespace hone
