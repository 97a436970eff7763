// Refused sweeps: the place and the reason.
#include "server/sweep/submit/check.hpp"

#include <functional>

#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

SweepSpec cartpole() {
  SweepSpec spec = small_spec(32, 10);
  spec.objective.metric = "return";
  spec.trainer = BuiltinTrainer{"ga3c", {{"env", std::string("CartPole-v1")}}};
  spec.parameters = {{"gamma", ChoiceDomain{{0.9, 0.99}}, ""},
                     {"entropy", FloatDomain{0.001, 0.1, Scale::log, {}}, "gamma > 0.9"}};
  spec.terminator = {"hypertrick", {{"eviction_rate", 0.25}}};
  spec.budget = {"frames", 1'000'000, 10};
  return spec;
}

struct Refusal {
  const char* at;
  const char* words;
  std::function<void(SweepSpec&)> spoil;
};

TEST(Check, accepts_the_example) { EXPECT_TRUE(check_spec(cartpole()).ok()); }

TEST(Check, refuses_with_the_place_and_the_nearest_word) {
  const auto builtin = [](SweepSpec& s) -> BuiltinTrainer& {
    return std::get<BuiltinTrainer>(s.trainer);
  };
  const Refusal refusals[] = {
      {"/trainer/name", "did you mean 'ga3c'", [&](auto& s) { builtin(s).name = "gac3"; }},
      {"/trainer/env", "did you mean 'CartPole-v1'",
       [&](auto& s) { builtin(s).settings[0].value = std::string("CartPole-v0"); }},
      {"/trainer/evns", "did you mean 'envs'",
       [&](auto& s) {
         builtin(s).settings.push_back({"evns", std::int64_t{4}});
       }},
      {"/trainer/envs", "whole number",
       [&](auto& s) {
         builtin(s).settings.push_back({"envs", 4.5});
       }},
      {"/parameters/gama", "did you mean 'gamma'",
       [](auto& s) {
         s.parameters[0].name = "gama";
         s.parameters[1].when = "";
       }},
      {"/parameters/gamma/values/1", "from 0 to 1",
       [](auto& s) { std::get<ChoiceDomain>(s.parameters[0].domain).values[1] = 99.0; }},
      {"/parameters/entropy/max", "from 0 to 10",
       [](auto& s) { std::get<FloatDomain>(s.parameters[1].domain).max = 11; }},
      {"/parameters/entropy/when", "no parameter of this sweep",
       [](auto& s) { s.parameters[1].when = "gamm > 0.9"; }},
      {"/parameters/entropy/when", "column", [](auto& s) { s.parameters[1].when = "gamma >"; }},
      {"/parameters/gamma", "under trainer already",
       [&](auto& s) {
         builtin(s).settings.push_back({"gamma", 0.9});
       }},
      {"/seed", "2^53", [](auto& s) { s.seed = 1ULL << 53; }},
      // The runs of such a sweep failed, each with its first report.
      {"/objectives", "reports one objective",
       [](auto& s) {
         s.further_objectives = {{"cost", Goal::minimize}};
         s.terminator = {"none", {}};
       }},
      {"/objective/metric", "reports no", [](auto& s) { s.objective.metric = "returns"; }},
      {"/budget/unit", "in frames", [](auto& s) { s.budget.unit = "episodes"; }},
      {"/search/method", "did you mean 'random'", [](auto& s) { s.search.method = "randon"; }},
      {"/terminator/rule", "did you mean 'hypertrick'",
       [](auto& s) { s.terminator.rule = "hypertrik"; }},
      {"/terminator/eviction_rate", "(0, 1)", [](auto& s) { s.terminator.settings[0].second = 2; }},
  };
  for (const Refusal& refusal : refusals) {
    SweepSpec spec = cartpole();
    refusal.spoil(spec);
    const auto status = check_spec(spec);
    ASSERT_FALSE(status.ok()) << refusal.at;
    EXPECT_EQ(status.error().at, refusal.at) << status.error().detail;
    EXPECT_NE(status.error().detail.find(refusal.words), std::string::npos)
        << status.error().detail;
  }
}

// Such a sweep was refused, as its trainer could report one objective alone.
TEST(Check, accepts_two_objectives_that_a_trainer_reports) {
  SweepSpec spec = cartpole();
  spec.trainer = BuiltinTrainer{"placement", {}};
  spec.objective = {"step_ms", Goal::minimize};
  spec.further_objectives = {{"peak_gb", Goal::minimize}};
  spec.parameters = {{"memory_weight", FloatDomain{0, 2, Scale::linear, {}}, ""}};
  spec.terminator = {"none", {}};
  spec.budget.unit = "placements";
  EXPECT_TRUE(check_spec(spec).ok()) << check_spec(spec).error().detail;
  spec.further_objectives = {{"peak_mb", Goal::minimize}};
  const auto status = check_spec(spec);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().at, "/objectives");
  EXPECT_NE(status.error().detail.find("did you mean 'peak_gb'"), std::string::npos)
      << status.error().detail;
}

TEST(Check, a_submission_is_refused_with_the_place_in_its_request) {
  Given given;
  SweepSpec spec = cartpole();
  spec.search.method = "magic";
  EXPECT_TRUE(given.when(Submit{{"r", spec, {}}}).empty());
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->at, "/spec/search/method");
}

// The fork of an earlier sweep is trained as that one was.
TEST(Submit, presets_are_chosen_for_a_sweep_that_is_not_a_fork) {
  Given given;
  SweepSpec spec = small_spec();
  spec.trainer = BuiltinTrainer{"ppo", {{"env", std::string("CartPole-v1")}}};
  spec.parameters = {{"gamma", FloatDomain{0.9, 0.99, Scale::linear, {}}, ""}};
  spec.budget = {"frames", 1'000'000, 10};
  spec.objective.metric = "return";
  const auto settings_of = [&](SweepId id) {
    return std::get<BuiltinTrainer>(given.sweep(id).spec.trainer).settings;
  };
  const SweepId first = given.submit(spec);
  EXPECT_NE(find(settings_of(first), "presets"), nullptr);
  given.when(Submit{{"fork", spec, {}, first}});
  ASSERT_FALSE(given.error) << given.error->detail;
  EXPECT_EQ(find(settings_of(SweepId{2}), "presets"), nullptr);
}

}  // namespace
}  // namespace hone
