#include "sdk/cli/commands/start/simulate_cluster.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "schemas/codec/json.hpp"
#include "sdk/cli/local/ticker.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cpp/sweep_file.hpp"
#include "server/cluster/harmony/harmony.hpp"
#include "server/cluster/read.hpp"
#include "server/cluster/summary.hpp"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;
using cluster::ClusterSetup;

Result<ClusterSetup> read_cluster_file(const ClusterOptions& options) {
  auto file = read_sweep_file(options.file);
  if (!file) return refuse(file.error().code, file.error().detail);
  for (const auto& assignment : options.assignments)
    if (const auto set = set_path(file->document, assignment); !set)
      return refuse(Code::invalid, "--set " + assignment + ": " + set.error().detail);
  auto setup = cluster::read_setup(file->document);
  if (!setup)
    return refuse(Code::invalid, file->place(setup.error().at) + ": " +
                                     (setup.error().at.empty() ? "" : setup.error().at + ": ") +
                                     setup.error().detail);
  return setup;
}

// A file that a cluster file names is relative to it.
Result<std::string> read_named(const ClusterOptions& options, const std::string& name,
                               std::string_view what, std::size_t bytes_max) {
  const fs::path path = fs::path(options.file).parent_path() / name;
  std::error_code fault;
  const auto size = fs::file_size(path, fault);  // fails for what is no plain file
  if (fault)
    return refuse(Code::not_found, "cannot read " + std::string(what) + " " + path.string());
  if (size > bytes_max)
    return refuse(Code::too_large,
                  path.string() + " is larger than " + std::to_string(bytes_max >> 20U) + " MiB");
  return read_file(path);
}

// The samples N of a file "validation-N.csv"; 0 for other names.
int validated_samples(std::string_view name) {
  constexpr std::string_view before = "validation-", after = ".csv";
  if (!name.starts_with(before) || !name.ends_with(after)) return 0;
  name.remove_prefix(before.size());
  name.remove_suffix(after.size());
  int samples = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), samples);
  return fault == std::errc{} && end == name.data() + name.size() ? std::max(samples, 0) : 0;
}

Result<cluster::Profile> read_profile(const ClusterOptions& options, const std::string& folder,
                                      const cluster::ProfileLimits& limits) {
  constexpr std::size_t bytes_max = 1U << 20U, validations_max = 64;
  cluster::ProfileFiles files;
  auto placements = read_named(options, folder + "/placements.csv", "the profile", bytes_max);
  if (!placements) return placements.error();
  files.placements = *std::move(placements);
  const fs::path path = fs::path(options.file).parent_path() / folder;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(path, fault)) {
    const std::string name = entry.path().filename().string();
    const int samples = validated_samples(name);
    if (samples == 0 && name != "scalability.csv") continue;
    auto text = read_named(options, folder + "/" + name, "the profile", bytes_max);
    if (!text) return text.error();
    (samples == 0 ? files.scalability : files.validations[samples]) = *std::move(text);
    if (files.validations.size() > validations_max)
      return refuse(Code::too_large, path.string() + " has more than 64 files validation-N.csv");
  }
  auto profile = cluster::Profile::read(files, limits);
  if (!profile) return refuse(Code::invalid, path.string() + "/" + profile.error().detail);
  return profile;
}

// One profile for each folder in the folder of profiles.
Result<cluster::Profiles> read_profiles(const ClusterOptions& options,
                                        const cluster::TraceSource& source) {
  const fs::path path = fs::path(options.file).parent_path() / source.profiles;
  cluster::Profiles profiles;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(path, fault)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory(fault)) continue;
    if (profiles.size() == cluster::types_max)
      return refuse(Code::too_large, path.string() + " has more than " +
                                         std::to_string(cluster::types_max) + " profiles");
    const auto limits = source.limits.find(name);
    auto profile =
        read_profile(options, source.profiles + "/" + name,
                     limits == source.limits.end() ? cluster::ProfileLimits{} : limits->second);
    if (!profile) return profile.error();
    profiles.emplace(name, std::make_shared<const cluster::Profile>(*std::move(profile)));
  }
  if (profiles.empty())
    return refuse(Code::not_found, path.string() + " has no folders of profiles");
  for (const auto& [name, ignored] : source.limits)
    if (!profiles.contains(name))
      return refuse(Code::invalid, "limits: there is no profile '" + name + "'");
  return profiles;
}

Result<cluster::Trace> read_trace(const ClusterOptions& options,
                                  const cluster::TraceSource& source) {
  const auto rows = read_named(options, source.file, "the trace", cluster::trace_bytes_max);
  if (!rows) return rows.error();
  switch (source.format) {
    case cluster::TraceFormat::philly:
      return cluster::read_philly_trace(*rows, source.jobs);
    case cluster::TraceFormat::pollux: {
      const auto profiles = read_profiles(options, source);
      if (!profiles) return profiles.error();
      return cluster::read_pollux_trace(*rows, *profiles, source.jobs);
    }
    case cluster::TraceFormat::gavel:
      break;
  }
  const auto table = read_named(options, source.throughputs, "the table", cluster::trace_bytes_max);
  if (!table) return table.error();
  const auto json = parse_json(*table);
  if (!json)
    return refuse(Code::invalid, source.throughputs + " is no JSON: " + json.error().detail);
  return cluster::read_gavel_trace(*rows, *json, source.gpu, source.jobs);
}

Status read_pair_table(const ClusterOptions& options, ClusterSetup& setup) {
  const cluster::PairSource& source = *setup.pair_source;
  const auto text = read_named(options, source.throughputs, "the table", cluster::trace_bytes_max);
  if (!text) return text.error();
  const auto json = parse_json(*text);
  if (!json)
    return refuse(Code::invalid, source.throughputs + " is no JSON: " + json.error().detail);
  auto table = cluster::PairTable::read(*json, setup.kinds, source.reference);
  if (!table) return refuse(Code::invalid, "/pairs: " + table.error().detail);
  setup.types.clear();
  for (const std::string& name : table->types()) setup.types.emplace_back().name = name;
  setup.pair_table = std::make_shared<const cluster::PairTable>(*std::move(table));
  return Done{};
}

// A setup and where its jobs come from.
struct Scene {
  ClusterSetup setup;
  std::optional<std::vector<cluster::Job>> recorded;  // else drawn for each seed
  std::string data;                                   // what the figures rest on
  int seeds = 1;
};

Result<Scene> read_scene(const ClusterOptions& options) {
  auto setup = read_cluster_file(options);
  if (!setup) return setup.error();
  Scene scene{*std::move(setup), {}, "", options.seeds};
  constexpr int seeds_drawn = 20, seeds_recorded = 1;
  if (scene.seeds == 0) scene.seeds = scene.setup.trace ? seeds_recorded : seeds_drawn;
  const std::string source =
      scene.setup.source.empty() ? "its file names no source" : scene.setup.source;
  if (scene.setup.pair_source)
    if (auto read = read_pair_table(options, scene.setup); !read) return read.error();
  if (!scene.setup.trace) {
    scene.data = counted(scene.setup.workload.jobs, "drawn job") + " a seed; " + source;
    return scene;
  }
  auto trace = read_trace(options, *scene.setup.trace);
  if (!trace) return refuse(trace.error().code, "/trace: " + trace.error().detail);
  scene.data = counted(trace->jobs.size(), "recorded job") + " of " + scene.setup.trace->file +
               " (" + counted(trace->skipped, "row") + " skipped); " + source;
  scene.setup.types = std::move(trace->types);
  if (auto fits = cluster::check_fits(scene.setup, trace->jobs); !fits) return fits.error();
  scene.recorded = std::move(trace->jobs);
  return scene;
}

// A policy of the comparison.
struct Contender {
  std::string name;
  std::string_view about;
  bool knows = false;
  cluster::Scheduler scheduler;
  std::unique_ptr<cluster::HarmonyModel> model;  // of a learned one: the scheduler borrows it
  std::string file;                              // of the model
};

Contender contender_of(const cluster::PolicyRow& row) {
  return {std::string(row.name), row.summary, row.knows, cluster::scheduler_of(row), nullptr, ""};
}

Result<Contender> learned_contender(const ClusterOptions& options, const ClusterSetup& setup,
                                    const cluster::PolicyChoice& choice) {
  const auto text = read_named(options, choice.model, "the model", cluster::harmony_bytes_max);
  if (!text) return text.error();
  const auto json = parse_json(*text);
  auto model = json ? cluster::read_harmony(*json, setup)
                    : refuse(Code::invalid, "it is no JSON: " + json.error().detail);
  if (!model) return refuse(Code::invalid, choice.model + ": " + model.error().detail);
  const cluster::LearnedRow& row = *cluster::find_learned(choice.name);
  Contender contender{choice.name,
                      row.summary,
                      false,
                      {},
                      std::make_unique<cluster::HarmonyModel>(*std::move(model)),
                      choice.model};
  contender.scheduler = cluster::scheduler_of(row, *contender.model);
  return contender;
}

// In the order of the result: those of the file, then of --against, then the oracle. Without any:
// every row of the table that does not know the truth.
Result<std::vector<Contender>> contenders_of(const ClusterSetup& setup,
                                             const ClusterOptions& options) {
  std::vector<cluster::PolicyChoice> choices = setup.policies;
  for (const std::string& name : options.against) choices.push_back({name, ""});
  if (choices.empty())
    for (const cluster::PolicyRow& row : cluster::policy_table())
      if (!row.knows && suits(row, setup.rule)) choices.push_back({std::string(row.name), ""});
  std::erase(choices, cluster::PolicyChoice{setup.oracle, ""});
  choices.push_back({setup.oracle, ""});
  std::vector<std::string_view> known;
  for (const cluster::PolicyRow& row : cluster::policy_table()) known.push_back(row.name);
  const auto hint = [&](const std::string& name) {
    return cluster::find_learned(name) != nullptr
               ? "; it is learned: write {" + name + ": MODEL} among the policies of the file"
               : did_you_mean(name, known);
  };
  std::vector<Contender> contenders;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (std::find(choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(i), choices[i]) !=
        choices.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    if (!choices[i].model.empty()) {
      auto learned = learned_contender(options, setup, choices[i]);
      if (!learned) return learned.error();
      contenders.push_back(*std::move(learned));
      continue;
    }
    const cluster::PolicyRow* row = cluster::find_policy(choices[i].name);
    if (row == nullptr)
      return refuse(Code::invalid,
                    "--against has no policy '" + choices[i].name + "'" + hint(choices[i].name));
    if (!suits(*row, setup.rule))
      return refuse(Code::invalid, "policy '" + choices[i].name + "' is not for this rule");
    contenders.push_back(contender_of(*row));
  }
  return contenders;
}

Json json_of(const cluster::MeanOfSeeds& value) {
  return {{"mean", value.mean}, {"se", value.standard_error}};
}

Json row_json(const Scene& scene, const ClusterOptions& options, const Contender& contender,
              const cluster::Summary& summary, const cluster::Summary& oracle) {
  const ClusterSetup& setup = scene.setup;
  return {{"simulated", true},
          {"setup", setup.name},
          {"data", scene.data},
          {"policy", contender.name},
          {"model", contender.file.empty() ? Json(nullptr) : Json(contender.file)},
          {"about", contender.about},
          {"knows_the_truth", contender.knows},
          {"first_seed", options.seed},
          {"seeds", summary.seeds},
          {"completion_s", json_of(summary.completion_s)},
          {"completions_of_seeds_s", summary.completions_of_seeds_s},
          {"median_s", summary.median_s},
          {"p95_s", summary.p95_s},
          {"makespan_s", json_of(summary.makespan_s)},
          {"waiting_s", json_of(summary.waiting_s)},
          {"slots_busy", json_of(summary.slots_busy)},
          {"gpus_busy", setup.gpus() > 0 ? json_of(summary.gpus_busy) : Json(nullptr)},
          {"moves", summary.moves},
          {"oracle", setup.oracle},
          {"of_oracle", json_of(cluster::relative_completion(summary, oracle))}};
}

Fields cluster_columns() {
  const auto everywhere = Where::everywhere;
  return {{"policy", "/policy"},
          {"model", "/model", CellType::text, everywhere, true},
          {"mean s", "/completion_s/mean", CellType::number},
          {"± se", "/completion_s/se", CellType::number},
          {"median s", "/median_s", CellType::number},
          {"p95 s", "/p95_s", CellType::number},
          {"makespan s", "/makespan_s/mean", CellType::number},
          {"waiting s", "/waiting_s/mean", CellType::number},
          {"slots busy", "/slots_busy/mean", CellType::number},
          {"gpus busy", "/gpus_busy/mean", CellType::number, everywhere, true},
          {"moves", "/moves", CellType::number, everywhere, true},
          {"of oracle", "/of_oracle/mean", CellType::number},
          {"oracle", "/oracle", CellType::text, Where::data_only},
          {"of oracle se", "/of_oracle/se", CellType::number, Where::data_only},
          {"simulated", "/simulated", CellType::text, Where::data_only},
          {"setup", "/setup", CellType::text, Where::data_only},
          {"data", "/data", CellType::text, Where::data_only},
          {"first seed", "/first_seed", CellType::number, Where::data_only},
          {"seeds", "/seeds", CellType::number, Where::data_only}};
}

// Names the data behind the figures of the table.
std::string heading(const Scene& scene, const ClusterOptions& options) {
  const ClusterSetup& setup = scene.setup;
  return "Simulated, not measured: " + setup.name + ", " + counted(setup.servers.size(), "server") +
         ", seeds " + std::to_string(options.seed) + " to " +
         std::to_string(options.seed + scene.seeds - 1) + "; " + scene.data +
         ".\nSeconds until a job has completed, from its arrival; of oracle: mean divided by that "
         "of " +
         setup.oracle + ".\n\n";
}

// One tally for each policy.
Result<std::vector<cluster::Tally>> run_all(Session& session, const ClusterOptions& options,
                                            const Scene& scene,
                                            const std::vector<Contender>& contenders) {
  std::vector<cluster::Tally> tallies(contenders.size());
  Ticker ticker(session, static_cast<std::int64_t>(contenders.size()) * scene.seeds, "simulations");
  for (int i = 0; i < scene.seeds; ++i) {
    const auto seed = static_cast<std::uint64_t>(options.seed + i);
    const auto jobs = scene.recorded ? *scene.recorded : cluster::draw_jobs(scene.setup, seed);
    for (std::size_t p = 0; p < contenders.size(); ++p) {
      const auto outcome = cluster::simulate(scene.setup, jobs, contenders[p].scheduler, seed);
      if (!outcome)
        return refuse(Code::invalid, contenders[p].name + ": " + outcome.error().detail);
      tallies[p].add(*outcome);
      ticker.step();
    }
  }
  ticker.done();
  return tallies;
}

}  // namespace

Result<Exit> simulate_cluster(Session& session, const ClusterOptions& options) {
  const auto scene = read_scene(options);
  if (!scene) return scene.error();
  const auto contenders = contenders_of(scene->setup, options);
  if (!contenders) return contenders.error();
  const std::size_t jobs = scene->recorded ? scene->recorded->size()
                                           : static_cast<std::size_t>(scene->setup.workload.jobs);
  if (auto fits = cluster::check_amount(scene->seeds, static_cast<std::int64_t>(jobs),
                                        static_cast<std::int64_t>(contenders->size()));
      !fits)
    return std::move(fits).error();
  const auto tallies = run_all(session, options, *scene, *contenders);
  if (!tallies) return tallies.error();
  const cluster::Summary oracle = tallies->back().summary();
  std::vector<Json> items;
  for (std::size_t p = 0; p < contenders->size(); ++p)
    items.push_back(row_json(*scene, options, (*contenders)[p], (*tallies)[p].summary(), oracle));
  if (session.options().format == Format::table) session.print(heading(*scene, options));
  return print_list(session, cluster_columns(), items, "nothing was simulated");
}

}  // namespace hone::cli
