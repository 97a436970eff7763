#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include "server/search/samplers/sampler.hpp"
#include "server/search/samplers/sobol/numbers.hpp"
#include "tests/unit/search/sampler_given.hpp"

namespace hone {
namespace {

double unscrambled(std::size_t dimension, std::uint32_t index) {
  return sobol_coordinate(sobol_directions(dimension), index) * 0x1.0p-32;
}

// The table on the authors' page (https://web.maths.unsw.edu.au/~fkuo/sobol/).
TEST(Sobol, unscrambled_points_are_the_published_ones) {
  const double points[10][3] = {{0, 0, 0},
                                {0.5, 0.5, 0.5},
                                {0.75, 0.25, 0.25},
                                {0.25, 0.75, 0.75},
                                {0.375, 0.375, 0.625},
                                {0.875, 0.875, 0.125},
                                {0.625, 0.125, 0.875},
                                {0.125, 0.625, 0.375},
                                {0.1875, 0.3125, 0.9375},
                                {0.6875, 0.8125, 0.4375}};
  for (std::uint32_t i = 0; i < 10; ++i)
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(unscrambled(j, i), points[i][j]);
}

// scipy.stats.qmc.Sobol(100, scramble=False) of SciPy 1.17.1, dimensions 1, 2, 3, 6, 21, 64, 100.
TEST(Sobol, later_points_in_high_dimensions_agree_with_another_implementation) {
  const std::size_t dimensions[] = {0, 1, 2, 5, 20, 63, 99};
  const std::pair<std::uint32_t, std::array<double, 7>> points[] = {
      {7, {0.125, 0.625, 0.375, 0.375, 0.875, 0.375, 0.625}},
      {100, {0.4140625, 0.2578125, 0.7734375, 0.7421875, 0.7578125, 0.6484375, 0.8828125}},
      {1023,
       {0.0009765625, 0.7529296875, 0.6123046875, 0.4384765625, 0.8662109375, 0.0400390625,
        0.5302734375}},
      {4095,
       {0.000244140625, 0.941162109375, 0.334228515625, 0.078857421875, 0.225830078125,
        0.553466796875, 0.962646484375}}};
  for (const auto& [index, values] : points)
    for (std::size_t k = 0; k < 7; ++k)
      EXPECT_EQ(unscrambled(dimensions[k], index), values[k]) << index << ", " << dimensions[k];
}

std::vector<Point> proposals(const SearchSpace& space, std::uint64_t seed, int count) {
  SearchSpec search;
  search.method = "sobol";
  search.trials = count;
  const auto sampler = *make_sampler(search, space);
  const History history(Goal::maximize, space.dimensions().size());
  std::vector<Point> points;
  for (int i = 0; i < count; ++i) points.push_back(*sampler->propose(space, history, {seed, i}));
  return points;
}

TEST(Sobol, scrambled_points_keep_one_in_every_stretch) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const SearchSpace space = cube(100);
    const auto points = proposals(space, seed, 64);
    for (std::size_t j = 0; j < 100; ++j) {
      std::array<int, 64> counts{};
      for (const Point& point : points) ++counts[static_cast<std::size_t>(point[j] * 64)];
      for (const int count : counts) ASSERT_EQ(count, 1) << "dimension " << j;
    }
  }
}

TEST(Sobol, the_first_two_dimensions_fill_every_box_of_a_net) {
  const SearchSpace space = cube(2);
  const auto points = proposals(space, 9, 64);
  std::array<int, 64> counts{};
  for (const Point& point : points)
    ++counts[static_cast<std::size_t>(point[0] * 8) * 8 + static_cast<std::size_t>(point[1] * 8)];
  for (const int count : counts) EXPECT_EQ(count, 1);
}

TEST(Sobol, another_seed_scrambles_otherwise) {
  const SearchSpace space = cube(3);
  EXPECT_NE(proposals(space, 1, 4), proposals(space, 2, 4));
}

TEST(Sobol, choices_come_in_the_shares_of_their_weights) {
  const SearchSpace space = *SearchSpace::make(
      {{"c", ChoiceDomain{{true, std::int64_t{2}, 0.5}, false, {1, 1, 2}}, ""}}, {});
  std::array<int, 3> counts{};
  for (const Point& point : proposals(space, 4, 64)) ++counts[static_cast<std::size_t>(point[0])];
  EXPECT_EQ(counts, (std::array<int, 3>{16, 16, 32}));
}

TEST(Sobol, dimensions_beyond_the_table_are_drawn_at_random) {
  const SearchSpace space = cube(110);
  double sum = 0;
  for (const Point& point : proposals(space, 5, 200)) sum += point[109];
  EXPECT_NEAR(sum / 200, 0.5, 5 / std::sqrt(12 * 200.0));
}

}  // namespace
}  // namespace hone
