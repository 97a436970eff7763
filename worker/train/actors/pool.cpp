#include "worker/train/actors/pool.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/process.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/json.hpp"
#include "worker/train/actors/actor_process.hpp"

namespace hone::actors {
namespace {

// Ends of a process without a part that it played: then something else is wrong.
constexpr int failures_max = 20;
constexpr int tick_ms = 1000;

std::string job_text(const trainers::TrainingJob& job) {
  Params given;
  for (const auto& param : job.settings.all())
    if (job.settings.given(param.name)) given.push_back(param);
  return to_text(Json{{"settings", encode(given)}, {"seed", job.seed}, {"budget", job.budget}});
}

[[noreturn]] void give_up(int index, const std::string& why) {
  throw std::runtime_error("actor process " + std::to_string(index) + " " + why);
}

}  // namespace

ProcessPool::ProcessPool(const PoolPlan& plan)
    : trainer_(plan.trainer),
      job_(job_text(plan.job)),
      layout_(plan.layout),
      memory_(plan.memory),
      processes_(static_cast<std::size_t>(plan.count)),
      states_(processes_.size()) {
  for (auto& process : processes_) process.grants.resize(static_cast<std::size_t>(plan.slots));
}

ProcessPool::~ProcessPool() {
  for (auto& process : processes_) collect(process);
}

Status ProcessPool::invite(const trainers::Invitation& invitation) {
  auto guests =
      Guests::begin({invitation, trainer_, layout_, static_cast<int>(processes_.size())}, memory_);
  if (!guests) return std::move(guests).error();
  guests_ = *std::move(guests);
  return Done{};
}

std::vector<rl::GroupState> ProcessPool::groups() const {
  std::vector<rl::GroupState> groups;
  groups.reserve(states_.size());
  for (const auto& state : states_) groups.push_back(state_of(state).value_or(rl::GroupState{}));
  return groups;
}

void ProcessPool::restore(const std::vector<rl::GroupState>& groups) {
  for (std::size_t i = 0; i < states_.size(); ++i)
    states_[i] = groups[i].environments.empty() ? "" : state_text(groups[i]);
}

void ProcessPool::collect(Process& process) {
  process.channel.reset();
  if (process.pid < 0) return;
  ::kill(process.pid, SIGKILL);
  wait_for(process.pid);
  process.pid = -1;
}

std::string ProcessPool::task(int index, const PoolPhase& phase) const {
  const auto i = static_cast<std::size_t>(index);
  return to_text(Json{{"job", Json::parse(job_)},
                      {"index", index},
                      {"starts", processes_[i].starts},
                      {"steps", phase.steps()},
                      {"state", states_[i]},
                      {"away", processes_[i].pid < 0}});
}

void ProcessPool::start(int index, const PoolPhase& phase, Place place) {
  auto& process = processes_[static_cast<std::size_t>(index)];
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    give_up(index, std::string("cannot be connected: ") + std::strerror(errno));
  FileHandle ours(pair[0]), theirs(pair[1]);
  const bool away = place == Place::any && guests_ && guests_->take(index, theirs);
  process.pid = away ? -1 : start_here(index, theirs);
  theirs.close();  // or a process that ends now could not be noticed
  process.channel = std::make_unique<ipc::Channel>(std::move(ours));
  process.parked = false;
  process.channel->send({ipc::MessageKind::begin, 0, 0, task(index, phase)});
  ++process.starts;
}

pid_t ProcessPool::start_here(int index, const FileHandle& socket) const {
  const int memory = memory_.descriptor();
  const auto pid = start_process({.argv = {"hone-train", trainer_, "--serve",
                                           std::to_string(socket.fd()), std::to_string(memory)},
                                  .program = "/proc/self/exe",
                                  .inherited = {socket.fd(), memory},
                                  .death_signal = SIGKILL});
  if (!pid) give_up(index, "cannot be started: " + pid.error().detail);
  return *pid;
}

void ProcessPool::seat_guests(const PoolPhase& phase) {
  if (!guests_) return;
  for (std::size_t i = 0; i < processes_.size() && guests_->waiting() > 0; ++i) {
    if (processes_[i].pid < 0) continue;
    processes_[i].failures = 0;
    replace(static_cast<int>(i), phase);
  }
}

// A message that cannot be sent shows as the end of the process at its next receive().
void ProcessPool::replace(int index, const PoolPhase& phase) {
  auto& process = processes_[static_cast<std::size_t>(index)];
  // Guests may come and go as they like: what was lost is played here until the next look at them.
  const bool away = process.pid < 0;
  if (!away && ++process.failures >= failures_max) give_up(index, "ends before it has played");
  const bool ended = process.parked;  // between two phases: its state is known
  collect(process);
  if (!ended) {
    states_[static_cast<std::size_t>(index)].clear();
    phase.lost(index);
  }
  start(index, phase, away ? Place::here : Place::any);
  for (std::uint32_t slot = 0; slot < process.grants.size(); ++slot)
    if (const int steps = process.grants[slot]; steps > 0)
      process.channel->send({ipc::MessageKind::grant, slot, steps, {}});
  if (parking_) process.channel->send({ipc::MessageKind::park, 0, 0, {}});
}

void ProcessPool::grant(int index, const PoolPhase& phase) {
  auto& process = processes_[static_cast<std::size_t>(index)];
  for (std::uint32_t slot = 0; slot < process.grants.size(); ++slot) {
    if (process.grants[slot] > 0) continue;
    process.grants[slot] = phase.claim();
    if (process.grants[slot] == 0) return;
    process.channel->send({ipc::MessageKind::grant, slot, process.grants[slot], {}});
  }
}

void ProcessPool::receive(int index, const PoolPhase& phase) {
  auto message = processes_[static_cast<std::size_t>(index)].channel->receive();
  const bool has_ended = !message;
  if (!has_ended && accept(index, *std::move(message), phase)) return;
  auto& process = processes_[static_cast<std::size_t>(index)];
  if (!has_ended && process.pid < 0) process.channel->send({ipc::MessageKind::refused, 0, 0, {}});
  replace(index, phase);
}

// False for a message that no process sends.
bool ProcessPool::accept(int index, ipc::Message message, const PoolPhase& phase) {
  auto& process = processes_[static_cast<std::size_t>(index)];
  if (message.kind == ipc::MessageKind::parked) {
    states_[static_cast<std::size_t>(index)] = std::move(message.payload);
    process.parked = true;
    return true;
  }
  if (message.kind == ipc::MessageKind::tell || message.kind == ipc::MessageKind::ask)
    return hear(index, message, phase);
  const bool granted = message.kind == ipc::MessageKind::played &&
                       message.slot < process.grants.size() && process.grants[message.slot] > 0;
  if (!granted || !phase.played(index, message, process.grants[message.slot])) return false;
  process.parked = false;
  process.grants[message.slot] = 0;
  process.failures = 0;
  grant(index, phase);
  return true;
}

bool ProcessPool::hear(int index, const ipc::Message& message, const PoolPhase& phase) {
  const auto& process = processes_[static_cast<std::size_t>(index)];
  if (process.pid >= 0 || !phase.hear) return false;
  auto answer = phase.hear(index, message);
  if (!answer) return false;
  if (message.kind == ipc::MessageKind::tell) return true;
  process.channel->send({ipc::MessageKind::answer, 0, answer->number, std::move(answer->payload)});
  return true;
}

// Waits up to a second for messages, and takes one of each process that has sent any.
void ProcessPool::receive_some(const PoolPhase& phase) {
  std::vector<pollfd> watched;
  watched.reserve(processes_.size());
  for (const auto& process : processes_)
    watched.push_back({process.channel->descriptor(), POLLIN, 0});
  if (::poll(watched.data(), watched.size(), tick_ms) <= 0) return;
  for (std::size_t i = 0; i < watched.size(); ++i)
    if (watched[i].revents != 0) receive(static_cast<int>(i), phase);
}

bool ProcessPool::playing() const {
  return std::any_of(processes_.begin(), processes_.end(), [](const Process& process) {
    return std::any_of(process.grants.begin(), process.grants.end(),
                       [](int steps) { return steps > 0; });
  });
}

bool ProcessPool::parked() const {
  return std::all_of(processes_.begin(), processes_.end(),
                     [](const Process& process) { return process.parked; });
}

void ProcessPool::run(const PoolPhase& phase) {
  using Clock = std::chrono::steady_clock;
  auto next = Clock::now() + std::chrono::milliseconds(tick_ms);
  const auto tick = [&] {
    if (Clock::now() < next) return;
    phase.tick();
    seat_guests(phase);
    next = Clock::now() + std::chrono::milliseconds(tick_ms);
  };
  const auto count = static_cast<int>(processes_.size());
  parking_ = false;
  for (int i = 0; i < count; ++i) {
    if (!processes_[static_cast<std::size_t>(i)].channel) start(i, phase, Place::any);
    processes_[static_cast<std::size_t>(i)].failures = 0;
  }
  seat_guests(phase);  // a phase may be shorter than the time between two ticks
  for (int i = 0; i < count; ++i) grant(i, phase);
  for (; playing(); tick()) receive_some(phase);
  parking_ = true;
  for (auto& process : processes_) {
    process.parked = false;
    process.channel->send({ipc::MessageKind::park, 0, 0, {}});
  }
  for (; !parked(); tick()) receive_some(phase);
}

}  // namespace hone::actors
