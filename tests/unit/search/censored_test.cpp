// Samplers under an objective of time, where some trials never reach the bar.
#include <gtest/gtest.h>

#include "schemas/types/reach.hpp"
#include "server/search/samplers/sampler.hpp"

namespace hone {
namespace {

const Space censored_space{{"x", FloatDomain{0, 1, Scale::linear, {}, {}}, ""},
                           {"y", FloatDomain{0, 1, Scale::linear, {}, {}}, ""}};
const Objective time_until_bar{"return", Goal::soonest, Reach{100, false, RunClock::seconds}};

// The bar is reached where x < 0.3, after 10 s + 300 s for each unit of distance of y from 0.2.
// Elsewhere the return stays below it, by more for larger x.
void train(History& history, const Params& params, std::span<const double> point) {
  const double x = std::get<double>(*find(params, "x")), y = std::get<double>(*find(params, "y"));
  const double time = 10 + 300 * std::abs(y - 0.2);
  const auto run = history.add_run(history.add_trial(point));
  const Score value = Score::of(x < 0.3 ? 100 : 100 - 80 * x);
  history.add_report(run, 0, counted(time_until_bar, value, time));
  history.end_run(run, true, true);
}

class Censored : public testing::TestWithParam<SamplerRow> {};

// A sampler that learns proposes more of those that reach the bar than the draws at random, of
// which three in ten do, and faster ones.
TEST_P(Censored, proposals_move_to_where_the_bar_is_reached_soon) {
  const auto space = std::move(SearchSpace::make(censored_space, {})).value();
  SearchSpec search;
  search.method = GetParam().method;
  search.trials = 120;
  const auto sampler = std::move(GetParam().make(search, space)).value();
  History history(Goal::soonest, 2);
  int reached = 0;
  for (int number = 0; number < 120; ++number) {
    const auto point = sampler->propose(space, history, {7, number});
    ASSERT_TRUE(point) << "trial " << number;
    const Params params = space.params_at(*point);
    train(history, params, *point);
    if (number >= 80 && std::get<double>(*find(params, "x")) < 0.3) ++reached;
  }
  const double best = -history.outcome(history.ranked().front()).merit;
  EXPECT_LT(best, some_not_reached_from);
  const bool learns = GetParam().method != "random" && GetParam().method != "sobol";
  if (learns) {
    EXPECT_GE(reached, 20) << "of 40";
    EXPECT_LT(best, 20);
  }
}

std::vector<SamplerRow> proposing() {
  std::vector<SamplerRow> rows;
  for (const SamplerRow& row : sampler_table())
    if (row.method != "external" && row.method != "grid" && !is_population_method(row.method))
      rows.push_back(row);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Samplers, Censored, testing::ValuesIn(proposing()),
                         [](const auto& row) { return std::string(row.param.method); });

}  // namespace
}  // namespace hone
