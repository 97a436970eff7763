#include "server/api/sweeps/thinned.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace hone::api {

int thin_by_name(Json& points, int most) {
  struct Series {
    int points = 0;
    int seen = 0;
  };
  std::map<std::string, Series> series;
  for (const Json& point : points) ++series[point.at("name")].points;
  int largest = 1;
  Json kept = Json::array();
  for (Json& point : points) {
    auto& one = series[point.at("name")];
    const int stride = (one.points + most - 1) / most;
    largest = std::max(largest, stride);
    if (one.seen % stride == 0 || one.seen + 1 == one.points) kept.push_back(std::move(point));
    ++one.seen;
  }
  points = std::move(kept);
  return largest;
}

}  // namespace hone::api
