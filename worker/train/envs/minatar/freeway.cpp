#include "worker/train/envs/minatar/freeway.hpp"

#include <algorithm>

namespace hone::envs::minatar {
namespace {

static_assert(is_words<Freeway::State>);

constexpr int chicken_column = 4;
constexpr int last_row = side - 1;
constexpr int move_pause = 3;

int lane_row(std::size_t car) { return static_cast<int>(car) + 1; }

// Draws new speeds; the cars keep their positions.
void shuffle_speeds(Freeway::State& state, RandomGenerator& random) {
  for (auto& car : state.cars) car.wait = random.between(1, 6);
  for (auto& car : state.cars) {
    car.step = random.chance(0.5) ? -1 : 1;
    car.timer = car.wait;
  }
}

void walk(Freeway::State& state, Act act) {
  if (state.move_timer > 0 || (act != Act::up && act != Act::down)) return;
  state.move_timer = move_pause;
  state.row = std::clamp(state.row + (act == Act::up ? -1 : 1), 0, last_row);
}

}  // namespace

void Freeway::begin(State& state, RandomGenerator& random) {
  state = {};
  shuffle_speeds(state, random);
}

Outcome Freeway::move(State& state, Act act, RandomGenerator& random) {
  Outcome outcome;
  walk(state, act);
  if (state.row == 0) {
    outcome.reward += 1;
    shuffle_speeds(state, random);
    state.row = last_row;
  }
  for (std::size_t i = 0; i < cars_count; ++i) {
    auto& car = state.cars[i];
    const auto hits = [&] { return car.column == chicken_column && lane_row(i) == state.row; };
    if (hits()) state.row = last_row;
    if (car.timer > 0) {
      --car.timer;
      continue;
    }
    car.timer = car.wait;
    car.column = (car.column + car.step + side) % side;
    if (hits()) state.row = last_row;
  }
  if (state.move_timer > 0) --state.move_timer;
  --state.time_left;
  outcome.over = state.time_left < 0;
  return outcome;
}

void Freeway::draw(const State& state, const Canvas& canvas) {
  canvas.mark(state.row, chicken_column, chicken);
  for (std::size_t i = 0; i < cars_count; ++i) {
    const auto& lane = state.cars[i];
    canvas.mark(lane_row(i), lane.column, car);
    canvas.mark(lane_row(i), (lane.column - lane.step + side) % side,
                slowest_trail + lane.wait - 1);
  }
}

bool Freeway::is_sound(const State& state) {
  return on_grid(state.row) && are_counts(state.move_timer, state.time_left) &&
         std::ranges::all_of(state.cars, [](const Car& car) {
           return on_grid(car.column) && is_within(car.wait, 1, channels - slowest_trail) &&
                  are_counts(car.timer) && is_step(car.step);
         });
}

}  // namespace hone::envs::minatar
