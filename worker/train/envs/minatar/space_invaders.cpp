#include "worker/train/envs/minatar/space_invaders.hpp"

#include <algorithm>
#include <cstdlib>

namespace hone::envs::minatar {
namespace {

using Invasion = SpaceInvaders::State;
using Map = SpaceInvaders::Map;
static_assert(is_words<Invasion>);

constexpr int cannon_row = side - 1;
constexpr int cannon_pause = 5;
constexpr int alien_shot_pause = 10;
constexpr int slowest_interval = 12, fastest_interval = 6;

Flag& at(Map& map, int row, int column) {
  return map[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
}
Flag at(const Map& map, int row, int column) {
  return map[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
}

void send_wave(Invasion& state) {
  for (int row = 0; row < 4; ++row)
    for (int column = 2; column < 8; ++column) at(state.aliens, row, column) = 1;
}

int count(const Map& map) {
  int total = 0;
  for (const auto& row : map) total += static_cast<int>(std::count(row.begin(), row.end(), 1));
  return total;
}

void act_on(Invasion& state, Act act) {
  if (act == Act::fire && state.shot_timer == 0) {
    at(state.friendly_bullets, cannon_row, state.cannon) = 1;
    state.shot_timer = cannon_pause;
  }
  if (act == Act::left) state.cannon = std::max(0, state.cannon - 1);
  if (act == Act::right) state.cannon = std::min(side - 1, state.cannon + 1);
}

void fly_bullets(Invasion& state) {
  std::rotate(state.friendly_bullets.begin(), state.friendly_bullets.begin() + 1,
              state.friendly_bullets.end());
  state.friendly_bullets.back().fill(0);
  std::rotate(state.enemy_bullets.rbegin(), state.enemy_bullets.rbegin() + 1,
              state.enemy_bullets.rend());
  state.enemy_bullets.front().fill(0);
}

// Returns true when they have landed. Those that leave at an edge enter at the opposite one.
bool march(Invasion& state) {
  state.move_timer = std::min(count(state.aliens), state.move_interval);
  const int edge = state.step < 0 ? 0 : side - 1;
  bool turns = false;
  for (int row = 0; row < side; ++row) turns = turns || at(state.aliens, row, edge) != 0;
  if (!turns) {
    for (auto& row : state.aliens)
      if (state.step < 0)
        std::rotate(row.begin(), row.begin() + 1, row.end());
      else
        std::rotate(row.rbegin(), row.rbegin() + 1, row.rend());
    return false;
  }
  state.step = -state.step;
  const auto& last = state.aliens.back();
  const bool landed = std::find(last.begin(), last.end(), 1) != last.end();
  std::rotate(state.aliens.rbegin(), state.aliens.rbegin() + 1, state.aliens.rend());
  return landed;
}

// The lowest alien of the column nearest to the cannon; of two columns the left one.
void shoot_back(Invasion& state) {
  int best = -1;
  int best_row = 0;
  for (int column = 0; column < side; ++column) {
    if (best >= 0 && std::abs(column - state.cannon) >= std::abs(best - state.cannon)) continue;
    for (int row = side - 1; row >= 0; --row)
      if (at(state.aliens, row, column) != 0) {
        best = column;
        best_row = row;
        break;
      }
  }
  if (best >= 0) at(state.enemy_bullets, best_row, best) = 1;
}

float kill(Invasion& state) {
  float killed = 0;
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column) {
      auto& alien = at(state.aliens, row, column);
      auto& bullet = at(state.friendly_bullets, row, column);
      if (alien == 0 || bullet == 0) continue;
      alien = bullet = 0;
      killed += 1;
    }
  return killed;
}

}  // namespace

void SpaceInvaders::begin(State& state, RandomGenerator&) {
  state = {};
  send_wave(state);
}

Outcome SpaceInvaders::move(State& state, Act act, RandomGenerator&) {
  Outcome outcome;
  act_on(state, act);
  fly_bullets(state);
  const auto overrun = [&] { return at(state.aliens, cannon_row, state.cannon) != 0; };
  if (at(state.enemy_bullets, cannon_row, state.cannon) != 0) outcome.over = true;
  if (overrun()) outcome.over = true;
  if (state.move_timer == 0) {
    if (march(state)) outcome.over = true;
    if (overrun()) outcome.over = true;
  }
  if (state.alien_shot_timer == 0) {
    state.alien_shot_timer = alien_shot_pause;
    shoot_back(state);
  }
  outcome.reward = kill(state);
  if (state.shot_timer > 0) --state.shot_timer;
  --state.move_timer;
  --state.alien_shot_timer;
  if (count(state.aliens) == 0) {
    if (state.move_interval > fastest_interval) --state.move_interval;
    send_wave(state);
  }
  return outcome;
}

void SpaceInvaders::draw(const State& state, const Canvas& canvas) {
  canvas.mark(cannon_row, state.cannon, cannon);
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column) {
      if (at(state.aliens, row, column) != 0) {
        canvas.mark(row, column, alien);
        canvas.mark(row, column, state.step < 0 ? alien_left : alien_right);
      }
      if (at(state.friendly_bullets, row, column) != 0) canvas.mark(row, column, friendly_bullet);
      if (at(state.enemy_bullets, row, column) != 0) canvas.mark(row, column, enemy_bullet);
    }
}

bool SpaceInvaders::is_sound(const State& state) {
  return on_grid(state.cannon) && is_step(state.step) &&
         are_counts(state.move_interval, state.move_timer, state.alien_shot_timer,
                    state.shot_timer);
}

}  // namespace hone::envs::minatar
