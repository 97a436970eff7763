#include "worker/train/value/apex_processes.hpp"

#include <cmath>
#include <cstdlib>

#include "worker/train/actors/actor_process.hpp"
#include "worker/train/actors/cursor.hpp"

namespace hone::q {

using actors::ActorProcess;
using actors::Cursor;
using actors::EpisodeBuffer;
using actors::PoolPhase;

namespace {

struct Counts {
  std::uint64_t steps = 0, version = 0, errors = 0;
};

// Where the weights and the slots of each process are.
struct ApexLayout : ipc::SharedLayout {
  explicit ApexLayout(const Options& options) {
    floats = packed_floats(options.net);
    slots = static_cast<std::size_t>(options.apex.slots);
    actions = options.net.actions;
    const auto lanes = static_cast<std::size_t>(options.envs / options.apex.actors);
    steps = static_cast<std::size_t>(options.apex.steps);
    const auto cells = lanes * steps;
    errors = cells + lanes * options.memory.steps;
    const auto row = static_cast<std::size_t>(options.env.spec.row_floats()) * sizeof(float);
    // Of each cell: two observations, action, reward, ending and its number of errors. The errors
    // are those of the cells and of the steps that waited before them.
    slot_bytes = sizeof(Counts) + cells * (2 * row + 3 * sizeof(float) + sizeof(std::size_t)) +
                 errors * sizeof(double);
    ipc::MemoryPlan plan;
    parameters = plan.place(parameter_bytes());
    first_slot = plan.place(slot_bytes);
    slot_stride = plan.place(slot_bytes) - first_slot;
    bytes = first_slot + (slots * static_cast<std::size_t>(options.apex.actors) + 1) * slot_stride;
  }

  [[nodiscard]] std::size_t parameter_bytes() const { return ipc::SharedParameters::bytes(floats); }

  std::size_t steps = 0, errors = 0;  // of a chunk at most
  int actions = 0;
};

// False for what no actor plays: the chunk must not be stored.
bool sound(const ApexChunk& chunk, int actions) {
  const auto cells = chunk.steps * chunk.environments;
  const auto has_moderate = [](const std::vector<float>& values, std::size_t count) {
    return actors::are_moderate(std::span(values).first(count));
  };
  if (!has_moderate(chunk.observations, cells * chunk.row)) return false;
  if (!has_moderate(chunk.rewards, cells)) return false;
  for (const double error : chunk.errors)
    if (!(std::abs(error) <= actors::moderate_max)) return false;
  std::size_t unused = chunk.errors.size();
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (chunk.actions[cell] < 0 || chunk.actions[cell] >= actions) return false;
    if (chunk.endings[cell] > replay::Ending::truncated) return false;
    const auto last = std::span(chunk.last).subspan(cell * chunk.row, chunk.row);
    if (chunk.endings[cell] == replay::Ending::truncated && !actors::are_moderate(last))
      return false;
    if (chunk.error_counts[cell] > unused) return false;
    unused -= chunk.error_counts[cell];
  }
  return true;
}

// False for counts that no chunk has: the chunk must not be stored.
bool copy_chunk(ApexChunk& chunk, const ApexLayout& layout, Cursor& cursor) {
  Counts counts{chunk.steps, chunk.version, chunk.errors.size()};
  cursor.copy(&counts, 1);
  if (counts.steps > layout.steps || counts.errors > layout.errors) return false;
  chunk.steps = counts.steps;
  chunk.version = counts.version;
  chunk.errors.resize(counts.errors);
  const auto cells = chunk.steps * chunk.environments;
  cursor.copy(chunk.observations.data(), cells * chunk.row);
  cursor.copy(chunk.actions.data(), cells);
  cursor.copy(chunk.rewards.data(), cells);
  cursor.copy(chunk.endings.data(), cells);
  cursor.copy(chunk.error_counts.data(), cells);
  cursor.copy(chunk.errors.data(), chunk.errors.size());
  for (std::size_t cell = 0; cell < cells; ++cell)
    if (chunk.endings[cell] == replay::Ending::truncated)
      cursor.copy(&chunk.last[cell * chunk.row], chunk.row);
  return sound(chunk, layout.actions);
}

// In the process of the actor.
class ApexProcessLink final : public ApexLink {
 public:
  ApexProcessLink(ActorProcess& process, const ApexLayout& layout, EpisodeBuffer& episodes)
      : process_(process),
        layout_(layout),
        episodes_(episodes),
        parameters_(process.memory().subspan(layout.parameters, layout.parameter_bytes()),
                    layout.floats) {}

  int claim(int, int) override { return process_.claim(); }
  std::uint64_t fetch(dense::Floats& weights) override {
    weights.resize(layout_.floats);
    return parameters_.read(weights);
  }
  void hand_over(ApexChunk& chunk) override {
    const auto slot = process_.slot();
    const auto index = static_cast<std::uint64_t>(process_.task().index);
    const auto memory = layout_.slot(process_.memory(), index, slot);
    Cursor cursor(memory, true);
    copy_chunk(chunk, layout_, cursor);
    process_.send_played(slot, cursor.at() - memory.data(), actors::payload_of(episodes_.take()));
  }

 private:
  ActorProcess& process_;
  const ApexLayout& layout_;
  EpisodeBuffer& episodes_;
  ipc::SharedParameters parameters_;
};

}  // namespace

Result<std::unique_ptr<ApexProcesses>> ApexProcesses::make(const Options& options,
                                                           const trainers::TrainingJob& job) {
  auto memory = ipc::SharedMemory::make(ApexLayout(options).bytes);
  if (!memory) return std::move(memory).error();
  std::unique_ptr<ApexProcesses> actors(new ApexProcesses(options, job, *std::move(memory)));
  if (!job.invitation.file.empty())
    if (auto invited = actors->pool_.invite(job.invitation); !invited)
      return std::move(invited).error();
  return actors;
}

ApexProcesses::ApexProcesses(const Options& options, const trainers::TrainingJob& job,
                             ipc::SharedMemory memory)
    : options_(options),
      memory_(std::move(memory)),
      pool_({"apex", job, memory_, options.apex.actors, options.apex.slots, ApexLayout(options)}),
      parameters_(memory_.bytes(), packed_floats(options.net)) {
  const auto lanes = static_cast<std::size_t>(options.envs / options.apex.actors);
  for (int i = 0; i < options.apex.actors; ++i) {
    chunks_.push_back(
        std::make_unique<ApexChunk>(lanes, static_cast<std::size_t>(options.apex.steps),
                                    static_cast<std::size_t>(options.env.spec.row_floats())));
    chunks_.back()->first_lane = static_cast<std::size_t>(i) * lanes;
  }
}

void ApexProcesses::run(const Phase& phase) {
  const ApexLayout layout(options_);
  const int each = options_.envs / options_.apex.actors;
  const auto chunk_of = [&](int process) -> ApexChunk& {
    return *chunks_[static_cast<std::size_t>(process)];
  };
  PoolPhase pool;
  pool.claim = [&] { return phase.frames.claim(each, options_.apex.steps); };
  pool.steps = [&] { return phase.frames.claimed() / options_.envs; };
  pool.played = [&](int process, const ipc::Message& message, int steps) {
    auto& chunk = chunk_of(process);
    const auto index = static_cast<std::uint64_t>(process);
    Cursor cursor(layout.slot(memory_.bytes(), index, message.slot), false);
    if (!copy_chunk(chunk, layout, cursor)) return false;
    const auto episodes = actors::episodes_of(message.payload, std::int64_t{steps} * each);
    if (!episodes || chunk.steps != static_cast<std::size_t>(steps)) return false;
    if (chunk.version > parameters_.publications()) return false;
    phase.episodes.finish(*episodes);
    phase.store(chunk);
    return true;
  };
  pool.lost = [&](int process) {
    const auto& chunk = chunk_of(process);
    for (std::size_t i = 0; i < chunk.environments; ++i) phase.memory.cut(chunk.first_lane + i);
  };
  pool.tick = phase.tick;
  pool_.run(pool);
}

std::vector<rl::GroupState> ApexProcesses::states() const { return pool_.groups(); }
void ApexProcesses::restore(const std::vector<rl::GroupState>& states) { pool_.restore(states); }

Status serve_apex(int socket, int memory) {
  auto process = ActorProcess::make("apex", socket, memory);
  if (!process) return std::move(process).error();
  const auto& task = (*process)->task();
  const auto options = apex_options_of(task.job);
  if (!options) return options.error();
  const int each = options->envs / options->apex.actors;
  auto env = options->env.make(
      {each, options->seed, (*process)->first_environment(each, options->envs), options->sticky});
  if (!env) return std::move(env).error();
  ApexActor actor(*options, *std::move(env), task.index);
  actor.start_at(task.steps);
  if (const auto state = actors::state_of(task.state)) actor.restore(*state);
  const ApexLayout layout(*options);
  if ((*process)->memory().size() < layout.bytes) return actors::other_memory();
  EpisodeBuffer episodes;
  ApexProcessLink link(**process, layout, episodes);
  for (;;) {
    actor.play(link, episodes);
    (*process)->send_parked(actors::state_text(actor.state()));
  }
}

}  // namespace hone::q
