#include "worker/train/value/gorila_guests.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "worker/train/actors/cursor.hpp"
#include "worker/train/nn/kernels/kernels.hpp"

namespace hone::q {
namespace {

// What a told gradient begins with; its floats follow.
struct Head {
  double loss = 0, value = 0, norm = 0;
  std::uint64_t outlier = 0;
};

// Other instructions round a norm differently.
constexpr double norm_slack = 1.001;

bool is_sound(const Head& head) {
  const auto small = [](double number) {
    return std::abs(number) <= actors::moderate_max;  // false for NaN
  };
  return small(head.loss) && small(head.value) && small(head.norm) && head.norm >= 0 &&
         head.outlier <= 1;
}

}  // namespace

std::string payload_of(const NodeGradient& gradient) {
  const Head head{gradient.loss, gradient.value, gradient.norm, gradient.outlier ? 1U : 0U};
  std::string payload(sizeof head + gradient.gradient.size_bytes(), 0);
  std::memcpy(payload.data(), &head, sizeof head);
  std::memcpy(payload.data() + sizeof head, gradient.gradient.data(),
              gradient.gradient.size_bytes());
  return payload;
}

bool read_parameters(const std::string& payload, std::span<float> weights,
                     std::span<std::int64_t> versions) {
  if (payload.size() != versions.size_bytes() + weights.size_bytes()) return false;
  std::memcpy(versions.data(), payload.data(), versions.size_bytes());
  std::memcpy(weights.data(), payload.data() + versions.size_bytes(), weights.size_bytes());
  return true;
}

GorilaGuests::GorilaGuests(const Options& options, GorilaServer& server)
    : options_(options),
      server_(server),
      frames_max_(std::int64_t{options.apex.steps} * options.envs / options.apex.actors),
      gradients_max_((frames_max_ / options.train_every + 1) * options.updates),
      floats_(server.shards().size()),
      nodes_(static_cast<std::size_t>(options.apex.actors)) {}

std::optional<ipc::Message> GorilaGuests::hear(int index, const ipc::Message& message) {
  auto& node = nodes_[static_cast<std::size_t>(index)];
  if (message.kind == ipc::MessageKind::ask) return answer(node, message.number);
  return take(node, message.payload) ? std::optional(ipc::Message{}) : std::nullopt;
}

std::optional<ipc::Message> GorilaGuests::answer(Node& node, std::int64_t frames) {
  if (frames < 0 || frames > frames_max_) return std::nullopt;
  node.versions.resize(server_.shards().count());
  server_.pull(floats_, node.versions);
  const std::span<const std::int64_t> versions(node.versions);
  const std::span<const float> weights(floats_);
  ipc::Message message{ipc::MessageKind::answer, 0, server_.count(static_cast<int>(frames)), {}};
  message.payload.resize(versions.size_bytes() + weights.size_bytes());
  std::memcpy(message.payload.data(), versions.data(), versions.size_bytes());
  std::memcpy(message.payload.data() + versions.size_bytes(), weights.data(), weights.size_bytes());
  return message;
}

double GorilaGuests::rate() {
  const auto played = static_cast<double>(server_.count(0));
  return options_.rate.at(std::min(played / static_cast<double>(options_.frames_total), 1.0));
}

bool GorilaGuests::take(Node& node, const std::string& payload) {
  Head head;
  const std::span<float> gradient(floats_);
  if (payload.size() != sizeof head + gradient.size_bytes()) return false;
  std::memcpy(&head, payload.data(), sizeof head);
  std::memcpy(gradient.data(), payload.data() + sizeof head, gradient.size_bytes());
  if (node.versions.empty() || ++node.gradients > gradients_max_ || !is_sound(head)) return false;
  const double squares =
      dense::best_kernels().square_sum(gradient.data(), static_cast<std::int64_t>(gradient.size()));
  const double clip = options_.learning.optimizer.clip;
  const double bound = clip > 0 ? clip * norm_slack : actors::moderate_max;
  if (!(std::sqrt(squares) <= bound)) return false;  // also of what is not a number
  server_.push(
      {gradient, node.versions, rate(), head.loss, head.value, head.norm, head.outlier == 1});
  return true;
}

}  // namespace hone::q
