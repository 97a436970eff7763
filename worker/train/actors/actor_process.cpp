#include "worker/train/actors/actor_process.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/json.hpp"
#include "worker/train/nn/json_state.hpp"

namespace hone::actors {

std::string state_text(const rl::GroupState& state) {
  return to_text(Json{{"environments", state.environments},
                      {"streams", state.streams},
                      {"returns", state.running_returns},
                      {"lengths", state.running_lengths},
                      {"discounted", state.discounted_returns}});
}

std::optional<rl::GroupState> state_of(const std::string& text) {
  const auto document = parse_json(text);
  if (!document) return std::nullopt;
  rl::GroupState state;
  trainers::JsonState reader(*document);
  reader.read("environments", state.environments)
      .read("streams", state.streams)
      .read("returns", state.running_returns)
      .read("lengths", state.running_lengths)
      .read("discounted", state.discounted_returns);
  if (!reader.sound()) return std::nullopt;
  return state;
}

std::string payload_of(std::span<const rl::Episode> episodes) {
  std::string payload(episodes.size_bytes(), 0);
  if (!episodes.empty()) std::memcpy(payload.data(), episodes.data(), payload.size());
  return payload;
}

std::optional<std::vector<rl::Episode>> episodes_of(const std::string& payload,
                                                    std::int64_t frames) {
  std::vector<rl::Episode> episodes(payload.size() / sizeof(rl::Episode));
  if (payload.size() % sizeof(rl::Episode) != 0) return std::nullopt;
  if (static_cast<std::int64_t>(episodes.size()) > frames) return std::nullopt;
  if (!episodes.empty()) std::memcpy(episodes.data(), payload.data(), payload.size());
  const auto sound = [](const rl::Episode& episode) {
    return std::isfinite(episode.sum) && std::isfinite(episode.length) && episode.length >= 1;
  };
  if (!std::all_of(episodes.begin(), episodes.end(), sound)) return std::nullopt;
  return episodes;
}

Error other_memory() {
  return refuse(Code::invalid, "the shared memory is smaller than the settings need");
}

namespace {

Result<ActorProcess::Task> task_of(std::string_view trainer, const std::string& text) {
  const auto document = parse_json(text);
  if (!document) return document.error();
  const auto& job = document->at("job");
  const auto params = decode_params(job.at("settings"), "/settings");
  if (!params) return params.error();
  auto settings = trainers::Settings::resolve(*find_trainer(trainer), *params, {});
  if (!settings) return std::move(settings).error();
  return ActorProcess::Task{{*std::move(settings), job.at("seed").get<std::uint64_t>(),
                             job.at("budget").get<std::int64_t>()},
                            document->at("index").get<int>(),
                            document->at("starts").get<int>(),
                            document->at("steps").get<std::int64_t>(),
                            document->at("state").get<std::string>(),
                            document->at("away").get<bool>()};
}

}  // namespace

Result<std::unique_ptr<ActorProcess>> ActorProcess::make(std::string_view trainer, int socket,
                                                         int memory) {
  // A signal for the whole group ends the training, which ends this process.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  ipc::Channel channel{FileHandle(socket)};
  auto shared = ipc::SharedMemory::open(FileHandle(memory));
  if (!shared) return std::move(shared).error();
  const auto begin = channel.receive();
  if (!begin) return refuse(Code::unavailable, "the training has ended");
  auto task = task_of(trainer, begin->payload);
  if (!task) return std::move(task).error();
  return std::unique_ptr<ActorProcess>(
      new ActorProcess(std::move(channel), *std::move(shared), *std::move(task)));
}

std::uint64_t ActorProcess::first_environment(int each, int all) const {
  return static_cast<std::uint64_t>(task_.starts) * static_cast<std::uint64_t>(all) +
         static_cast<std::uint64_t>(task_.index * each);
}

ipc::Message ActorProcess::receive() {
  auto message = channel_.receive();
  if (!message) std::_Exit(EXIT_SUCCESS);
  return *std::move(message);
}

int ActorProcess::claim() {
  if (grants_.empty()) grants_.push_back(receive());
  const auto message = std::move(grants_.front());
  grants_.pop_front();
  if (message.kind != ipc::MessageKind::grant) return 0;
  slot_ = message.slot;
  return static_cast<int>(message.number);
}

void ActorProcess::send(const ipc::Message& message) {
  if (!channel_.send(message)) std::_Exit(EXIT_SUCCESS);
}

void ActorProcess::send_played(std::uint32_t slot, std::int64_t bytes, std::string episodes) {
  send({ipc::MessageKind::played, slot, bytes, std::move(episodes)});
}

void ActorProcess::send_parked(std::string state) {
  send({ipc::MessageKind::parked, 0, 0, std::move(state)});
}

void ActorProcess::tell(std::string payload) {
  send({ipc::MessageKind::tell, 0, 0, std::move(payload)});
}

ipc::Message ActorProcess::ask(std::int64_t number) {
  send({ipc::MessageKind::ask, 0, number, {}});
  for (;;) {
    auto message = receive();
    if (message.kind == ipc::MessageKind::answer) return message;
    grants_.push_back(std::move(message));
  }
}

}  // namespace hone::actors
