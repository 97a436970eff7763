// The training's side of nodes of Gorila on other hosts, which ask for the parameters and tell
// their gradients. What they send is judged as what a stranger sends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "worker/train/ipc/channel.hpp"
#include "worker/train/value/gorila_server.hpp"

namespace hone::q {

// What a node tells. The versions and the rate are left out: the training knows the parameters that
// the node has last asked for, and the schedule.
std::string payload_of(const NodeGradient& gradient);

// What it is answered: a version for each shard and the parameters. False for another payload.
bool read_parameters(const std::string& payload, std::span<float> weights,
                     std::span<std::int64_t> versions);

// Used by one thread.
class GorilaGuests {
 public:
  // Both must outlive the object.
  GorilaGuests(const Options& options, GorilaServer& server);

  // Takes what a node sends, and returns the answer to one that asks: its `number` is the frames
  // that it has played since it last asked, that of the answer the frames of all nodes. nullopt for
  // what no node sends: another size; a number that is not finite or beyond 1e12; a gradient longer
  // than the bound of its norm, of parameters that it did not ask for, or beyond those that a part
  // of the play has.
  std::optional<ipc::Message> hear(int node, const ipc::Message& message);
  // The node has played a part, or is another one now.
  void begin_part(int node) { nodes_[static_cast<std::size_t>(node)].gradients = 0; }

 private:
  struct Node {
    std::vector<std::int64_t> versions{};  // of the parameters that it has; empty: none
    std::int64_t gradients = 0;            // of this part
  };

  std::optional<ipc::Message> answer(Node& node, std::int64_t frames);
  bool take(Node& node, const std::string& payload);
  [[nodiscard]] double rate();

  const Options& options_;
  GorilaServer& server_;
  std::int64_t frames_max_, gradients_max_;  // of a part
  dense::Floats floats_;                     // room for parameters or a gradient
  std::vector<Node> nodes_;
};

}  // namespace hone::q
