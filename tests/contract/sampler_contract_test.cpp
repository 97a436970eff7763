// What every sampler promises, whatever its row. A new row runs by itself.
#include <gtest/gtest.h>

#include <cmath>

#include "schemas/values/member.hpp"
#include "server/search/samplers/sampler.hpp"
#include "server/search/samplers/tpe/textbook.hpp"
#include "server/search/space/expression.hpp"
#include "server/search/space/space.hpp"

namespace hone {

void PrintTo(const SamplerRow& row, std::ostream* out) { *out << row.method; }

namespace {

const Space parameters{
    {"learning_rate", FloatDomain{1e-5, 1e-2, Scale::log, {}, Prior{1e-3, 0.2}}, ""},
    {"momentum", FloatDomain{0, 1, Scale::linear, 0.25, {}}, ""},
    {"decay", FloatDomain{0.9, 0.999, Scale::logit, {}, {}}, ""},
    {"t_max", IntDomain{2, 100, Scale::log, 1, {}}, ""},
    {"gamma", ChoiceDomain{{0.9, 0.95, 0.99}, true, {}}, ""},
    {"optimizer", ChoiceDomain{{std::string("sgd"), std::string("adam")}, false, {1, 3}}, ""},
    {"clip", BoolDomain{}, ""},
    {"clip_norm", FloatDomain{0.1, 10, Scale::log, {}, {}}, "clip"},
    {"deep", IntDomain{1, 3, Scale::linear, 1, {}}, "clip and clip_norm > 1"},
    {"final_rate", DerivedDomain{"learning_rate * 0.1"}, ""},
    {"layers", FixedDomain{std::int64_t{2}}, ""},
};
const std::vector<std::string> constraints{"t_max * learning_rate < 0.5", "momentum + gamma < 1.9"};

class SamplerContract : public testing::TestWithParam<SamplerRow> {
 protected:
  SearchSpace space_ = std::move(SearchSpace::make(parameters, constraints)).value();
  std::unique_ptr<Sampler> sampler_ =
      std::move(GetParam().make(search_of(GetParam()), space_)).value();

  static SearchSpec search_of(const SamplerRow& row) {
    SearchSpec search;
    search.method = row.method;
    search.trials = 100;
    return search;
  }
  [[nodiscard]] Params propose(const History& history, std::int64_t number,
                               std::uint64_t seed = 1) const {
    const auto point = sampler_->propose(space_, history, {seed, number});
    return point ? space_.params_at(*point) : Params{};
  }
  // External pickers enqueue instead.
  [[nodiscard]] bool proposes() const { return GetParam().method != "external"; }
};

// Reports, divergences, failures and pending trials, all mixed.
History history_of(int trials, const SearchSpace& space) {
  History history(Goal::maximize, space.dimensions().size());
  for (int i = 0; i < trials; ++i) {
    Rng rng(99, Purpose::propose, static_cast<std::uint64_t>(i));
    const auto run = history.add_run(history.add_trial(random_point(space, rng)));
    if (i % 3 == 0) continue;
    if (i % 7 != 0) history.add_report(run, 0, i % 5 == 0 ? Score::diverged() : Score::of(i));
    if (i % 2 == 0) history.end_run(run, i % 4 == 0, true);
  }
  return history;
}

TEST_P(SamplerContract, stays_inside_every_domain_and_honours_conditions) {
  for (const int trials : {0, 1, 50}) {
    const History history = history_of(trials, space_);
    for (std::int64_t number = 0; proposes() && number < 100; ++number) {
      const Params params = propose(history, number);
      EXPECT_TRUE(space_.feasible(params));
      std::size_t present = 0;
      for (const Parameter& parameter : parameters) {
        const bool active =
            parameter.when.empty() || Expression::parse(parameter.when)->holds(params);
        const Value* value = find(params, parameter.name);
        ASSERT_EQ(value != nullptr, active) << parameter.name;
        if (value == nullptr) continue;
        EXPECT_TRUE(member_of(parameter.domain, *value).has_value()) << parameter.name;
        EXPECT_EQ(params[present++].name, parameter.name);  // in the order of the space
      }
      EXPECT_EQ(present, params.size());
    }
  }
}

TEST_P(SamplerContract, the_same_address_and_history_give_the_same_parameters) {
  const History history = history_of(20, space_);
  for (std::int64_t number = 0; number < 20; ++number)
    EXPECT_EQ(propose(history, number), propose(history, number));
}

TEST_P(SamplerContract, proposes_settled_points) {
  const History history = history_of(30, space_);
  for (std::int64_t number = 0; proposes() && number < 20; ++number) {
    const Point point = *sampler_->propose(space_, history, {3, number});
    const auto again = space_.point_of(space_.params_at(point));
    ASSERT_TRUE(again.has_value());
    for (std::size_t i = 0; i < point.size(); ++i) {
      ASSERT_EQ(std::isnan(point[i]), std::isnan((*again)[i]));
      if (std::isnan(point[i])) continue;
      EXPECT_NEAR(point[i], (*again)[i], 1e-9);
    }
  }
}

TEST_P(SamplerContract, an_empty_space_has_one_point) {
  const SearchSpace empty = std::move(SearchSpace::make({}, {})).value();
  const auto made = GetParam().make(search_of(GetParam()), empty);
  if (!made.ok()) return;  // a grid of one point has no room for a hundred trials
  if (!proposes()) return;
  EXPECT_TRUE((*made)->propose(empty, History(Goal::maximize, 0), {1, 0})->empty());
}

TEST_P(SamplerContract, refuses_a_setting_it_does_not_have) {
  SearchSpec search = search_of(GetParam());
  search.settings.push_back({"no_such_setting", 1.0});
  const auto made = GetParam().make(search, space_);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().at, "/search/no_such_setting");
}

// The rows of the table, and the variant of tpe.
std::vector<SamplerRow> all_samplers() {
  std::vector<SamplerRow> rows(sampler_table().begin(), sampler_table().end());
  rows.push_back({"textbook_tpe", "", [](const SearchSpec& search, const SearchSpace&) {
                    return make_textbook_tpe(search);
                  }});
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Rows, SamplerContract, testing::ValuesIn(all_samplers()),
                         [](const auto& row) { return std::string(row.param.method); });

}  // namespace
}  // namespace hone
