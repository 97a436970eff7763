// bridge_bench NAME COPIES STEPS: measures the cost of the bridge alone. Plays STEPS steps of every
// copy of an environment by random actions, without learning, and prints their number and the time;
// tests/bench/bridge measures the CPU time of this process and of its Python.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "worker/train/envs/table.hpp"

namespace {

using Clock = std::chrono::steady_clock;

int play(const char* name, int copies, int steps) {
  auto found = hone::envs::find_env(name);
  auto env = found ? found->make({.count = copies, .seed = 1})
                   : hone::Result<std::unique_ptr<hone::envs::VecEnv>>(found.error());
  if (!env) {
    std::fprintf(stderr, "bridge_bench: %s\n", env.error().detail.c_str());
    return EXIT_FAILURE;
  }
  const auto& spec = (*env)->spec();
  const auto count = static_cast<std::size_t>(copies);
  std::vector<float> seen(count * static_cast<std::size_t>(spec.row_floats()));
  std::vector<float> last(seen.size()), rewards(count);
  std::vector<std::uint8_t> terminated(count), truncated(count);
  const bool discrete = spec.action_kind == hone::envs::ActionKind::discrete;
  std::vector<std::int32_t> choices(discrete ? count : 0);
  std::vector<float> numbers(discrete ? 0 : count * static_cast<std::size_t>(spec.actions));
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int32_t> choice(0, spec.actions - 1);
  std::uniform_real_distribution<float> number(-1, 1);

  (*env)->reset(seen.data());
  const auto start = Clock::now();
  for (int t = 0; t < steps; ++t) {
    for (auto& one : choices) one = choice(random);
    for (auto& one : numbers) one = number(random);
    (*env)->step({choices, numbers},
                 {seen.data(), rewards.data(), terminated.data(), truncated.data(), last.data()});
  }
  const std::chrono::duration<double> took = Clock::now() - start;
  std::printf("{\"frames\": %lld, \"seconds\": %.6f}\n", static_cast<long long>(copies) * steps,
              took.count());
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: bridge_bench NAME COPIES STEPS\n");
    return EXIT_FAILURE;
  }
  const int copies = std::atoi(argv[2]), steps = std::atoi(argv[3]);
  if (copies > 0 && steps > 0) return play(argv[1], copies, steps);
  std::fprintf(stderr, "bridge_bench: COPIES and STEPS must be positive\n");
  return EXIT_FAILURE;
}
