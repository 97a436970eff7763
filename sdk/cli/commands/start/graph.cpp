// graph: shows a computation graph and the cost of placing it on devices. Needs no server.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/nearest.hpp"
#include "placement/baselines/baselines.hpp"
#include "placement/bound.hpp"
#include "placement/graphs/generators.hpp"
#include "placement/proof.hpp"
#include "placement/read/placement_file.hpp"
#include "placement/read/read.hpp"
#include "placement/setup.hpp"
#include "placement/simulator.hpp"
#include "placement/trace.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"

namespace hone::cli {
namespace {

using placement::Placement;
using placement::Problem;

struct GraphOptions {
  placement::Setup setup;
  bool dot = false;
  bool prove = false;
  std::string place;
  std::string trace;
  std::string out;
  std::string export_to;
  std::int64_t seed = 1;
};

Result<Exit> list_graphs(Session& session) {
  std::vector<Json> items;
  for (const auto& row : placement::graph_table()) {
    const auto graph = row.make();
    const auto totals = placement::totals_of(graph);
    items.push_back({{"name", row.name},
                     {"nodes", graph.nodes.size()},
                     {"edges", graph.edges.size()},
                     {"params", totals.params},
                     {"summary", row.summary}});
  }
  return print_list(session,
                    {{"name", "/name"},
                     {"nodes", "/nodes", CellType::count},
                     {"edges", "/edges", CellType::count},
                     {"params", "/params", CellType::count},
                     {"summary", "/summary", CellType::long_text}},
                    items, "");
}

Json describe_graph(const placement::Graph& graph, const Problem& problem,
                    const std::string& rule) {
  const auto totals = placement::totals_of(graph);
  Json group_counts = Json::object();
  for (const auto& row : placement::group_rules)
    group_counts[row.word] = placement::group(graph, row.rule).groups;
  return {{"graph", graph.name},
          {"digest", placement::digest_of(graph)},
          {"digest_with_shapes", placement::digest_with_shapes(graph)},
          {"nodes", graph.nodes.size()},
          {"edges", graph.edges.size()},
          {"training", graph.training},
          {"batch", graph.batch},
          {"params", totals.params},
          {"gmac_per_example", totals.flop / 2 / graph.batch / 1e9},
          {"out_mb_per_example", totals.out_bytes / graph.batch / 1e6},
          {"stored_mb_per_example", totals.stored_bytes / graph.batch / 1e6},
          {"kernels", totals.kernels},
          {"groups", std::move(group_counts)},
          {"grouped_by", rule},
          {"devices", problem.devices()},
          {"one_device_ms", problem.one_device_ms},
          {"critical_path_ms", placement::critical_path_ms(problem)},
          {"lower_bound_ms", placement::lower_bound_ms(problem)}};
}

Result<Exit> print_description(Session& session, const Json& description) {
  std::vector<RecordLine> lines;
  for (const auto& [key, value] : description.items())
    lines.push_back({key, value.is_object() ? params_text(value) : value_text(value)});
  return print_object(session, description, record_text(lines, session.screen()));
}

// The placement of a baseline, else of a file.
Result<Placement> placement_of(const Problem& problem, const GraphOptions& options,
                               const std::string& method) {
  if (const auto* baseline = placement::find_baseline(method))
    return baseline->place(problem, static_cast<std::uint64_t>(options.seed));
  std::error_code fault;
  if (!std::filesystem::exists(method, fault)) {
    std::vector<std::string_view> known{"all"};
    for (const auto& row : placement::baseline_table()) known.push_back(row.name);
    std::string listed;
    for (const auto name : known) listed += (listed.empty() ? "" : ", ") + std::string(name);
    return refuse(Code::invalid, "'" + method + "' is neither a method nor a placement file" +
                                     did_you_mean(method, known) + "; methods: " + listed);
  }
  const auto text = read_file(method);
  if (!text) return text.error();
  auto placed = placement::read_placement(problem, *text);
  if (!placed)
    return refuse(placed.error().code, method + ": " + placed.error().detail, placed.error().at);
  return placed;
}

Json placement_row(const Problem& problem, const GraphOptions& options, const std::string& method,
                   const Placement& placed, double search_s) {
  placement::Simulator simulator(problem);
  std::vector<double> bytes;
  const bool fits = placement::fits(problem, placed, bytes);
  if (bytes.empty()) placement::memory_of(problem, placed, bytes);
  const auto timeline = simulator.trace(placed);
  return {
      {"graph", problem.graph.name},
      {"devices", problem.devices()},
      {"grouped_by", options.setup.group},
      {"method", method},
      {"fits", fits},
      {"step_ms", fits ? Json(timeline.makespan_ms) : Json(nullptr)},
      {"of_one_device", fits ? Json(timeline.makespan_ms / problem.one_device_ms) : Json(nullptr)},
      {"of_lower_bound",
       fits ? Json(timeline.makespan_ms / placement::lower_bound_ms(problem)) : Json(nullptr)},
      {"transfers", timeline.transfers.size()},
      {"most_memory_gb", *std::max_element(bytes.begin(), bytes.end()) / 1e9},
      {"search_s", search_s},
      {"why", fits ? "" : "does not fit into memory, or a node may not run on its device"}};
}

// Whether any other placement could be faster.
std::string optimal_text(const Problem& problem, const Placement& placed) {
  const double step_ms = placement::Simulator(problem).makespan(placed);
  const bool proven = placement::prove(problem, {step_ms}) == placement::Verdict::impossible;
  return proven ? "yes: no placement of these groups on these devices is faster" : "not decided";
}

Fields placement_columns() {
  return {{"method", "/method"},
          {"step_ms", "/step_ms", CellType::number},
          {"of_one_device", "/of_one_device", CellType::number},
          {"of_lower_bound", "/of_lower_bound", CellType::number},
          {"transfers", "/transfers", CellType::count},
          {"most_memory_gb", "/most_memory_gb", CellType::number},
          {"search_s", "/search_s", CellType::number},
          {"why", "/why", CellType::long_text, Where::everywhere, true}};
}

Result<Exit> place_all(Session& session, const GraphOptions& options, const Problem& problem) {
  std::vector<Json> rows;
  for (const auto& baseline : placement::baseline_table()) {
    const auto started = std::chrono::steady_clock::now();
    const auto placed = baseline.place(problem, static_cast<std::uint64_t>(options.seed));
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
    if (placed)
      rows.push_back(
          placement_row(problem, options, std::string(baseline.name), *placed, spent.count()));
    else
      rows.push_back({{"graph", problem.graph.name},
                      {"devices", problem.devices()},
                      {"method", baseline.name},
                      {"fits", false},
                      {"step_ms", nullptr},
                      {"why", placed.error().detail}});
  }
  return print_list(session, placement_columns(), rows, "");
}

Result<Exit> place_one(Session& session, const GraphOptions& options, const Problem& problem) {
  const auto started = std::chrono::steady_clock::now();
  const auto placed = placement_of(problem, options, options.place);
  if (!placed) return placed.error();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
  if (!options.trace.empty())
    if (auto wrote = write_file(options.trace, placement::chrome_trace(problem, *placed)); !wrote)
      return wrote.error();
  if (!options.out.empty())
    if (auto wrote = write_file(options.out, placement::placement_text(problem, *placed)); !wrote)
      return wrote.error();
  if (options.dot) {
    std::vector<int> devices;
    for (const int group : problem.group_of_node)
      devices.push_back((*placed)[static_cast<std::size_t>(group)]);
    session.print(placement::dot_text(problem.graph, devices));
    return Exit::ok;
  }
  auto row = placement_row(problem, options, options.place, *placed, spent.count());
  if (options.prove && row.at("fits") == Json(true))
    row["optimal"] = optimal_text(problem, *placed);
  return print_description(session, row);
}

Result<Exit> show_graph(Session& session, const GraphOptions& options) {
  if (options.setup.graph.empty()) return list_graphs(session);
  const bool writes = !options.trace.empty() || !options.out.empty();
  if (writes && (options.place.empty() || options.place == "all"))
    return refuse(Code::invalid, "--trace and --out need --place METHOD");
  if (options.prove && (options.place.empty() || options.place == "all"))
    return refuse(Code::invalid, "--prove needs --place METHOD");
  auto graph = placement::load_graph(options.setup.graph);
  if (!graph) return std::move(graph).error();
  if (!options.export_to.empty())
    if (auto wrote = write_file(options.export_to, placement::json_text(*graph)); !wrote)
      return wrote.error();
  if (options.dot && options.place.empty()) {
    session.print(placement::dot_text(*graph, {}));
    return Exit::ok;
  }
  const auto problem = placement::set_up(*graph, options.setup);
  if (!problem) return problem.error();
  if (options.place == "all") return place_all(session, options, *problem);
  if (!options.place.empty()) return place_one(session, options, *problem);
  return print_description(session, describe_graph(*graph, *problem, options.setup.group));
}

}  // namespace

CommandAction declare_graph(Flags& flags) {
  return with_options(show_graph, [&](GraphOptions& options) {
    flags.optional_argument("GRAPH", options.setup.graph,
                            "a name, a JSON graph or a PipeDream profile (lists the names)");
    flags.flag("--dot", options.dot, "print for Graphviz; with --place, devices as colors");
    flags.text("--export FILE", options.export_to, "write the graph as JSON");
    flags.heading("Devices");
    flags.integer("--devices N", options.setup.devices, {0, placement::devices_max},
                  "number of accelerators (as the file says, or 2)");
    flags.text("--device KIND", options.setup.device, "k40, k80, p100, v100, a100, h100 or cpu");
    flags.integer("--cpus N", options.setup.cpus, {0, placement::devices_max},
                  "number of CPUs besides the accelerators (as the file says, or 0)");
    flags.real("--memory-gb GB", options.setup.memory_gb, {0, 1e6},
               "memory of each accelerator (as the file or the kind says)");
    flags.text("--links channel|pair", options.setup.links,
               "a device sends one tensor at a time, or one on each link of a pair");
    flags.heading("Placement");
    flags.text("--place METHOD|FILE", options.place,
               "single, expert, random, mincut, scotch, metis, m-topo, m-etf, m-sct, all");
    flags.text("--group op|chain|single|model", options.setup.group,
               "which operations are placed together, besides those that the file groups");
    flags.text("--trace FILE", options.trace, "write the step as a Chrome trace");
    flags.text("--out FILE", options.out, "write the placement as JSON");
    flags.flag("--prove", options.prove, "check whether any placement could be faster");
    flags.integer("--seed N", options.seed, {0, 1e15}, "seed of methods that draw");
  });
}

}  // namespace hone::cli
