#include "server/cluster/read.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "server/cluster/policies.hpp"

namespace hone::cluster {
namespace {

// The members of one object. Keeps the first fault; values after it are the fallbacks.
class Members {
 public:
  Members(const Json& json, std::string at, Status& status)
      : json_(json), at_(std::move(at)), status_(status) {
    if (!json.is_object()) fail("", "must be an object");
  }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;
  ~Members() { refuse_unknown(); }

  const Json* find(std::string_view key) {
    known_.push_back(key);
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  void number(std::string_view key, double& out, double low, double high) {
    if (const Json* json = find(key)) number_of(*json, key, out, low, high);
  }
  void integer(std::string_view key, int& out, int low, int high) {
    const Json* json = find(key);
    double value = out;
    if (json == nullptr || !number_of(*json, key, value, low, high)) return;
    if (value != std::floor(value)) return fail(key, "must be a whole number");
    out = static_cast<int>(value);
  }
  void flag(std::string_view key, bool& out) {
    const Json* json = find(key);
    if (json == nullptr) return;
    if (!json->is_boolean()) return fail(key, "must be true or false");
    out = json->get<bool>();
  }
  void text(std::string_view key, std::string& out) {
    constexpr std::size_t longest = 200;
    const Json* json = find(key);
    if (json == nullptr) return;
    if (!json->is_string() || json->get_ref<const std::string&>().size() > longest)
      return fail(key, "must be a text of at most 200 characters");
    out = json->get<std::string>();
  }
  // [low, high] or one number.
  void range(std::string_view key, int& low, int& high, int least, int most) {
    const Json* json = find(key);
    if (json == nullptr) return;
    const bool pair = json->is_array() && json->size() == 2;
    double from = low, to = high;
    if (!number_of(pair ? (*json)[0] : *json, key, from, least, most) ||
        !number_of(pair ? (*json)[1] : *json, key, to, least, most))
      return;
    if (from > to || from != std::floor(from) || to != std::floor(to))
      return fail(key, "must be a whole number, or a list of the least and the most");
    low = static_cast<int>(from);
    high = static_cast<int>(to);
  }
  void fail(std::string_view key, const std::string& what) {
    if (!status_) return;
    status_ = refuse(Code::invalid, (key.empty() ? "" : std::string(key) + " ") + what, at(key));
  }
  [[nodiscard]] std::string at(std::string_view key) const {
    return key.empty() ? at_ : at_ + "/" + std::string(key);
  }
  [[nodiscard]] Status& status() { return status_; }

 private:
  bool number_of(const Json& json, std::string_view key, double& out, double low, double high) {
    const double value = json.is_number() ? json.get<double>() : NAN;
    if (value >= low && value <= high) {
      out = value;
      return true;
    }
    fail(key, "must be a number from " + number_text(low) + " to " + number_text(high));
    return false;
  }
  void refuse_unknown() {
    if (!json_.is_object()) return;
    for (const auto& [key, value] : json_.items())
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        fail(key, "is no field here" + did_you_mean(key, known_));
  }

  const Json& json_;
  std::string at_;
  Status& status_;
  std::vector<std::string_view> known_;
};

constexpr std::array rule_names{
    std::pair{std::string_view("interference"), SpeedRule::interference},
    std::pair{std::string_view("parameter_servers"), SpeedRule::parameter_servers},
    std::pair{std::string_view("fixed"), SpeedRule::fixed},
    std::pair{std::string_view("pairs"), SpeedRule::pairs},
    std::pair{std::string_view("measured"), SpeedRule::measured}};

constexpr std::array trace_formats{std::pair{std::string_view("philly"), TraceFormat::philly},
                                   std::pair{std::string_view("gavel"), TraceFormat::gavel},
                                   std::pair{std::string_view("pollux"), TraceFormat::pollux}};

// The index of the kind, which is added if it is new.
int kind_of(ClusterSetup& setup, const std::string& name) {
  const auto found = std::ranges::find(setup.kinds, name);
  if (found == setup.kinds.end()) setup.kinds.push_back(name);
  return static_cast<int>(std::ranges::find(setup.kinds, name) - setup.kinds.begin());
}

// {throughputs: FILE, reference: v100}
void read_pairs(Members& members, ClusterSetup& setup) {
  const Json* json = members.find("pairs");
  if (json == nullptr) return;
  Members pairs(*json, members.at("pairs"), members.status());
  PairSource source;
  pairs.text("throughputs", source.throughputs);
  pairs.text("reference", source.reference);
  if (source.throughputs.empty())
    pairs.fail("throughputs", "must name Gavel's table of throughputs (JSON)");
  setup.pair_source = std::move(source);
}

void read_servers(Members& members, ClusterSetup& setup) {
  const Json* list = members.find("servers");
  if (list == nullptr || !list->is_array() || list->empty() || list->size() > servers_max)
    return members.fail("servers", "must be a list of {count, gpus, cpus}");
  for (std::size_t i = 0; i < list->size(); ++i) {
    Members server((*list)[i], members.at("servers") + "/" + std::to_string(i), members.status());
    ServerShape shape;
    int count = 1;
    server.integer("count", count, 1, servers_max);
    server.integer("gpus", shape.gpus, 0, slots_max);
    server.integer("cpus", shape.cpus, 1, slots_max);
    if (shape.cpus == 0) server.fail("", "needs cpus: the number of tasks that it can run");
    std::string kind;
    server.text("kind", kind);
    shape.kind = kind_of(setup, kind);
    if (setup.servers.size() + static_cast<std::size_t>(count) > servers_max)
      return members.fail("servers", "may be at most " + std::to_string(servers_max));
    setup.servers.insert(setup.servers.end(), static_cast<std::size_t>(count), shape);
  }
}

void read_types(Members& members, ClusterSetup& setup) {
  const Json* list = members.find("types");
  setup.types = usual_types();
  if (list == nullptr) return;
  if (!list->is_array() || list->empty() || list->size() > types_max)
    return members.fail("types",
                        "must be a list of at most " + std::to_string(types_max) + " types");
  setup.types.clear();
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string at = members.at("types") + "/" + std::to_string(i);
    Members type((*list)[i], at, members.status());
    JobType read;
    type.text("name", read.name);
    type.number("compute_s", read.compute_s, 1e-6, 1e6);
    type.number("model_mb", read.model_mb, 0, 1e7);
    type.number("batches", read.batches, 1, 1e9);
    if (const Json* loads = type.find("loads")) {
      Members of(*loads, at + "/loads", members.status());
      constexpr std::array names{"cpu", "pcie", "disk", "memory"};
      for (std::size_t r = 0; r < names.size(); ++r) of.number(names[r], read.loads[r], 0, 100);
    }
    setup.types.push_back(std::move(read));
  }
}

void read_jobs(Members& members, Workload& workload) {
  const Json* json = members.find("jobs");
  if (json == nullptr) return;
  Members jobs(*json, members.at("jobs"), members.status());
  jobs.integer("count", workload.jobs, 1, jobs_max);
  jobs.number("per_interval", workload.per_interval, 0, 1e4);
  if (workload.per_interval > 0 && workload.per_interval < 1e-6)
    jobs.fail("per_interval", "must be 0, or at least 1e-6");
  jobs.number("over", workload.over_s, 0, 1e9);
  jobs.range("workers", workload.workers_min, workload.workers_max, 1, tasks_max);
  jobs.flag("parameter_servers", workload.has_servers);
  if (const Json* given = jobs.find("length")) {
    Members length(*given, jobs.at("length"), members.status());
    length.number("median_s", workload.length_median_s, 1e-3, 1e9);
    length.number("sigma", workload.length_sigma, 0, 5);
  }
}

// {bert: {samples_max: 8, workers_max: 1}}
void read_profiles(Members& trace, TraceSource& source) {
  if (source.format == TraceFormat::pollux && source.profiles.empty())
    trace.fail("profiles", "must name the folder of the profiles");
  const Json* limits = trace.find("limits");
  if (limits == nullptr) return;
  if (!limits->is_object() || limits->size() > types_max)
    return trace.fail("limits", "must be {application: {samples_max, workers_max}}");
  for (const auto& [name, given] : limits->items()) {
    Members of(given, trace.at("limits") + "/" + name, trace.status());
    of.integer("samples_max", source.limits[name].samples_max, 1, 1'000'000);
    of.integer("workers_max", source.limits[name].workers_max, 1, tasks_max);
  }
}

void read_trace(Members& members, ClusterSetup& setup) {
  const Json* json = members.find("trace");
  if (json == nullptr) return;
  Members trace(*json, members.at("trace"), members.status());
  TraceSource source;
  std::string format = "philly";
  trace.text("format", format);
  trace.text("file", source.file);
  trace.text("throughputs", source.throughputs);
  trace.text("gpu", source.gpu);
  trace.text("profiles", source.profiles);
  trace.integer("jobs", source.jobs, 1, jobs_max);
  const auto found = std::find_if(trace_formats.begin(), trace_formats.end(),
                                  [&](const auto& row) { return row.first == format; });
  if (found == trace_formats.end())
    trace.fail("format", "must be philly, gavel or pollux");
  else
    source.format = found->second;
  if (source.file.empty()) trace.fail("file", "must name the file of the trace");
  if (source.format == TraceFormat::gavel && source.throughputs.empty())
    trace.fail("throughputs", "must name Gavel's table of throughputs (JSON)");
  read_profiles(trace, source);
  const bool measured = source.format == TraceFormat::pollux;
  if (measured && setup.rule != SpeedRule::measured)
    members.fail("trace", "needs the rule measured: its jobs have profiles");
  else if (!measured && setup.rule != SpeedRule::fixed)
    members.fail("trace", "needs the rule fixed: a trace has lengths, but no parameter servers");
  setup.trace = std::move(source);
}

void read_rules(Members& members, ClusterSetup& setup) {
  if (const Json* json = members.find("interference")) {
    Members rule(*json, members.at("interference"), members.status());
    rule.number("loads", setup.interference.loads, 0, 100);
    rule.number("exponent", setup.interference.exponent, 0, 10);
    rule.number("sensitive", setup.interference.sensitive, 0, 1);
    rule.number("network_mb_s", setup.interference.nic_mb_s, 1e-3, 1e9);
    rule.number("remote_s", setup.interference.remote_s, 0, 1e3);
  }
  if (const Json* json = members.find("exchange")) {
    ParameterServers& exchange = setup.exchange;
    Members rule(*json, members.at("exchange"), members.status());
    rule.number("bandwidth_mb_s", exchange.bandwidth_mb_s, 1e-3, 1e9);
    rule.number("batches_per_step", exchange.batches_per_step, 1, 1e6);
    rule.number("update_s_per_mb", exchange.update_s_per_mb, 0, 1e3);
    rule.number("worker_s", exchange.worker_s, 0, 1e3);
    rule.number("server_s", exchange.server_s, 0, 1e3);
    rule.number("noise", exchange.noise, 0, 1);
    rule.number("loss_noise", exchange.loss_noise, 0, 1);
    rule.integer("samples", exchange.samples, 2, 100);
    rule.number("converged", exchange.converged, 1e-5, 1);
    rule.integer("converged_epochs", exchange.converged_epochs, 1, 100);
    rule.number("epoch_s", exchange.epoch_s, 1e-3, 1e9);
  }
}

// "tetris", or {harmony: model.json}.
void read_policy(const Json& json, const std::string& at, Status& status, ClusterSetup& setup) {
  if (json.is_object()) {
    Members members(json, at, status);
    PolicyChoice choice;
    for (const LearnedRow& row : learned_table()) {
      if (members.find(row.name) == nullptr) continue;
      if (!choice.name.empty()) return members.fail("", "must name one policy");
      choice.name = row.name;
      members.text(row.name, choice.model);
    }
    if (choice.model.empty()) members.fail("", "must name a policy and the file of its model");
    return setup.policies.push_back(std::move(choice));
  }
  const std::string name = json.is_string() ? json.get<std::string>() : std::string();
  if (find_policy(name) != nullptr) return setup.policies.push_back({name, ""});
  std::vector<std::string_view> known;
  for (const PolicyRow& row : policy_table()) known.push_back(row.name);
  const std::string hint = find_learned(name) != nullptr
                               ? "; it is learned: write {" + name + ": MODEL}"
                               : did_you_mean(name, known);
  if (status)
    status =
        refuse(Code::invalid, "policies has no policy '" + name.substr(0, 40) + "'" + hint, at);
}

void read_policies(Members& members, ClusterSetup& setup) {
  constexpr std::size_t policies_max = 40;
  members.text("oracle", setup.oracle);
  if (find_policy(setup.oracle) == nullptr)
    members.fail("oracle", "must be a policy that needs no model, as oracle or placement-oracle");
  const Json* list = members.find("policies");
  if (list == nullptr) return;
  if (!list->is_array() || list->empty() || list->size() > policies_max)
    return members.fail("policies", "must be a list of at most 40 policies");
  for (std::size_t i = 0; i < list->size(); ++i)
    read_policy((*list)[i], members.at("policies") + "/" + std::to_string(i), members.status(),
                setup);
}

}  // namespace

Result<ClusterSetup> read_setup(const Json& document) {
  ClusterSetup setup;
  Status status = Done{};
  {
    Members members(document, "", status);
    std::string rule = "interference";
    members.text("name", setup.name);
    members.text("source", setup.source);
    members.text("rule", rule);
    if (rule == "pairs") setup.oracle = "pack-oracle";
    const auto found = std::find_if(rule_names.begin(), rule_names.end(),
                                    [&](const auto& row) { return row.first == rule; });
    if (found == rule_names.end())
      members.fail("rule", "must be interference, parameter_servers, fixed, pairs or measured");
    else
      setup.rule = found->second;
    members.number("interval", setup.interval_s, 1, 1e6);
    members.flag("preempts", setup.preempts);
    members.number("restart", setup.restart_s, 0, 1e6);
    members.number("las_threshold", setup.las_threshold, 0, 1e12);
    read_servers(members, setup);
    read_types(members, setup);
    read_jobs(members, setup.workload);
    read_trace(members, setup);
    read_pairs(members, setup);
    read_rules(members, setup);
    read_policies(members, setup);
  }
  if (!status) return std::move(status).error();
  if (auto checked = check_setup(setup); !checked) return std::move(checked).error();
  return setup;
}

}  // namespace hone::cluster
