// Specs of methods that have their own rule: what is refused.
#include "server/search/samplers/population/population.hpp"
#include "server/sweep/submit/check.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

std::string fault_at(const SweepSpec& spec) {
  const Status fits = check_spec(spec);
  return fits ? "accepted" : fits.error().at;
}

SweepSpec bandit_spec(std::int64_t members, int phases = 4) {
  SweepSpec spec = small_spec(members, phases);
  spec.trainer = CommandTrainer{.argv = {"train", "${x}"}, .may_change = {"x"}};
  spec.parameters = {{"x", FloatDomain{0, 1, Scale::linear, {}, {}}, ""}};
  spec.search = {"pb2", members};
  spec.terminator = {"pbt", {}};
  return spec;
}

TEST(Dehb, refuses_specs_whose_method_and_rule_differ) {
  SweepSpec spec = small_spec(20, 9);
  spec.search.method = "dehb";
  spec.terminator = {"dehb", {}};
  EXPECT_EQ(fault_at(spec), "accepted");
  spec.terminator = {"asha", {}};
  EXPECT_EQ(fault_at(spec), "/terminator/rule");
  spec.terminator = {"dehb", {{"eta", 4}}};
  EXPECT_EQ(fault_at(spec), "/terminator/eta");
  spec.search.settings = {{"eta", std::int64_t{4}}};
  EXPECT_EQ(fault_at(spec), "accepted");
  spec.budget.phases = 3;
  EXPECT_EQ(fault_at(spec), "/budget/phases");
  spec.search = {"random", 20};
  EXPECT_EQ(fault_at(spec), "/search/method");
}

TEST(Pb2, refuses_specs_that_no_bandit_can_choose_for) {
  SweepSpec spec = bandit_spec(4);
  EXPECT_EQ(fault_at(spec), "accepted");
  spec.search.perturb = {0.8, 1.2};
  EXPECT_EQ(fault_at(spec), "/search/perturb");
  spec.search = {"pb2", 4, {{"resample", 0.5}}};
  EXPECT_EQ(fault_at(spec), "/search/resample");
  spec = bandit_spec(1'000, 200);
  spec.search = {"pb2", 1'000};
  EXPECT_EQ(fault_at(spec), "/search/ready");
  spec.budget.phases = 88;
  spec.search.trials = 9'999;
  spec.search.settings = {{"ready", std::int64_t{8}}};
  EXPECT_EQ(fault_at(spec), "/search/population");
  EXPECT_EQ(fault_at(bandit_spec(100)), "accepted");
  EXPECT_EQ(fault_at(bandit_spec(101)), "/search/population");
  spec = bandit_spec(4);
  for (int i = 1; i < 100; ++i)
    spec.parameters.push_back(
        {"y" + std::to_string(i), FloatDomain{0, 1, Scale::linear, {}, {}}, ""});
  EXPECT_EQ(fault_at(spec), "accepted");
  spec.parameters.push_back({"z", FloatDomain{0, 1, Scale::linear, {}, {}}, ""});
  EXPECT_EQ(fault_at(spec), "/parameters");
  spec = bandit_spec(4);
  spec.search = {"pb2", 4};
  spec.parameters = {{"x", BoolDomain{}, ""}};
  EXPECT_EQ(fault_at(spec), "/parameters");
}

}  // namespace
}  // namespace hone
