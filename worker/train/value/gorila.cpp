// Gorila (Nair et al., 2015) as threads: nodes of an actor, a learner and a replay memory each, and
// a parameter server in shards. A node makes an update for every `train_every` frames that it
// plays, so that runs of equal length compute equal numbers of gradients on any machine.
#include "worker/train/envs/core/groups.hpp"
#include "worker/train/rl/evaluate.hpp"
#include "worker/train/rl/play_meter.hpp"
#include "worker/train/table.hpp"
#include "worker/train/value/actor_threads.hpp"
#include "worker/train/value/gorila_processes.hpp"
#include "worker/train/value/gorila_server.hpp"
#include "worker/train/value/q_training.hpp"

namespace hone::q {
namespace {

class Gorila final : public trainers::Trainer {
 public:
  explicit Gorila(const Options& options) : options_(options) {
    episodes_.watch(options.env.spec.solved_return, [this] {
      solved_ = {step(), trainers::process_cpu_s()};
    });
  }

  // Makes the nodes, or what starts their processes. Call it before any other method.
  Status make_actors(const trainers::TrainingJob& job);

  void advance(std::int64_t until_step, const std::stop_token& stop,
               const std::function<void()>& tick) override;
  std::int64_t step() const override { return server_->frames().claimed(); }
  Score value() const override;
  std::optional<trainers::Solved> solved() const override { return solved_; }
  std::vector<trainers::MetricPoint> take_metrics() override;
  Status save(const std::filesystem::path& path) const override;
  Status load(const std::filesystem::path& path) override;

 private:
  Options options_;
  std::optional<ipc::SharedMemory> memory_;  // of the server
  std::unique_ptr<GorilaServer> server_;
  std::vector<std::unique_ptr<GorilaNode>> nodes_;  // none: they are processes
  std::unique_ptr<GorilaProcesses> processes_;
  rl::EpisodeLog episodes_;
  std::optional<trainers::Solved> solved_;  // read while no node runs
  rl::PlayMeter played_;
};

Status Gorila::make_actors(const trainers::TrainingJob& job) {
  auto memory = ipc::SharedMemory::make(GorilaServer::bytes(options_));
  if (!memory) return std::move(memory).error();
  memory_.emplace(*std::move(memory));
  server_ = std::make_unique<GorilaServer>(options_, memory_->bytes());
  server_->begin(options_);
  if (options_.apex.processes) {
    processes_ = std::make_unique<GorilaProcesses>(options_, job, *memory_, *server_);
    return job.invitation.file.empty() ? Status(Done{}) : processes_->invite(job.invitation);
  }
  const int each = options_.envs / options_.apex.actors;
  auto made = envs::make_groups(options_.env, {each, options_.seed, 0, options_.sticky},
                                options_.apex.actors);
  if (!made) return std::move(made).error();
  for (int i = 0; auto& env : *made)
    nodes_.push_back(
        std::make_unique<GorilaNode>(options_, std::move(env), i++, server_->shards().count()));
  return Done{};
}

void Gorila::advance(std::int64_t until_step, const std::stop_token& stop,
                     const std::function<void()>& tick) {
  if (server_->diverged()) return;
  server_->begin_phase(until_step);
  const std::stop_callback on_stop(stop, [&] { server_->frames().stop(); });
  if (processes_) return processes_->run(episodes_, tick);
  run_threads(
      nodes_, [&](GorilaNode& node) { node.run(*server_, episodes_); }, tick);
}

Score Gorila::value() const {
  if (server_->diverged()) return Score::diverged();
  const auto last = episodes_.state().last;
  return Score::of(last.empty() ? 0 : rl::mean(last));  // the nodes write the running returns
}

std::vector<trainers::MetricPoint> Gorila::take_metrics() {
  std::vector<trainers::MetricPoint> points;
  const double seconds = played_.take(step(), episodes_.state(), points);
  std::size_t stored = 0;
  for (const auto& node : nodes_) stored += node->replay_size();
  if (!processes_) points.push_back({"replay_size", static_cast<double>(stored)});
  server_->add_metrics(seconds, points);
  points.push_back({"epsilon", options_.exploration.epsilon(step(), 0, options_.envs)});
  points.push_back({"actors", static_cast<double>(options_.apex.actors)});
  return points;
}

Status Gorila::save(const std::filesystem::path& path) const {
  const auto learned = server_->shards().state();
  rl::Model model;
  model.env = options_.env.name;
  model.net = options_.net;
  model.frames = step();
  model.optimizer = options_.learning.optimizer.kind;
  model.parameters = {learned.weights, learned.mean_square, learned.mean, 0, learned.updates};
  model.trainer = "gorila";
  model.episodes = episodes_.state();
  if (processes_) model.groups = processes_->states();
  for (const auto& node : nodes_) model.groups.push_back(node->state());
  auto file = file_of(model);
  if (processes_) processes_->put_targets(learned.weights, file);
  for (const auto& node : nodes_) node->put_tensors(file);
  return write_tensor_file(path, file);
}

Status Gorila::load(const std::filesystem::path& path) {
  const auto file = trainers::read_tensor_file(path);
  if (!file) return file.error();
  const auto model =
      q_model_of(*file, path, {options_, "gorila", static_cast<std::size_t>(options_.apex.actors)});
  if (!model) return model.error();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    auto other = nodes_[i]->take_tensors(*file);
    if (other.empty()) other = nodes_[i]->restore(model->groups[i]);
    if (!other.empty()) return rl::made_with_another(path, other);
  }
  if (processes_) processes_->restore(model->groups);
  const auto& learned = model->parameters;
  server_->shards().restore({learned.weights, learned.mean_square, learned.mean, learned.updates});
  episodes_.restore(model->episodes);
  server_->frames().restore(model->frames);
  played_.start_at(model->frames);
  return Done{};
}

}  // namespace
}  // namespace hone::q

namespace hone::trainers {

TrainerRow gorila_row() {
  return {.make = q::make_with_actors<q::Gorila, q::gorila_options_of>,
          .evaluate = rl::evaluate,
          .serve = q::serve_gorila,
          .invites = true};
}

}  // namespace hone::trainers
