// Fewer points of a series.
#include "server/api/sweeps/thinned.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hone::api {
namespace {

Json series(const std::string& name, int points) {
  Json list = Json::array();
  for (int i = 0; i < points; ++i) list.push_back({{"name", name}, {"step", i}, {"value", 2 * i}});
  return list;
}

std::vector<int> steps_of(const Json& points, const std::string& name) {
  std::vector<int> steps;
  for (const Json& point : points)
    if (point.at("name") == name) steps.push_back(point.at("step"));
  return steps;
}

TEST(Thinned, KeepsEveryKthPointAndTheLastOfEachSeries) {
  Json points = series("loss", 10);
  for (const Json& point : series("entropy", 3)) points.push_back(point);
  EXPECT_EQ(thin_by_name(points, 4), 3);
  EXPECT_EQ(steps_of(points, "loss"), (std::vector<int>{0, 3, 6, 9}));
  EXPECT_EQ(steps_of(points, "entropy"), (std::vector<int>{0, 1, 2}));
  Json uneven = series("loss", 9);
  thin_by_name(uneven, 4);
  EXPECT_EQ(steps_of(uneven, "loss"), (std::vector<int>{0, 3, 6, 8}));
}

TEST(Thinned, LeavesShortSeriesAndNoneAsTheyAre) {
  Json points = series("loss", 4);
  EXPECT_EQ(thin_by_name(points, 4), 1);
  EXPECT_EQ(points, series("loss", 4));
  Json none = Json::array();
  EXPECT_EQ(thin_by_name(none, 4), 1);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace hone::api
