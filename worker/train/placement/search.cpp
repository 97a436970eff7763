#include "worker/train/placement/search.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "placement/baselines/baselines.hpp"
#include "placement/local_search.hpp"
#include "placement/read/placement_file.hpp"
#include "placement/read/read.hpp"
#include "placement/setup.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/metric.hpp"
#include "worker/train/nn/json_state.hpp"
#include "worker/train/placement/evaluator.hpp"
#include "worker/train/run/json_file.hpp"
#include "worker/train/table.hpp"

namespace hone::trainers {
namespace {

using placement::Placement;
using placement::Problem;

constexpr int chunk_max = 64;  // samples between two checks of the stop token
constexpr std::string_view format = "hone-placement-1";

placement::Setup setup_of(const Settings& settings) {
  placement::Setup setup;
  setup.graph = settings.word("graph");
  setup.devices = settings.small_integer("devices");
  setup.cpus = settings.small_integer("cpus");
  setup.device = settings.word("device");
  setup.group = settings.word("group");
  setup.links = settings.word("links");
  setup.memory_gb = settings.real("memory_gb");
  return setup;
}

// The placement that the initial policy prefers, and its name.
struct Start {
  Placement placement;  // empty: uniform
  std::string name;
};

Start best_baseline(const Problem& problem, std::uint64_t seed) {
  placement::Simulator simulator(problem);
  Start best;
  double least = HUGE_VAL;
  for (const auto& baseline : placement::baseline_table()) {
    const auto placed = baseline.place(problem, seed);
    if (!placed) continue;
    const placement::Cost cost = simulator.cost(*placed);
    if (cost.step_ms >= problem.failed_ms || cost.total_ms >= least) continue;
    least = cost.total_ms;
    best = {*placed, std::string(baseline.name)};
  }
  return best;
}

Start start_of(const Problem& problem, const Settings& settings, std::uint64_t seed) {
  const std::string& word = settings.word("start");
  if (word == "uniform") return {};
  if (word == "baseline") return best_baseline(problem, seed);
  auto single = placement::find_baseline("single")->place(problem, seed);
  return {*std::move(single), "single"};
}

class PlacementSearch : public Trainer {
 public:
  PlacementSearch(Problem problem, const TrainingJob& job)
      : problem_(std::move(problem)),
        job_(job),
        start_(start_of(problem_, job_.settings, job.seed)),
        generator_(placement::RandomGenerator(job.seed).bits()),
        evaluator_(problem_, job_.settings.small_integer("threads")),
        agent_(make_agent({problem_, job_.settings, job.budget, start_.placement})) {
    best_cost_ = {problem_.failed_ms,
                  problem_.one_device_bytes * problem_.failed_ms / problem_.one_device_ms,
                  HUGE_VAL};
    if (job_.settings.word("start") == "baseline" && !start_.placement.empty())
      keep(evaluator_.evaluate({start_.placement}).front());
  }

  void advance(std::int64_t until_step, const std::stop_token& stop,
               const std::function<void()>& tick) override {
    while (step_ < until_step && !stop.stop_requested()) {
      const auto left = std::min<std::int64_t>(until_step - step_, chunk_max);
      const int count = std::min(static_cast<int>(left), agent_->wanted());
      for (const Evaluated& one : evaluator_.evaluate(agent_->draw(count, generator_))) {
        keep(one);
        ++step_;
        ++window_count_;
        window_sum_ += one.cost.step_ms;
        failures_ += one.sample.ran ? 0 : 1;
        agent_->observe(one.sample);
      }
      tick();
    }
    if (step_ >= job_.budget && !polished_ && !stop.stop_requested()) finish(stop, tick);
  }

  [[nodiscard]] std::int64_t step() const override { return step_; }
  [[nodiscard]] Score value() const override { return Score::of(best_cost_.step_ms); }
  [[nodiscard]] Score value_of(std::string_view objective) const override {
    return objective == "peak_gb" ? Score::of(peak_gb()) : value();
  }

  std::vector<MetricPoint> take_metrics() override {
    const double greedy = evaluator_.evaluate({agent_->greedy()}).front().cost.step_ms;
    std::vector<MetricPoint> points{{"of_one_device", best_cost_.step_ms / problem_.one_device_ms},
                                    {"greedy_ms", greedy},
                                    {"entropy", agent_->entropy()}};
    if (!best_.empty()) points.push_back({"peak_gb", peak_gb()});
    if (window_count_ > 0) {
      points.push_back({"mean_ms", window_sum_ / window_count_});
      points.push_back({"failed_share", failures_ / window_count_});
    }
    window_sum_ = window_count_ = failures_ = 0;
    return points;
  }

  [[nodiscard]] std::vector<Fact> facts() const override {
    return {{"method", method()},
            {"graph", problem_.graph.name},
            {"devices", std::to_string(problem_.devices())},
            {"one_device_ms", std::to_string(problem_.one_device_ms)},
            {"peak_gb", best_.empty() ? "" : std::to_string(peak_gb())},
            {"one_device_gb", std::to_string(problem_.one_device_bytes / 1e9)},
            {"ran", best_.empty() ? "no placement that fits was found" : "yes"}};
  }

  // Empty: no placement could run.
  [[nodiscard]] const Placement& best() const { return best_; }

  // The method that found the placement, with starting point and local search.
  [[nodiscard]] std::string method() const {
    std::string text = job_.settings.word("agent");
    if (!start_.name.empty()) text += " from " + start_.name;
    if (polished_ && job_.settings.integer("polish") > 0) text += " + local search";
    return text;
  }

  [[nodiscard]] Status save(const std::filesystem::path& path) const override {
    Json document{{"format", format},
                  {"graph", job_.settings.word("graph")},
                  {"digest", placement::digest_of(problem_.graph)},
                  {"method", method()},
                  {"step", step_},
                  {"step_ms", best_cost_.step_ms},
                  {"polished", polished_},
                  {"dice", generator_.state()},
                  {"best", best_},
                  {"agent", agent_->state()}};
    document["settings"] = Json::object();
    for (const Param& param : job_.settings.all())
      document["settings"][param.name] = encode(param.value);
    if (!best_.empty())
      document["placement"] =
          Json::parse(placement::placement_text(problem_, best_)).at("placement");
    std::ofstream file(path, std::ios::binary);
    file << to_text(document) << "\n";
    file.close();
    if (!file) return refuse(Code::invalid, "cannot write " + path.string());
    return Done{};
  }

  Status load(const std::filesystem::path& path) override {
    const auto document = read_json_file(path);
    if (!document || !has_format(*document, format))
      return refuse(Code::invalid, path.string() + " is not a model of the trainer placement");
    if (auto restored = restore(*document); !restored)
      return refuse(Code::invalid,
                    path.string() + " cannot be continued: " + restored.error().detail);
    return Done{};
  }

 private:
  // Memory of the best placement; as its step time, ten times one device's if there is none.
  [[nodiscard]] double peak_gb() const { return best_cost_.peak_bytes / 1e9; }

  void keep(const Evaluated& one) {
    if (!one.sample.ran || one.cost.total_ms >= best_cost_.total_ms) return;
    best_cost_ = one.cost;
    best_ = one.sample.placement;
  }

  // Tries the greedy placement once, then improves the best one by local search.
  void finish(const std::stop_token& stop, const std::function<void()>& tick) {
    polished_ = true;
    keep(evaluator_.evaluate({agent_->greedy()}).front());
    const int evaluations = job_.settings.small_integer("polish");
    if (evaluations == 0) return;
    const auto keep_going = [&] {
      tick();
      return !stop.stop_requested();
    };
    const auto found = placement::improve(problem_, best_.empty() ? agent_->greedy() : best_,
                                          {evaluations, keep_going}, generator_);
    keep(evaluator_.evaluate({found.placement}).front());
    if (stop.stop_requested()) polished_ = false;  // repeated when the run continues
  }

  Status restore(const Json& document) {
    JsonState reader(document);
    std::string digest;
    Json agent;
    std::uint64_t random = 0;
    reader.read("digest", digest).read("agent", agent).read("step", step_);
    reader.read("step_ms", best_cost_.step_ms).read("best", best_).read("polished", polished_);
    reader.read("dice", random);
    if (!reader.sound()) return reader.status();
    if (digest != placement::digest_of(problem_.graph))
      return refuse(Code::invalid, "it is of another graph, or of other groups of it");
    const auto groups = static_cast<std::size_t>(problem_.groups);
    const auto devices = static_cast<std::size_t>(problem_.devices());
    reader.require("step", step_ >= 0)
        .require("best", best_.empty() || fits(best_, groups, devices));
    if (!reader.sound()) return reader.status();
    if (!best_.empty()) best_cost_ = evaluator_.evaluate({best_}).front().cost;
    generator_ = placement::RandomGenerator(random);
    return agent_->restore(agent);
  }

  Problem problem_;
  TrainingJob job_;
  Start start_;
  placement::RandomGenerator generator_;
  Evaluator evaluator_;
  std::unique_ptr<Agent> agent_;
  std::int64_t step_ = 0;
  Placement best_;  // empty: no placement could run
  placement::Cost best_cost_;
  bool polished_ = false;
  double window_sum_ = 0;
  double window_count_ = 0;
  double failures_ = 0;
};

Status check_digest(const Settings& settings, const placement::Graph& graph) {
  const std::string& told = settings.word("graph_digest");
  if (told.empty() || told == placement::digest_of(graph) ||
      told == placement::digest_with_shapes(graph))
    return Done{};
  return refuse(Code::invalid,
                "the graph " + settings.word("graph") +
                    " is not the one that graph_digest names: it has changed",
                "/graph_digest");
}

}  // namespace

Result<Problem> placement_problem(const Settings& settings) {
  auto graph = placement::load_graph(settings.word("graph"));
  if (!graph) return std::move(graph).error();
  if (auto same = check_digest(settings, *graph); !same) return std::move(same).error();
  if (settings.word("agent") == "seq2seq" && settings.word("encoder") == "shapes" &&
      !placement::has_shapes(*graph))
    return refuse(Code::invalid,
                  "encoder=shapes needs a graph whose nodes have shapes, as those of "
                  "`hone graph resnet-50 --export FILE`",
                  "/encoder");
  auto problem = placement::set_up(*std::move(graph), setup_of(settings));
  if (!problem) return problem;
  problem->memory_weight = settings.real("memory_weight");
  if (problem->memory_weight > 0 && !(problem->one_device_bytes > 0))
    return refuse(Code::invalid,
                  "memory_weight needs a graph whose nodes have param_bytes or stored_bytes",
                  "/memory_weight");
  return problem;
}

Result<std::unique_ptr<Trainer>> make_placement(const TrainingJob& job) {
  auto problem = placement_problem(job.settings);
  if (!problem) return std::move(problem).error();
  return std::unique_ptr<Trainer>(std::make_unique<PlacementSearch>(*std::move(problem), job));
}

Searched search_placement(const Problem& problem, const TrainingJob& job,
                          const std::stop_token& stop) {
  PlacementSearch search(problem, job);
  search.advance(job.budget, stop, [] {});
  return {search.best(), search.method()};
}

Result<Evaluation> evaluate_placement(const EvaluationPlan& plan) {
  const auto document = read_json_file(plan.model);
  if (!document || !has_format(*document, format))
    return refuse(Code::not_found,
                  plan.model.string() + " is not a model of the trainer placement");
  Json fixed;
  JsonState reader(*document);
  reader.read("settings", fixed).require("settings", fixed.is_object());
  if (!reader.sound())
    return refuse(Code::invalid, plan.model.string() + ": " + reader.status().error().detail);
  Params params;
  for (const auto& [name, value] : fixed.items()) {
    if (value.is_string())
      params.push_back({name, value.get<std::string>()});
    else if (value.is_number_integer())
      params.push_back({name, value.get<std::int64_t>()});
    else if (value.is_number())
      params.push_back({name, value.get<double>()});
  }
  const auto settings = Settings::resolve(*find_trainer("placement"), params, {});
  if (!settings) return settings.error();
  const auto problem = placement::set_up(setup_of(*settings));
  if (!problem) return problem.error();
  const auto placed = placement::read_placement(*problem, to_text(*document));
  if (!placed) return placed.error();
  return Evaluation{problem->graph.name, {placement::Simulator(*problem).step_ms(*placed)}};
}

TrainerRow placement_row() {
  return {.make = make_placement, .evaluate = evaluate_placement, .measures = true};
}

}  // namespace hone::trainers
