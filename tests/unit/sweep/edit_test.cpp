// Edits of a sweep, and the continuation of one that has ended: what is refused, what they do, and
// that a replay does the same again.
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

Edit edit_of(SweepId sweep, const std::string& request, std::optional<std::int64_t> trials,
             std::vector<Widening> widen = {}) {
  return Edit{sweep, {request, trials, std::nullopt, std::move(widen)}};
}

TEST(Edit, more_trials_are_proposed) {
  Given given;
  const SweepId sweep = given.submit(small_spec(1));
  const WorkerId worker = given.join();
  const auto first = given.acquire(worker, "a");
  ASSERT_TRUE(first);
  EXPECT_FALSE(given.acquire(worker, "b"));
  EXPECT_EQ(given.when(edit_of(sweep, "e", 3)).size(), 1U);
  EXPECT_TRUE(given.when(edit_of(sweep, "e", 3)).empty());  // the same request
  EXPECT_TRUE(given.acquire(worker, "b"));
}

TEST(Edit, fewer_trials_than_were_proposed_are_refused) {
  Given given;
  const SweepId sweep = given.submit(small_spec(4));
  const WorkerId worker = given.join();
  given.acquire(worker, "a");
  given.acquire(worker, "b");
  given.when(edit_of(sweep, "e", 2));
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->at, "/trials");
}

TEST(Edit, concurrency_bounds_the_live_leases_until_it_is_lifted) {
  Given given;
  auto spec = small_spec(4);
  spec.limits.concurrency = 1;
  const SweepId sweep = given.submit(spec);
  const WorkerId worker = given.join();
  ASSERT_TRUE(given.acquire(worker, "a"));
  EXPECT_FALSE(given.acquire(worker, "b"));
  given.when(Edit{sweep, {"e", std::nullopt, 0, {}}});
  EXPECT_TRUE(given.acquire(worker, "b"));
}

TEST(Edit, a_space_only_grows) {
  Given given;
  const SweepId sweep = given.submit(small_spec());
  for (const Widening& narrow : {Widening{"x", 0.5, {}, {}}, Widening{"x", {}, 0.5, {}},
                                 Widening{"x", {}, {}, {}}, Widening{"y", 0, {}, {}}}) {
    given.when(edit_of(sweep, "e", std::nullopt, {narrow}));
    ASSERT_TRUE(given.error);
    EXPECT_EQ(given.error->at, "/widen/0");
  }
}

TEST(Edit, what_was_tried_keeps_its_parameters_in_a_wider_space) {
  Given given;
  auto spec = small_spec(6, 1);
  spec.search = {"tpe", 6};
  const SweepId sweep = given.submit(spec);
  const WorkerId worker = given.join();
  for (int i = 0; i < 3; ++i) {
    const auto grant = given.acquire(worker, "a" + std::to_string(i));
    given.report(grant->lease, 0, Score::of(i));
  }
  given.when(edit_of(sweep, "e", std::nullopt, {{"x", -1, 3, {}}}));
  ASSERT_FALSE(given.error);
  const Sweep& wider = given.book.sweeps.at(sweep);
  for (std::size_t i = 0; i < 3; ++i) {
    const Params at = wider.space.params_at(wider.history.point(i));
    const Params& tried = given.book.trials.at(wider.trials[i]).second.params;
    EXPECT_NEAR(std::get<double>(at[0].value), std::get<double>(tried[0].value), 1e-9);
  }
  EXPECT_TRUE(given.acquire(worker, "next"));
}

// Edits that no domain accepts, each with its reason.
struct BadEdit {
  Domain domain;
  Widening to;
  std::string why;
};

TEST(Edit, of_each_kind_of_domain_is_refused_with_its_reason) {
  const std::vector<BadEdit> edits{
      {FloatDomain{0, 1, Scale::linear, {}}, {"p", {}, {}, {1.0}}, "a range has bounds"},
      {FloatDomain{0, 1, Scale::linear, {}}, {"p", {}, {}, {}}, "name a new bound"},
      {FloatDomain{0, 1, Scale::linear, {}}, {"p", 0.1, {}, {}}, "can only become wider"},
      {FloatDomain{0, 1, Scale::linear, 0.1}, {"p", -1, {}, {}}, "counted from the lower bound"},
      {IntDomain{1, 9, Scale::linear, 1, {}}, {"p", {}, 9.5, {}}, "bounds are whole numbers"},
      {IntDomain{1, 9, Scale::linear, 1, {}}, {"p", {}, 1e300, {}}, "bounds are whole numbers"},
      {IntDomain{1, 9, Scale::linear, 2, {}}, {"p", -1, {}, {}}, "counted from the lower bound"},
      {IntDomain{1, 9, Scale::linear, 1, {}}, {"p", {}, 8, {}}, "can only become wider"},
      {ChoiceDomain{{1.0, 2.0}}, {"p", 0, {}, {}}, "has values, not bounds"},
      {ChoiceDomain{{1.0, 2.0}}, {"p", {}, {}, {}}, "name the values to add"},
      {ChoiceDomain{{1.0, 2.0}}, {"p", {}, {}, {2.0}}, "has one of these values"},
      {BoolDomain{}, {"p", 0, 1, {}}, "true and false"},
      {FixedDomain{3.0}, {"p", 0, 1, {}}, "it is fixed"},
      {DerivedDomain{"x * 2"}, {"p", 0, 1, {}}, "it is computed"}};
  for (const BadEdit& edit : edits) {
    auto spec = small_spec();
    spec.parameters.push_back({"p", edit.domain, ""});
    Given given;
    const SweepId sweep = given.submit(spec);
    EXPECT_TRUE(given.when(edit_of(sweep, "e", std::nullopt, {edit.to})).empty());
    ASSERT_TRUE(given.error) << edit.why;
    EXPECT_EQ(given.error->at, "/widen/0");
    EXPECT_NE(given.error->detail.find(edit.why), std::string::npos) << given.error->detail;
  }
}

TEST(Edit, adds_values_at_the_end_of_a_choice) {
  auto spec = small_spec(2, 1);
  spec.trainer = CommandTrainer{{"train", "${n}"}};
  spec.parameters = {{"n", ChoiceDomain{{std::int64_t{1}, std::int64_t{2}}}, ""}};
  Given given;
  const SweepId sweep = given.submit(spec);
  given.when(edit_of(sweep, "e", std::nullopt, {{"n", {}, {}, {std::int64_t{4}}}}));
  ASSERT_FALSE(given.error) << given.error->detail;
  const auto& domain = std::get<ChoiceDomain>(given.sweep(sweep).spec.parameters[0].domain);
  EXPECT_EQ(domain.values, (std::vector<Value>{std::int64_t{1}, std::int64_t{2}, std::int64_t{4}}));
  EXPECT_EQ(given.sweep(sweep).space.dimensions()[0].levels, 3);
}

TEST(Edit, of_an_unknown_parameter_is_refused_with_the_nearest_name) {
  auto spec = small_spec();
  spec.parameters[0].name = "rate";
  Given given;
  const SweepId sweep = given.submit(spec);
  given.when(edit_of(sweep, "e", std::nullopt, {{"rte", -1, {}, {}}}));
  ASSERT_TRUE(given.error);
  EXPECT_NE(given.error->detail.find("did you mean 'rate'"), std::string::npos);
}

// Trains `count` trials of one phase; each is worth the square of x.
void train(Given& given, WorkerId worker, const std::string& request, int count) {
  for (int i = 0; i < count; ++i) {
    const auto grant = given.acquire(worker, request + std::to_string(i));
    ASSERT_TRUE(grant) << i;
    const double x = std::get<double>(grant->params[0].value);
    given.report(grant->lease, 0, Score::of(x * x));
  }
}

TEST(Continue, an_ended_sweep_trains_further_trials_with_its_history) {
  auto spec = small_spec(12, 1);
  spec.search = {"tpe", 12};
  Given given;
  const SweepId sweep = given.submit(spec);
  const WorkerId worker = given.join();
  train(given, worker, "a", 12);
  ASSERT_EQ(given.sweep(sweep).state, SweepState::completed);
  given.when(edit_of(sweep, "e", 20));
  ASSERT_FALSE(given.error) << given.error->detail;
  EXPECT_EQ(given.sweep(sweep).state, SweepState::running);
  train(given, worker, "b", 8);
  EXPECT_EQ(given.sweep(sweep).state, SweepState::completed);

  // One sweep of 20 trials proposes the same.
  spec.search.trials = 20;
  Given whole;
  const SweepId longer = whole.submit(spec);
  train(whole, whole.join(), "a", 20);
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_EQ(find_trial(given.book, given.sweep(sweep).trials[i])->params,
              find_trial(whole.book, whole.sweep(longer).trials[i])->params)
        << i;
}

TEST(Continue, needs_more_trials_than_there_are_and_no_confirmation) {
  Given given;
  const SweepId sweep = given.submit(small_spec(2, 1));
  const WorkerId worker = given.join();
  train(given, worker, "a", 2);
  for (const std::optional<std::int64_t> trials : {std::optional<std::int64_t>(2), {}}) {
    given.when(edit_of(sweep, "e", trials));
    ASSERT_TRUE(given.error);
    EXPECT_EQ(given.error->code, Code::conflict);
  }
  given.when(Confirm{sweep, {"c", 1, 2}});
  const SweepId confirmation{2};
  train(given, worker, "c", 2);
  ASSERT_TRUE(is_end(given.sweep(confirmation).state));
  given.when(edit_of(confirmation, "e", 9));
  ASSERT_TRUE(given.error);
  EXPECT_NE(given.error->detail.find("hone confirm sw_1 --start"), std::string::npos);
}

TEST(Continue, counts_the_time_limit_from_the_edit) {
  auto spec = small_spec(1, 1);
  spec.limits.duration = seconds(60);
  Given given;
  const SweepId sweep = given.submit(spec);
  const WorkerId worker = given.join();
  train(given, worker, "a", 1);
  given.now = given.now + seconds(600);
  given.when(edit_of(sweep, "e", 2));
  given.tick();
  EXPECT_EQ(given.sweep(sweep).state, SweepState::running);
  given.now = given.now + seconds(60);
  given.tick();
  EXPECT_EQ(given.sweep(sweep).reason, EndReason::time_limit);
}

TEST(Continue, confirms_its_new_leaders_where_the_sweep_asks_for_it) {
  auto spec = small_spec(1, 1);
  spec.confirm = ConfirmSpec{1, 2};
  Given given;
  const SweepId sweep = given.submit(spec);
  const WorkerId worker = given.join();
  train(given, worker, "a", 1 + 2);
  given.when(edit_of(sweep, "e", 2));
  train(given, worker, "b", 1 + 2);
  EXPECT_EQ(given.sweep(sweep).confirmed_by, (std::vector<SweepId>{SweepId{2}, SweepId{3}}));
}

TEST(Edit, of_a_sweep_that_is_stopping_or_unknown_is_refused) {
  Given given;
  const SweepId sweep = given.submit(small_spec());
  given.acquire(given.join(), "a");
  given.when(Steer{sweep, {Verb::stop}});
  given.when(edit_of(sweep, "e", 9));
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->code, Code::conflict);
  given.when(edit_of(SweepId{7}, "e", 9));
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->code, Code::not_found);
}

TEST(Edit, that_leaves_an_invalid_sweep_is_refused) {
  auto spec = small_spec(4, 1);
  spec.search.method = "grid";
  spec.search.settings = {{"points", std::int64_t{4}}};
  Given given;
  const SweepId sweep = given.submit(spec);
  given.when(edit_of(sweep, "e", 99));  // a grid of four combinations
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->at, "/search/trials");
}

TEST(Edit, enqueued_sets_count_as_taken) {
  Given given;
  const SweepId sweep = given.submit(small_spec(4));
  for (const char* request : {"a", "b", "c"}) given.when(Enqueue{sweep, {request, {{"x", 0.5}}}});
  given.when(edit_of(sweep, "e", 3));
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->at, "/trials");
  given.when(edit_of(sweep, "e", 4));
  EXPECT_FALSE(given.error);
}

TEST(Edit, leaves_the_proposals_of_a_replay_unchanged) {
  std::vector<Params> proposed[2];
  for (auto& params : proposed) {
    Given given;
    auto spec = small_spec(4, 1);
    spec.search = {"sobol", 4};
    const SweepId sweep = given.submit(spec);
    const WorkerId worker = given.join();
    for (int i = 0; i < 4; ++i) {
      if (i == 2) given.when(edit_of(sweep, "e", std::nullopt, {{"x", {}, 2, {}}}));
      const auto grant = given.acquire(worker, "a" + std::to_string(i));
      params.push_back(grant->params);
      given.report(grant->lease, 0, Score::of(i));
    }
  }
  EXPECT_EQ(proposed[0], proposed[1]);
}

TEST(Pin, a_pinned_trial_keeps_its_checkpoints) {
  for (const bool pinned : {false, true}) {
    Given given;
    given.submit(small_spec(1, 3));
    const auto grant = given.acquire(given.join(), "a");
    if (pinned) given.when(Pin{grant->attempt.run.trial, {true}});
    for (int phase = 0; phase < 3; ++phase) {
      given.when(
          SaveModel{grant->lease,
                    {std::string(64, static_cast<char>('a' + phase)), 9, 10 * (phase + 1), phase}});
      given.report(grant->lease, phase, Score::of(3 - phase));
    }
    EXPECT_EQ(given.book.models.size(), pinned ? 3U : 2U);
  }
}

}  // namespace
}  // namespace hone
