#include "sdk/cli/local/graph_digest.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "placement/graphs/generators.hpp"
#include "placement/read/read.hpp"

namespace hone::cli {

Status name_graph(Json& sweep) {
  const auto trainer = sweep.find("trainer");
  if (trainer == sweep.end() || !trainer->is_object() ||
      trainer->value("name", Json()) != Json("placement"))
    return Done{};
  const auto named = trainer->find("graph");
  if (named == trainer->end() || !named->is_string()) return Done{};
  const auto name = named->get<std::string>();
  const auto graph = placement::load_graph(name);
  if (!graph) return refuse(Code::invalid, graph.error().detail, "/trainer/graph");
  if (placement::find_graph(name) == nullptr)
    (*trainer)["graph"] = std::filesystem::absolute(name).string();
  const auto parameters = sweep.find("parameters");
  const bool encodes = trainer->contains("encoder") ||
                       (parameters != sweep.end() && parameters->contains("encoder"));
  if (!trainer->contains("graph_digest"))
    (*trainer)["graph_digest"] =
        encodes ? placement::digest_with_shapes(*graph) : placement::digest_of(*graph);
  return Done{};
}

}  // namespace hone::cli
