#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "schemas/types/search_spec.hpp"
#include "server/search/samplers/sampler.hpp"

namespace hone {
namespace {

Result<std::unique_ptr<Sampler>> grid(const SearchSpace& space, std::int64_t trials,
                                      Params settings = {}) {
  SearchSpec search;
  search.method = "grid";
  search.trials = trials;
  search.settings = std::move(settings);
  return make_sampler(search, space);
}

std::string words(const Params& params) {
  std::string text;
  for (const Param& param : params) {
    text += (text.empty() ? "" : " ") + param.name + "=";
    if (const auto* number = std::get_if<std::int64_t>(&param.value))
      text += std::to_string(*number);
    if (const auto* flag = std::get_if<bool>(&param.value)) text += *flag ? "yes" : "no";
    if (const auto* real = std::get_if<double>(&param.value))
      text += std::to_string(*real).substr(0, 4);
  }
  return text;
}

std::vector<std::string> walk(const SearchSpace& space, const Sampler& sampler, int trials) {
  History history(Goal::minimize, space.dimensions().size());
  std::vector<std::string> seen;
  for (int i = 0; i < trials; ++i) {
    const auto point = sampler.propose(space, history, {1, i});
    if (!point) break;
    seen.push_back(words(space.params_at(*point)));
    history.add_trial(*space.point_of(space.params_at(*point)));
  }
  return seen;
}

const Space clipped{{"layers", IntDomain{1, 3, Scale::linear, 2, {}}, ""},
                    {"clip", BoolDomain{}, ""},
                    {"norm", FloatDomain{0, 1, Scale::linear, {}, {}}, "clip"},
                    {"deep", BoolDomain{}, "layers > 2 and clip and norm > 0.7"}};

TEST(Grid, visits_every_combination_once_in_the_order_of_nested_loops) {
  const SearchSpace space = *SearchSpace::make(clipped, {});
  const auto sampler = grid(space, 9, {{"points", std::int64_t{3}}});
  ASSERT_TRUE(sampler.ok()) << sampler.error().detail;
  EXPECT_EQ(walk(space, **sampler, 9),
            (std::vector<std::string>{
                "layers=1 clip=no", "layers=1 clip=yes norm=0.00", "layers=1 clip=yes norm=0.50",
                "layers=1 clip=yes norm=1.00", "layers=3 clip=no", "layers=3 clip=yes norm=0.00",
                "layers=3 clip=yes norm=0.50", "layers=3 clip=yes norm=1.00 deep=no",
                "layers=3 clip=yes norm=1.00 deep=yes"}));
}

TEST(Grid, refuses_more_trials_than_it_has_and_says_how_many_it_has) {
  const SearchSpace space = *SearchSpace::make(clipped, {});
  const auto sampler = grid(space, 10, {{"points", std::int64_t{3}}});
  ASSERT_FALSE(sampler.ok());
  EXPECT_EQ(sampler.error().at, "/search/trials");
  EXPECT_NE(sampler.error().detail.find("9 combinations"), std::string::npos);
}

TEST(Grid, leaves_infeasible_combinations_out) {
  const SearchSpace space = *SearchSpace::make(clipped, {"norm < 0.9", "layers < 2 or clip"});
  const auto sampler = grid(space, 5, {{"points", std::int64_t{3}}});
  ASSERT_TRUE(sampler.ok()) << sampler.error().detail;
  EXPECT_EQ(walk(space, **sampler, 5),
            (std::vector<std::string>{"layers=1 clip=no", "layers=1 clip=yes norm=0.00",
                                      "layers=1 clip=yes norm=0.50", "layers=3 clip=yes norm=0.00",
                                      "layers=3 clip=yes norm=0.50"}));
  EXPECT_FALSE(grid(space, 6, {{"points", std::int64_t{3}}}).ok());
}

TEST(Grid, does_not_repeat_what_a_user_enqueued) {
  const SearchSpace space = *SearchSpace::make(clipped, {});
  const auto sampler = grid(space, 9, {{"points", std::int64_t{3}}});
  History history(Goal::minimize, 4);
  history.add_trial(*space.point_of({{"layers", std::int64_t{1}}, {"clip", false}}));
  history.add_trial(*space.point_of(
      {{"layers", std::int64_t{1}}, {"clip", true}, {"norm", 0.3}}));  // off the grid
  const auto point = (*sampler)->propose(space, history, {1, 2});
  EXPECT_EQ(words(space.params_at(*point)), "layers=1 clip=yes norm=0.00");
}

TEST(Grid, covers_steps_choices_logs_and_priors_without_repeating_one) {
  const SearchSpace space =
      *SearchSpace::make({{"a", FloatDomain{0.1, 1, Scale::linear, 0.3, {}}, ""},
                          {"b", IntDomain{1, 8, Scale::log, 1, Prior{2, 0.1}}, ""},
                          {"c", ChoiceDomain{{0.5, std::int64_t{1}, true}, true, {1, 1, 8}}, ""},
                          {"d", FloatDomain{1e-4, 1, Scale::log, {}, Prior{1e-2, 0.2}}, ""}},
                         {});
  const auto sampler = grid(space, 4 * 8 * 3 * 5);
  ASSERT_TRUE(sampler.ok()) << sampler.error().detail;
  History history(Goal::minimize, 4);
  std::vector<Params> seen;
  for (int i = 0; i < 480; ++i) {
    const auto point = (*sampler)->propose(space, history, {1, i});
    ASSERT_TRUE(point.has_value());
    const Params params = space.params_at(*point);
    EXPECT_EQ(std::ranges::find(seen, params), seen.end()) << i;
    seen.push_back(params);
    history.add_trial(*space.point_of(params));
  }
  EXPECT_EQ(seen.size(), 480U);
  EXPECT_FALSE((*sampler)->propose(space, history, {1, 480}).has_value());
}

}  // namespace
}  // namespace hone
