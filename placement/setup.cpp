#include "placement/setup.hpp"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "base/nearest.hpp"
#include "placement/read/read.hpp"

namespace hone::placement {
namespace {

Error unknown_choice(const std::string& what, const std::string& word,
                     const std::vector<std::string_view>& known) {
  std::string listed;
  for (const auto name : known) listed += (listed.empty() ? "" : ", ") + std::string(name);
  return refuse(Code::invalid, "no " + what + " '" + word + "'" + did_you_mean(word, known) +
                                   "; it is one of: " + listed);
}

Result<GroupRule> rule_of(const std::string& word) {
  std::vector<std::string_view> known;
  for (const GroupRuleRow& row : group_rules) {
    if (row.word == word) return row.rule;
    known.push_back(row.word);
  }
  return unknown_choice("co-location rule", word, known);
}

int first_known(std::initializer_list<int> counts) {
  return *std::find_if(counts.begin(), counts.end(), [](int count) { return count >= 0; });
}

Result<Cluster> cluster_for(const Graph& graph, const Setup& setup) {
  const DeviceProfile* profile = find_device(setup.device);
  if (profile == nullptr) {
    std::vector<std::string_view> known;
    for (const DeviceProfile& row : device_table()) known.push_back(row.name);
    return unknown_choice("device", setup.device, known);
  }
  const int devices = first_known({setup.devices, graph.devices, 2});
  const int cpus = first_known({setup.cpus, graph.cpus, 0});
  if (devices + cpus < 1 || devices + cpus > devices_max)
    return refuse(Code::invalid, "there must be 1 to " + std::to_string(devices_max) + " devices");
  if (setup.links != "channel" && setup.links != "pair")
    return unknown_choice("kind of link", setup.links, {"channel", "pair"});
  DeviceProfile device = *profile;
  if (setup.memory_gb > 0) device.memory_bytes = 1e9 * setup.memory_gb;
  Cluster cluster = cluster_of(device, devices, cpus);
  cluster.links = setup.links == "pair" ? Links::pair : Links::channel;
  return cluster;
}

}  // namespace

Result<Problem> set_up(const Setup& setup) {
  auto graph = load_graph(setup.graph);
  if (!graph) return std::move(graph).error();
  return set_up(*std::move(graph), setup);
}

Result<Problem> set_up(Graph graph, const Setup& setup) {
  const auto rule = rule_of(setup.group);
  if (!rule) return rule.error();
  auto cluster = cluster_for(graph, setup);
  if (!cluster) return std::move(cluster).error();
  if (setup.memory_gb > 0) graph.device_bytes = 0;
  return make_problem(graph, {*rule, *std::move(cluster)});
}

}  // namespace hone::placement
