// Confirmations: when a sweep gets one, and what it trains.
#include "server/sweep/state/rules.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

SweepSpec confirmed_spec(std::int64_t trials = 3) {
  SweepSpec spec = small_spec(trials, 1);
  spec.confirm = ConfirmSpec{.top = 2, .seeds = 4};
  return spec;
}

class Tuned : public Given {
 public:
  explicit Tuned(const SweepSpec& spec = confirmed_spec()) : id(submit(spec)), worker(join()) {}

  // Trains the next trial; returns the events of its only report.
  Events train(double value) {
    const auto grant = acquire(worker, "a" + std::to_string(++asked_));
    EXPECT_TRUE(grant);
    return when(Report{grant->lease, {0, 30, Score::of(value)}});
  }
  [[nodiscard]] const std::vector<SweepId>& confirmations() const { return sweep(id).confirmed_by; }

  SweepId id;
  WorkerId worker;

 private:
  int asked_ = 0;
};

TEST(Confirmation, follows_the_end_of_a_sweep_that_asks_for_it) {
  Tuned given;
  given.train(1);
  given.train(3);
  const Events events = given.train(2);
  ASSERT_EQ(given.confirmations().size(), 1U);
  expect_kinds<RunStarted, ReportRecorded, VerdictGiven, RunEnded, SweepEnded, SweepSubmitted,
               TrialEnqueued, TrialEnqueued>(events);
  EXPECT_EQ(std::get<TrialEnqueued>(events[6]).from, TrialId{2});
  EXPECT_EQ(std::get<TrialEnqueued>(events[7]).from, TrialId{3});
}

// `hone best` of the confirmation and `hone confirm` named different winners of a tie: the first
// one ordered equal values by their rank in tuning.
TEST(Confirmation, orders_its_trials_as_they_were_tuned) {
  Tuned given;
  for (const double value : {2.0, 1.0, 3.0}) given.train(value);
  std::vector<TrialId> order;
  for (const auto& trial : given.sweep(given.confirmations().at(0)).enqueued)
    order.push_back(trial.from.value());
  EXPECT_EQ(order, (std::vector<TrialId>{{1}, {3}}));
}

TEST(Confirmation, searches_nothing_and_stops_no_run) {
  Tuned given;
  for (const double value : {1.0, 3.0, 2.0}) given.train(value);
  const SweepSpec& spec = given.sweep(given.confirmations().at(0)).spec;
  EXPECT_EQ(spec.name, "small confirmed");
  EXPECT_EQ(spec.terminator.rule, "none");
  EXPECT_EQ(spec.search.trials, 2);
  EXPECT_EQ(spec.seeds, 4);
  EXPECT_EQ(spec.confirms, given.id);
  EXPECT_FALSE(spec.confirm);
  EXPECT_FALSE(spec.limits.duration);
}

TEST(Confirmation, of_fewer_trials_than_asked_for_trains_those_there_are) {
  Tuned given(confirmed_spec(1));
  given.train(1);
  EXPECT_EQ(given.sweep(given.confirmations().at(0)).enqueued.size(), 1U);
}

TEST(Confirmation, repeats_the_free_parameters_alone) {
  SweepSpec spec = confirmed_spec(1);
  spec.parameters.push_back({"layers", FixedDomain{std::int64_t{2}}, ""});
  spec.parameters.push_back({"twice", DerivedDomain{"x * 2"}, ""});
  Tuned given(spec);
  given.train(1);
  const Sweep& confirmation = given.sweep(given.confirmations().at(0));
  const Params& tuned = find_trial(given.book, TrialId{1})->params;
  ASSERT_EQ(confirmation.enqueued.front().params.size(), 1U);
  EXPECT_EQ(confirmation.enqueued.front().params[0].value, *find(tuned, "x"));
  const auto grant = given.acquire(given.worker, "confirm");
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->params, tuned);
}

TEST(Confirmation, does_not_follow_a_sweep_that_a_user_canceled) {
  for (const Verb verb : {Verb::cancel, Verb::kill}) {
    Tuned given;
    given.train(1);
    given.when(Steer{given.id, {verb}});
    EXPECT_EQ(given.sweep(given.id).state, SweepState::canceled);
    EXPECT_TRUE(given.confirmations().empty());
  }
}

TEST(Confirmation, follows_a_sweep_that_a_user_stopped_early) {
  Tuned given;
  given.train(1);
  given.when(Steer{given.id, {Verb::stop}});
  EXPECT_EQ(given.sweep(given.id).state, SweepState::completed);
  EXPECT_EQ(given.confirmations().size(), 1U);
}

TEST(Confirmation, follows_a_sweep_whose_time_is_over) {
  SweepSpec spec = confirmed_spec();
  spec.limits.duration = seconds(60);
  Tuned given(spec);
  given.train(1);
  given.now = given.now + seconds(60);
  given.tick();
  EXPECT_EQ(given.sweep(given.id).reason, EndReason::time_limit);
  EXPECT_EQ(given.confirmations().size(), 1U);
}

TEST(Confirmation, does_not_follow_a_sweep_without_a_result) {
  Tuned given(confirmed_spec(1));
  const auto grant = given.acquire(given.worker, "a");
  given.when(End{grant->lease, {EndReason::exit_code, 1, "it broke", {}}});
  EXPECT_EQ(given.sweep(given.id).state, SweepState::failed);
  EXPECT_TRUE(given.confirmations().empty());
}

TEST(Confirmation, is_refused_of_an_unknown_sweep_and_of_one_without_a_result) {
  Tuned given(small_spec());
  given.when(Confirm{SweepId{9}, {"r1", 3, 5}});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->code, Code::not_found);
  given.when(Confirm{given.id, {"r2", 3, 5}});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->code, Code::conflict);
}

TEST(Confirmation, may_be_made_of_a_running_sweep_and_is_answered_by_its_request) {
  Tuned given(small_spec(4, 1));
  given.train(1);
  const Command command = Confirm{given.id, {"request", 3, 5}};
  EXPECT_EQ(given.when(command).size(), 2U);
  EXPECT_EQ(std::get<Submitted>(answer(given.book, command)).sweep, SweepId{2});
  EXPECT_TRUE(given.when(command).empty());
  EXPECT_EQ(given.sweep(given.id).state, SweepState::running);
}

TEST(Confirmation, trains_every_trial_on_the_same_seeds) {
  Tuned given;
  for (const double value : {1.0, 3.0, 2.0}) given.train(value);
  std::vector<std::vector<std::uint64_t>> seeds(2);
  for (int run = 0; run < 8; ++run) {
    const auto grant = given.acquire(given.worker, "c" + std::to_string(run));
    ASSERT_TRUE(grant);
    seeds[static_cast<std::size_t>(grant->attempt.run.trial.value) - 4].push_back(grant->seed);
  }
  EXPECT_EQ(seeds[0].size(), 4U);
  EXPECT_EQ(seeds[0], seeds[1]);
}

TEST(Confirmation, aggregates_its_seeds_by_the_interquartile_mean) {
  SweepSpec spec = confirmed_spec(1);
  spec.replicates.aggregate = Aggregate::mean;
  Tuned given(spec);
  given.train(1);
  EXPECT_EQ(given.sweep(given.confirmations().at(0)).spec.replicates.aggregate, Aggregate::iqm);
}

// A schedule counts its stages times its parameters: 1,200 times 900.
TEST(Confirmation, of_leaders_with_more_values_in_their_schedules_than_the_bound_is_refused) {
  SweepSpec spec = small_spec(1, 1);
  spec.parameters.clear();
  for (int i = 0; i < 900; ++i)
    spec.parameters.push_back({"p" + std::to_string(i), FloatDomain{0, 1, Scale::linear, {}}, ""});
  spec.trainer = CommandTrainer{{"train"}};
  Tuned given(spec);
  TrialEnqueued set{.sweep = given.id, .request_id = "set", .params = {}};
  for (int phase = 1; phase <= 1'200; ++phase) set.schedule.push_back({phase, {}});
  given.ledger.push_back({++given.seq, given.now, set});
  evolve(given.book, given.ledger.back());
  given.train(1);
  given.when(Confirm{given.id, {"confirm", 1, 2}});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->at, "/top");
}

}  // namespace
}  // namespace hone
