#include "worker/train/envs/minatar/asterix.hpp"

#include <algorithm>

namespace hone::envs::minatar {
namespace {

static_assert(is_words<Asterix::State>);

constexpr int ramp_interval = 100;
constexpr int first_row = 1;

int row_of_slot(std::size_t slot) { return static_cast<int>(slot) + first_row; }

void spawn(Asterix::State& state, RandomGenerator& random) {
  // Both numbers are drawn even if there is no room.
  const bool from_left = random.chance(0.5);
  const bool is_gold = random.chance(1.0 / 3.0);
  std::array<std::size_t, Asterix::slots> free{};
  int count = 0;
  for (std::size_t slot = 0; slot < Asterix::slots; ++slot)
    if (state.things[slot].there == 0) free[static_cast<std::size_t>(count++)] = slot;
  if (count == 0) return;
  const auto slot = free[static_cast<std::size_t>(random.below(count))];
  state.things[slot] = {1, from_left ? 0 : side - 1, from_left ? 1 : -1, is_gold ? 1 : 0};
}

void walk(Asterix::State& state, Act act) {
  if (act == Act::left) state.column = std::max(0, state.column - 1);
  if (act == Act::right) state.column = std::min(side - 1, state.column + 1);
  if (act == Act::up) state.row = std::max(1, state.row - 1);
  if (act == Act::down) state.row = std::min(side - 2, state.row + 1);
}

void meet(Asterix::State& state, std::size_t slot, Outcome& outcome) {
  auto& thing = state.things[slot];
  if (thing.there == 0 || thing.column != state.column || row_of_slot(slot) != state.row) return;
  if (thing.is_gold == 0) {
    outcome.over = true;
    return;
  }
  thing = {};
  outcome.reward += 1;
}

void ramp(Asterix::State& state) {
  if (state.spawn_interval <= 1 && state.move_interval <= 1) return;
  if (state.ramp_timer >= 0) {
    --state.ramp_timer;
    return;
  }
  if (state.move_interval > 1 && state.ramps % 2 == 1) --state.move_interval;
  if (state.spawn_interval > 1) --state.spawn_interval;
  ++state.ramps;
  state.ramp_timer = ramp_interval;
}

}  // namespace

void Asterix::begin(State& state, RandomGenerator&) { state = {}; }

Outcome Asterix::move(State& state, Act act, RandomGenerator& random) {
  Outcome outcome;
  if (state.spawn_timer == 0) {
    spawn(state, random);
    state.spawn_timer = state.spawn_interval;
  }
  walk(state, act);
  for (std::size_t slot = 0; slot < slots; ++slot) meet(state, slot, outcome);
  if (state.move_timer == 0) {
    state.move_timer = state.move_interval;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      auto& thing = state.things[slot];
      if (thing.there == 0) continue;
      thing.column += thing.step;
      if (!on_grid(thing.column)) thing = {};
      meet(state, slot, outcome);
    }
  }
  --state.spawn_timer;
  --state.move_timer;
  ramp(state);
  return outcome;
}

void Asterix::draw(const State& state, const Canvas& canvas) {
  canvas.mark(state.row, state.column, player);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const auto& thing = state.things[slot];
    if (thing.there == 0) continue;
    canvas.mark(row_of_slot(slot), thing.column, thing.is_gold != 0 ? gold : enemy);
    const int behind = thing.column - thing.step;
    if (on_grid(behind)) canvas.mark(row_of_slot(slot), behind, trail);
  }
}

bool Asterix::is_sound(const State& state) {
  return on_grid(state.row, state.column) &&
         are_counts(state.spawn_interval, state.spawn_timer, state.move_interval, state.move_timer,
                    state.ramp_timer, state.ramps) &&
         std::ranges::all_of(state.things, [](const Thing& thing) {
           return on_grid(thing.column) && is_step(thing.step);
         });
}

}  // namespace hone::envs::minatar
