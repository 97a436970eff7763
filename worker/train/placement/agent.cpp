#include "worker/train/placement/agent.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "worker/train/placement/post.hpp"
#include "worker/train/placement/seq2seq.hpp"

namespace hone::trainers {

std::unique_ptr<Agent> make_agent(const AgentPlan& plan) {
  if (plan.settings.word("agent") == "seq2seq") return std::make_unique<Seq2SeqAgent>(plan);
  return std::make_unique<SoftmaxAgent>(plan);
}

std::vector<placement::Placement> Agent::draw(int count, placement::RandomGenerator& generator) {
  std::vector<placement::Placement> drawn;
  for (int i = 0; i < count; ++i) drawn.push_back(sample(generator));
  return drawn;
}

bool fits(const placement::Placement& placement, std::size_t groups, std::size_t devices) {
  return placement.size() == groups && std::all_of(placement.begin(), placement.end(), [&](int d) {
           return d >= 0 && static_cast<std::size_t>(d) < devices;
         });
}

Json json_of(const std::vector<Sample>& samples) {
  Json list = Json::array();
  for (const Sample& sample : samples)
    list.push_back({sample.placement, sample.cost_ms, sample.ran});
  return list;
}

std::optional<std::vector<Sample>> read_samples(const Json& list, std::size_t groups,
                                                std::size_t devices) {
  std::vector<Sample> samples;
  try {
    for (const Json& item : list)
      samples.push_back({item.at(0).get<placement::Placement>(), item.at(1).get<double>(),
                         item.at(2).get<bool>()});
  } catch (const Json::exception&) {
    return std::nullopt;
  }
  for (const Sample& sample : samples)
    if (!fits(sample.placement, groups, devices)) return std::nullopt;
  return samples;
}

}  // namespace hone::trainers
