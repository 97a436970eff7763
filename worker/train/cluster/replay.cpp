#include "worker/train/cluster/replay.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace hone::trainers {
namespace {

bool is_sound(const Experience& item, std::size_t action_inputs, std::size_t value_inputs) {
  return item.chosen < item.inputs.size() && item.state.size() == value_inputs &&
         item.probability > 0 &&
         std::all_of(item.inputs.begin(), item.inputs.end(),
                     [&](const auto& input) { return input.size() == action_inputs; });
}

}  // namespace

void PlacementReplay::add(Experience experience) {
  items_.push_back(std::move(experience));
  while (items_.size() > capacity_) items_.pop_front();
}

Json PlacementReplay::state() const {
  Json list = Json::array();
  for (const Experience& item : items_)
    list.push_back({item.inputs, item.chosen, item.probability, item.state, item.reward});
  return list;
}

bool PlacementReplay::restore(const Json& state, std::size_t action_inputs,
                              std::size_t value_inputs) {
  if (!state.is_array() || state.size() > capacity_) return false;
  items_.clear();
  try {
    for (const Json& row : state) {
      Experience item{row.at(0).get<std::vector<std::vector<double>>>(),
                      row.at(1).get<std::size_t>(), row.at(2).get<double>(),
                      row.at(3).get<std::vector<double>>(), row.at(4).get<double>()};
      if (!is_sound(item, action_inputs, value_inputs)) return false;
      items_.push_back(std::move(item));
    }
  } catch (const Json::exception&) {
    return false;
  }
  return true;
}

}  // namespace hone::trainers
