// Inserts and draws of a replay memory of a million slots, the observations those of CartPole: a
// step, a draw, or for prioritized memories a draw and the new priority of what was drawn, is an
// item. The target is 2 million items a second on one core.
#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "worker/train/replay/memory.hpp"

namespace hone::replay {
namespace {

constexpr std::size_t slots = 1'000'000;

struct Full {
  explicit Full(Priority priority)
      : index(make_index({priority, 0.6, 1e-6}, slots)),
        memory({slots, 1, 4 * sizeof(float), 1, 0, 1, 1, 0.99}, *index) {
    for (std::size_t i = 0; i < slots + 1000; ++i) insert();
    std::vector<Draw> draws(1000);
    for (int i = 0; i < 2000; ++i) {
      index->draw(draws, random);
      for (const auto& draw : draws) index->set_error(draw.slot, random.normal());
    }
  }

  void insert() {
    const std::array<float, 4> observation{1, 2, 3, static_cast<float>(++count)};
    const float action = 1;
    memory.append(0, {observation.data(),
                      {&action, 1},
                      1,
                      count % 200 == 0 ? Ending::terminated : Ending::none,
                      nullptr});
  }

  envs::Stream random{1, envs::Purpose::replay, 0};
  std::unique_ptr<Index> index;
  Memory memory;
  std::uint64_t count = 0;
};

void insert(benchmark::State& state) {
  Full full(static_cast<Priority>(state.range(0)));
  for (auto unused : state) full.insert();
  state.SetItemsProcessed(state.iterations());
}

void draw(benchmark::State& state) {
  Full full(static_cast<Priority>(state.range(0)));
  std::vector<Draw> draws(256);
  std::array<float, 4> observation{}, next{};
  float action = 0;
  for (auto unused : state) {
    full.index->draw(draws, full.random);
    for (const auto& draw : draws)
      benchmark::DoNotOptimize(
          full.memory.read(draw.slot, observation.data(), next.data(), {&action, 1}));
  }
  state.SetItemsProcessed(state.iterations() * 256);
}

void draw_and_update(benchmark::State& state) {
  Full full(static_cast<Priority>(state.range(0)));
  std::vector<Draw> draws(256);
  for (auto unused : state) {
    full.index->draw(draws, full.random);
    for (const auto& draw : draws) full.index->set_error(draw.slot, draw.probability * 1e6);
  }
  state.SetItemsProcessed(state.iterations() * 256);
}

BENCHMARK(insert)->ArgName("priority")->DenseRange(0, 2);
BENCHMARK(draw)->ArgName("priority")->DenseRange(0, 2);
BENCHMARK(draw_and_update)->ArgName("priority")->DenseRange(1, 2);

}  // namespace
}  // namespace hone::replay

BENCHMARK_MAIN();
