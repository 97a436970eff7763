#include "placement/read/placement_file.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"

namespace hone::placement {

std::string placement_text(const Problem& problem, const Placement& placement) {
  Json devices = Json::object();
  for (std::size_t i = 0; i < problem.graph.nodes.size(); ++i)
    devices[problem.graph.nodes[i].name] =
        placement[static_cast<std::size_t>(problem.group_of_node[i])];
  return to_pretty_text({{"graph", problem.graph.name},
                         {"digest", digest_of(problem.graph)},
                         {"devices", problem.devices()},
                         {"placement", std::move(devices)}}) +
         "\n";
}

Result<Placement> read_placement(const Problem& problem, std::string_view text) {
  const auto document = parse_json(text);
  if (!document) return document.error();
  const auto found = document->is_object() ? document->find("placement") : document->end();
  if (!document->is_object() || found == document->end() || !found->is_object())
    return refuse(Code::invalid, "a placement is {\"placement\": {NODE: DEVICE, ...}}");
  Placement placement(static_cast<std::size_t>(problem.groups), -1);
  for (std::size_t i = 0; i < problem.graph.nodes.size(); ++i) {
    const std::string& name = problem.graph.nodes[i].name;
    const auto device = found->find(name);
    if (device == found->end())
      return refuse(Code::invalid, "node '" + name + "' has no device", "/placement");
    if (!device->is_number_integer() || device->get<std::int64_t>() < 0 ||
        device->get<std::int64_t>() >= problem.devices())
      return refuse(Code::invalid,
                    "node '" + name + "' must be on a device from 0 to " +
                        std::to_string(problem.devices() - 1),
                    "/placement/" + name);
    int& there = placement[static_cast<std::size_t>(problem.group_of_node[i])];
    if (there >= 0 && there != device->get<int>())
      return refuse(Code::invalid, "node '" + name + "' must be where its group is",
                    "/placement/" + name);
    there = device->get<int>();
  }
  if (found->size() != problem.graph.nodes.size())
    return refuse(Code::invalid, "the placement names " + std::to_string(found->size()) +
                                     " nodes, the graph has " +
                                     std::to_string(problem.graph.nodes.size()));
  return placement;
}

}  // namespace hone::placement
