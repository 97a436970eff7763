// How both sides notice that the other has gone.
#pragma once

#include <chrono>

namespace hone::relay {

constexpr std::chrono::milliseconds beat_ms{1'000};
// Longer than a switch takes to reconnect, or a busy machine to answer.
constexpr std::chrono::seconds silence_max{10};
// In which a guest plays what it was asked for. A slot has at most some hundred steps, and a step
// of an environment has a minute before it counts as hung.
constexpr std::chrono::milliseconds play_max = std::chrono::minutes(10);
// For the last messages of an end.
constexpr std::chrono::milliseconds goodbye_ms{2'000};

}  // namespace hone::relay
