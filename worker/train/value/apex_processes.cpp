#include "worker/train/value/apex_processes.hpp"

#include <cstdlib>
#include <cstring>

#include "worker/train/value/actor_process.hpp"

namespace hone::dqn {
namespace {

// Where the weights and the slots of each process are.
struct ApexLayout {
  explicit ApexLayout(const Options& options)
      : floats(packed_floats(options.net)), slots(static_cast<std::size_t>(options.apex.slots)) {
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
    first = plan.place(slot_bytes);
    second = plan.place(slot_bytes);
    bytes = second + (slots * static_cast<std::size_t>(options.apex.actors)) * (second - first);
  }

  struct Counts {
    std::uint64_t steps = 0, version = 0, errors = 0;
  };
  [[nodiscard]] std::size_t parameter_bytes() const { return ipc::SharedParameters::bytes(floats); }
  [[nodiscard]] std::span<std::byte> slot(std::span<std::byte> memory, int process,
                                          std::uint32_t index) const {
    const auto place = static_cast<std::size_t>(process) * slots + index;
    return memory.subspan(first + place * (second - first), slot_bytes);
  }

  std::size_t floats, slots;
  std::size_t steps = 0, errors = 0;  // of a chunk at most
  std::size_t slot_bytes = 0, parameters = 0, first = 0, second = 0, bytes = 0;
};

// Copies arrays one after another, out of the memory or into it.
class Cursor {
 public:
  Cursor(std::span<std::byte> memory, bool writes) : at_(memory.data()), writes_(writes) {}

  template <class T>
  void copy(T* values, std::size_t count) {
    if (writes_)
      std::memcpy(at_, values, count * sizeof(T));
    else
      std::memcpy(values, at_, count * sizeof(T));
    at_ += count * sizeof(T);
  }

 private:
  std::byte* at_;
  bool writes_;
};

// False for counts that no chunk has: the chunk must not be stored.
bool copy_chunk(ApexChunk& chunk, const ApexLayout& layout, Cursor cursor) {
  ApexLayout::Counts counts{chunk.steps, chunk.version, chunk.errors.size()};
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
  std::size_t unused = chunk.errors.size();
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (chunk.error_counts[cell] > unused) return false;
    unused -= chunk.error_counts[cell];
  }
  return true;
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
    copy_chunk(chunk, layout_,
               {layout_.slot(process_.memory(), process_.task().index, slot), true});
    process_.send(ipc::MessageKind::played, slot, payload_of(episodes_.take()));
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
  return std::unique_ptr<ApexProcesses>(new ApexProcesses(options, job, *std::move(memory)));
}

ApexProcesses::ApexProcesses(const Options& options, const trainers::TrainingJob& job,
                             ipc::SharedMemory memory)
    : options_(options),
      memory_(std::move(memory)),
      pool_({"apex", job, memory_, options.apex.actors, options.apex.slots}),
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
  pool.played = [&](int process, const ipc::Message& message) {
    auto& chunk = chunk_of(process);
    if (!copy_chunk(chunk, layout, {layout.slot(memory_.bytes(), process, message.slot), false}))
      return false;
    phase.episodes.finish(episodes_of(message.payload));
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

std::vector<ga3c::EnvGroup::State> ApexProcesses::states() const { return pool_.groups(); }
void ApexProcesses::restore(const std::vector<ga3c::EnvGroup::State>& states) {
  pool_.restore(states);
}

Status serve_apex(int socket, int memory) {
  auto process = ActorProcess::make("apex", socket, memory);
  if (!process) return std::move(process).error();
  const auto& task = (*process)->task();
  const auto options = apex_options_of(task.job);
  if (!options) return options.error();
  auto env = (*process)->environments(*options);
  if (!env) return std::move(env).error();
  ApexActor actor(*options, *std::move(env), task.index);
  actor.start_at(task.steps);
  if (const auto state = state_of(task.state)) actor.restore(*state);
  const ApexLayout layout(*options);
  if ((*process)->memory().size() < layout.bytes) return other_memory();
  EpisodeBuffer episodes;
  ApexProcessLink link(**process, layout, episodes);
  for (;;) {
    actor.play(link, episodes);
    (*process)->send(ipc::MessageKind::parked, 0, state_text(actor.state()));
  }
}

}  // namespace hone::dqn
