#include "worker/train/envs/minatar/seaquest.hpp"

#include <algorithm>

namespace hone::envs::minatar {
namespace {

using Sea = Seaquest::State;
static_assert(is_words<Sea>);

constexpr int oxygen_max = 200;
constexpr int crew_max = 6;
constexpr int own_shot_pause = 5;
constexpr int enemy_shot_pause = 10;
constexpr int diver_pause = 30;
constexpr int diver_move_interval = 5;
constexpr int lowest_row = side - 2;
constexpr int gauge_row = side - 1;

template <class Thing>
bool on_sub(const Sea& state, const Thing& thing) {
  return thing.column == state.column && thing.row == state.row;
}

template <class A, class B>
bool same_cell(const A& a, const B& b) {
  return a.column == b.column && a.row == b.row;
}

// Removes the first element that is equal, as the lists of the original do: of two equal ones the
// newer is then visited again.
template <class Item, int Most>
void remove_equal(Few<Item, Most>& list, const Item& item) {
  for (int i = 0; i < list.count; ++i)
    if (list[i] == item) return list.remove(i);
}

// Removes also the first element in the same cell.
template <class Thing, class Item, int Most>
bool takes_along(const Thing& thing, Few<Item, Most>& others) {
  for (int i = 0; i < others.count; ++i)
    if (same_cell(thing, others[i])) {
      remove_equal(others, Item{others[i]});
      return true;
    }
  return false;
}

bool meets_other_way(const Few<Seaquest::Swimmer, 64>& list, const Seaquest::Swimmer& newcomer) {
  for (int i = 0; i < list.count; ++i)
    if (list[i].row == newcomer.row && list[i].step != newcomer.step) return true;
  return false;
}

Seaquest::Swimmer newcomer_on(bool from_left, int row, int timer) {
  return {from_left ? 0 : side - 1, row, from_left ? 1 : -1, timer, 0};
}

void spawn(Sea& state, RandomGenerator& random) {
  if (state.spawn_timer == 0) {
    const bool from_left = random.chance(0.5);
    const bool is_sub = random.chance(1.0 / 3.0);
    auto newcomer = newcomer_on(from_left, random.between(1, side - 1), state.move_interval);
    if (is_sub) newcomer.shot_timer = enemy_shot_pause;
    auto& list = is_sub ? state.subs : state.fish;
    if (!meets_other_way(state.fish, newcomer) && !meets_other_way(state.subs, newcomer) &&
        !list.full())
      list.add(newcomer);
    state.spawn_timer = state.spawn_interval;
  }
  if (state.diver_timer == 0) {
    const bool from_left = random.chance(0.5);
    const auto newcomer = newcomer_on(from_left, random.between(1, side - 1), diver_move_interval);
    if (!state.divers.full()) state.divers.add(newcomer);
    state.diver_timer = diver_pause;
  }
}

void act_on(Sea& state, Act act) {
  if (act == Act::fire && state.shot_timer == 0) {
    if (!state.bullets.full()) state.bullets.add({state.column, state.row, state.step});
    state.shot_timer = own_shot_pause;
  }
  if (act == Act::left || act == Act::right) {
    state.step = act == Act::left ? -1 : 1;
    state.column = std::clamp(state.column + state.step, 0, side - 1);
  }
  if (act == Act::up) state.row = std::max(0, state.row - 1);
  if (act == Act::down) state.row = std::min(lowest_row, state.row + 1);
}

void fly_bullets(Sea& state, Outcome& outcome) {
  for (int i = state.bullets.count - 1; i >= 0; --i) {
    auto& bullet = state.bullets[i];
    bullet.column += bullet.step;
    const auto moved = bullet;
    if (!on_grid(moved.column)) {
      remove_equal(state.bullets, moved);
    } else if (takes_along(moved, state.fish) || takes_along(moved, state.subs)) {
      remove_equal(state.bullets, moved);
      outcome.reward += 1;
    }
  }
}

void move_divers(Sea& state) {
  for (int i = state.divers.count - 1; i >= 0; --i) {
    auto& diver = state.divers[i];
    const auto boards = [&] {
      if (!on_sub(state, diver) || state.divers_aboard >= crew_max) return false;
      ++state.divers_aboard;
      remove_equal(state.divers, Seaquest::Swimmer{diver});
      return true;
    };
    if (boards()) continue;
    if (diver.timer > 0) {
      --diver.timer;
      continue;
    }
    diver.timer = diver_move_interval;
    diver.column += diver.step;
    if (!on_grid(diver.column))
      remove_equal(state.divers, Seaquest::Swimmer{diver});
    else
      boards();
  }
}

// Moves a fish or a submarine whose waiting time is over.
void swim(Sea& state, Few<Seaquest::Swimmer, 64>& list, int i, Outcome& outcome) {
  auto& swimmer = list[i];
  if (on_sub(state, swimmer)) outcome.over = true;
  if (swimmer.timer > 0) {
    --swimmer.timer;
    return;
  }
  swimmer.timer = state.move_interval;
  swimmer.column += swimmer.step;
  const auto moved = swimmer;
  if (!on_grid(moved.column)) {
    remove_equal(list, moved);
  } else if (on_sub(state, moved)) {
    outcome.over = true;
  } else if (takes_along(moved, state.bullets)) {
    remove_equal(list, moved);
    outcome.reward += 1;
  }
}

// A submarine that left or was shot in this step still shoots.
void move_subs(Sea& state, Outcome& outcome) {
  for (int i = state.subs.count - 1; i >= 0; --i) {
    const auto before = state.subs[i];
    const int count = state.subs.count;
    swim(state, state.subs, i, outcome);
    const bool gone = state.subs.count < count;
    auto shooter = before;
    if (before.timer == 0) shooter.column += before.step;
    if (before.shot_timer == 0) {
      if (!state.enemy_bullets.full())
        state.enemy_bullets.add({shooter.column, shooter.row, shooter.step});
      if (!gone) state.subs[i].shot_timer = enemy_shot_pause;
    } else if (!gone) {
      --state.subs[i].shot_timer;
    }
  }
}

void fly_enemy_bullets(Sea& state, Outcome& outcome) {
  for (int i = state.enemy_bullets.count - 1; i >= 0; --i) {
    auto& bullet = state.enemy_bullets[i];
    if (on_sub(state, bullet)) outcome.over = true;
    bullet.column += bullet.step;
    if (!on_grid(bullet.column))
      remove_equal(state.enemy_bullets, Seaquest::Bullet{bullet});
    else if (on_sub(state, bullet))
      outcome.over = true;
  }
}

void surface(Sea& state, Outcome& outcome) {
  state.surfaced = 1;
  if (state.divers_aboard == crew_max) {
    state.divers_aboard = 0;
    outcome.reward += static_cast<float>(state.oxygen * side / oxygen_max);
  }
  state.oxygen = oxygen_max;
  --state.divers_aboard;  // to -1 after a full crew, as in the original
  if (state.spawn_interval <= 1 && state.move_interval <= 2) return;
  if (state.move_interval > 2 && state.ramps % 2 == 1) --state.move_interval;
  if (state.spawn_interval > 1) --state.spawn_interval;
  ++state.ramps;
}

void breathe(Sea& state, Outcome& outcome) {
  if (state.oxygen <= 0) outcome.over = true;
  if (state.row > 0) {
    --state.oxygen;
    state.surfaced = 0;
  } else if (state.surfaced == 0) {
    if (state.divers_aboard == 0)
      outcome.over = true;
    else
      surface(state, outcome);
  }
}

}  // namespace

void Seaquest::begin(State& state, RandomGenerator&) { state = {}; }

Outcome Seaquest::move(State& state, Act act, RandomGenerator& random) {
  Outcome outcome;
  spawn(state, random);
  act_on(state, act);
  fly_bullets(state, outcome);
  move_divers(state);
  move_subs(state, outcome);
  fly_enemy_bullets(state, outcome);
  for (int i = state.fish.count - 1; i >= 0; --i) swim(state, state.fish, i, outcome);
  --state.spawn_timer;
  --state.diver_timer;
  if (state.shot_timer > 0) --state.shot_timer;
  breathe(state, outcome);
  return outcome;
}

void Seaquest::draw(const State& state, const Canvas& canvas) {
  canvas.mark(state.row, state.column, sub_front);
  canvas.mark(state.row, state.column - state.step, sub_back);
  const int air = state.oxygen * side / oxygen_max;
  for (int column = 0; column < air; ++column) canvas.mark(gauge_row, column, oxygen_gauge);
  for (int column = side - 1 - state.divers_aboard; column < side - 1; ++column)
    canvas.mark(gauge_row, column, diver_gauge);
  const auto mark_all = [&](const auto& list, int channel, bool with_trail) {
    for (int i = 0; i < list.count; ++i) {
      canvas.mark(list[i].row, list[i].column, channel);
      const int behind = list[i].column - list[i].step;
      if (with_trail && on_grid(behind)) canvas.mark(list[i].row, behind, trail);
    }
  };
  mark_all(state.bullets, friendly_bullet, false);
  mark_all(state.enemy_bullets, enemy_bullet, false);
  mark_all(state.fish, fish, true);
  mark_all(state.subs, enemy_sub, true);
  mark_all(state.divers, diver, true);
}

bool Seaquest::is_sound(const State& state) {
  const auto inside = [](const auto& list) {
    return is_within(list.count, 0, static_cast<int>(list.items.size())) &&
           std::ranges::all_of(list, [](const auto& one) {
             return on_grid(one.row, one.column) && is_step(one.step);
           });
  };
  const auto swims = [&](const auto& list) {
    return inside(list) && std::ranges::all_of(list, [](const Swimmer& one) {
             return are_counts(one.timer, one.shot_timer);
           });
  };
  return on_grid(state.row, state.column) && is_step(state.step) &&
         on_grid(state.column - state.step) && is_within(state.oxygen, 0, oxygen_max) &&
         state.divers_aboard <= crew_max &&
         are_counts(state.divers_aboard, state.shot_timer, state.ramps, state.spawn_interval,
                    state.spawn_timer, state.move_interval, state.diver_timer) &&
         inside(state.bullets) && inside(state.enemy_bullets) && swims(state.fish) &&
         swims(state.subs) && swims(state.divers);
}

}  // namespace hone::envs::minatar
