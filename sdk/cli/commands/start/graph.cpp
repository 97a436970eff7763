// graph: a computation graph, and what a placement of it on devices costs. Needs no server.
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
#include "sdk/cli/session/output.hpp"

namespace hone::cli {
namespace {

using placement::Placement;
using placement::Problem;

struct Wish {
  placement::Setup setup;
  bool dot = false;
  bool prove = false;
  std::string place;
  std::string trace;
  std::string out;
  std::string export_to;
  std::int64_t seed = 1;
};

Status write_file(const std::string& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) return refuse(Code::invalid, "cannot write " + file);
  return Done{};
}

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
                     {"nodes", "/nodes", Manner::count},
                     {"edges", "/edges", Manner::count},
                     {"params", "/params", Manner::count},
                     {"summary", "/summary", Manner::long_text}},
                    items, "");
}

Json describe(const placement::Graph& graph, const Problem& problem, const std::string& rule) {
  const auto totals = placement::totals_of(graph);
  Json groups = Json::object();
  for (const auto& row : placement::group_rules)
    groups[row.word] = placement::group(graph, row.rule).groups;
  return {{"graph", graph.name},
          {"digest", placement::digest_of(graph)},
          {"nodes", graph.nodes.size()},
          {"edges", graph.edges.size()},
          {"training", graph.training},
          {"batch", graph.batch},
          {"params", totals.params},
          {"gmac_per_example", totals.flop / 2 / graph.batch / 1e9},
          {"out_mb_per_example", totals.out_bytes / graph.batch / 1e6},
          {"stored_mb_per_example", totals.stored_bytes / graph.batch / 1e6},
          {"kernels", totals.kernels},
          {"groups", std::move(groups)},
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

Result<std::string> file_text(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return refuse(Code::not_found, "cannot read " + file);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

// A baseline's name, else a file.
Result<Placement> placement_of(const Problem& problem, const Wish& wish,
                               const std::string& method) {
  if (const auto* baseline = placement::find_baseline(method))
    return baseline->place(problem, static_cast<std::uint64_t>(wish.seed));
  std::error_code fault;
  if (!std::filesystem::exists(method, fault)) {
    std::vector<std::string_view> known{"all"};
    for (const auto& row : placement::baseline_table()) known.push_back(row.name);
    std::string listed;
    for (const auto name : known) listed += (listed.empty() ? "" : ", ") + std::string(name);
    return refuse(Code::invalid, "no method and no placement file '" + method + "'" +
                                     did_you_mean(method, known) + "; methods: " + listed);
  }
  const auto text = file_text(method);
  if (!text) return text.error();
  auto placed = placement::read_placement(problem, *text);
  if (!placed)
    return refuse(placed.error().code, method + ": " + placed.error().detail, placed.error().at);
  return placed;
}

Json row_of(const Problem& problem, const Wish& wish, const std::string& method,
            const Placement& placed, double search_s) {
  placement::Simulator simulator(problem);
  std::vector<double> bytes;
  const bool fits = placement::fits(problem, placed, bytes);
  if (bytes.empty()) placement::memory_of(problem, placed, bytes);
  const auto timeline = simulator.trace(placed);
  return {
      {"graph", problem.graph.name},
      {"devices", problem.devices()},
      {"grouped_by", wish.setup.group},
      {"method", method},
      {"fits", fits},
      {"step_ms", fits ? Json(timeline.makespan_ms) : Json(nullptr)},
      {"of_one_device", fits ? Json(timeline.makespan_ms / problem.one_device_ms) : Json(nullptr)},
      {"of_lower_bound",
       fits ? Json(timeline.makespan_ms / placement::lower_bound_ms(problem)) : Json(nullptr)},
      {"transfers", timeline.transfers.size()},
      {"most_memory_gb", *std::max_element(bytes.begin(), bytes.end()) / 1e9},
      {"search_s", search_s},
      {"why", fits ? "" : "does not fit the memory, or a node may not run where it is"}};
}

// Whether anything could be faster than a placement that fits.
std::string optimal_text(const Problem& problem, const Placement& placed) {
  const double step_ms = placement::Simulator(problem).makespan(placed);
  const bool proven = placement::prove(problem, {step_ms}) == placement::Verdict::impossible;
  return proven ? "yes: no placement of these groups on these devices is faster" : "not decided";
}

Fields row_fields() {
  return {{"method", "/method"},
          {"step_ms", "/step_ms", Manner::number},
          {"of_one_device", "/of_one_device", Manner::number},
          {"of_lower_bound", "/of_lower_bound", Manner::number},
          {"transfers", "/transfers", Manner::count},
          {"most_memory_gb", "/most_memory_gb", Manner::number},
          {"search_s", "/search_s", Manner::number},
          {"why", "/why", Manner::long_text, Where::everywhere, true}};
}

Result<Exit> place_all(Session& session, const Wish& wish, const Problem& problem) {
  std::vector<Json> rows;
  for (const auto& baseline : placement::baseline_table()) {
    const auto started = std::chrono::steady_clock::now();
    const auto placed = baseline.place(problem, static_cast<std::uint64_t>(wish.seed));
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
    if (placed)
      rows.push_back(row_of(problem, wish, std::string(baseline.name), *placed, spent.count()));
    else
      rows.push_back({{"graph", problem.graph.name},
                      {"devices", problem.devices()},
                      {"method", baseline.name},
                      {"fits", false},
                      {"step_ms", nullptr},
                      {"why", placed.error().detail}});
  }
  return print_list(session, row_fields(), rows, "");
}

Result<Exit> place_one(Session& session, const Wish& wish, const Problem& problem) {
  const auto started = std::chrono::steady_clock::now();
  const auto placed = placement_of(problem, wish, wish.place);
  if (!placed) return placed.error();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
  if (!wish.trace.empty())
    if (auto wrote = write_file(wish.trace, placement::chrome_trace(problem, *placed)); !wrote)
      return wrote.error();
  if (!wish.out.empty())
    if (auto wrote = write_file(wish.out, placement::placement_text(problem, *placed)); !wrote)
      return wrote.error();
  if (wish.dot) {
    std::vector<int> devices;
    for (const int group : problem.group_of_node)
      devices.push_back((*placed)[static_cast<std::size_t>(group)]);
    session.print(placement::dot_text(problem.graph, devices));
    return Exit::ok;
  }
  auto row = row_of(problem, wish, wish.place, *placed, spent.count());
  if (wish.prove && row.at("fits") == Json(true)) row["optimal"] = optimal_text(problem, *placed);
  return print_description(session, row);
}

Result<Exit> run(Session& session, const Wish& wish) {
  if (wish.setup.graph.empty()) return list_graphs(session);
  const bool writes = !wish.trace.empty() || !wish.out.empty();
  if (writes && (wish.place.empty() || wish.place == "all"))
    return refuse(Code::invalid, "--trace and --out need --place METHOD");
  if (wish.prove && (wish.place.empty() || wish.place == "all"))
    return refuse(Code::invalid, "--prove needs --place METHOD");
  auto graph = placement::load_graph(wish.setup.graph);
  if (!graph) return std::move(graph).error();
  if (!wish.export_to.empty())
    if (auto wrote = write_file(wish.export_to, placement::json_text(*graph)); !wrote)
      return wrote.error();
  if (wish.dot && wish.place.empty()) {
    session.print(placement::dot_text(*graph, {}));
    return Exit::ok;
  }
  const auto problem = placement::set_up(*graph, wish.setup);
  if (!problem) return problem.error();
  if (wish.place == "all") return place_all(session, wish, *problem);
  if (!wish.place.empty()) return place_one(session, wish, *problem);
  return print_description(session, describe(*graph, *problem, wish.setup.group));
}

}  // namespace

Work declare_graph(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.optional_argument("GRAPH", wish->setup.graph,
                          "its name, a JSON graph or a PipeDream profile; none: list the names");
  flags.flag("--dot", wish->dot, "print it for Graphviz, devices as colours with --place");
  flags.text("--export FILE", wish->export_to, "write the graph as JSON");
  flags.heading("Devices");
  flags.integer("--devices N", wish->setup.devices, {0, placement::devices_max}, "accelerators");
  flags.text("--device KIND", wish->setup.device, "k40, k80, p100, v100, a100, h100 or cpu");
  flags.integer("--cpus N", wish->setup.cpus, {0, placement::devices_max}, "CPUs beside them");
  flags.real("--memory-gb GB", wish->setup.memory_gb, {0, 1e6},
             "of each accelerator, instead of what the file or the kind says");
  flags.text("--links channel|pair", wish->setup.links,
             "a device sends one tensor at a time, or one on each link of a pair");
  flags.heading("Placement");
  flags.text("--place METHOD|FILE", wish->place,
             "single, expert, random, mincut, scotch, metis, m-topo, m-etf, m-sct, all");
  flags.text("--group op|chain|single|model", wish->setup.group,
             "what is placed together, beside what the file demands");
  flags.text("--trace FILE", wish->trace, "write the step as Chrome trace JSON");
  flags.text("--out FILE", wish->out, "write the placement as JSON");
  flags.flag("--prove", wish->prove, "say whether any placement could be faster");
  flags.integer("--seed N", wish->seed, {0, 1e15}, "of methods that draw");
  return [wish](Session& session) { return run(session, *wish); };
}

}  // namespace hone::cli
