#include "worker/train/envs/minatar/breakout.hpp"

#include <algorithm>

namespace hone::envs::minatar {
namespace {

static_assert(is_words<Breakout::State>);

constexpr int paddle_row = side - 1;
constexpr int ball_start_row = 3;
constexpr int first_brick_row = 1, last_brick_row = 3;

void lay_bricks(Breakout::State& state) {
  for (auto& row : state.bricks) row.fill(0);
  for (std::size_t row = first_brick_row; row <= last_brick_row; ++row) state.bricks[row].fill(1);
}

bool bricks_left(const Breakout::State& state) {
  return std::any_of(state.bricks.begin(), state.bricks.end(), [](const auto& row) {
    return std::find(row.begin(), row.end(), 1) != row.end();
  });
}

Flag& brick_at(Breakout::State& state, const Breakout::Ball& at) {
  return state.bricks[static_cast<std::size_t>(at.row)][static_cast<std::size_t>(at.column)];
}

// Handles a ball that arrives in the row of the paddle. Returns true if the paddle misses it.
// `before` is the column of the ball before it bounced off a side wall.
bool meets_paddle_row(Breakout::State& state, Breakout::Ball& next) {
  if (!bricks_left(state)) lay_bricks(state);
  if (state.ball.column == state.paddle) {
    state.down = -state.down;
    next.row = state.last_ball.row;
  } else if (next.column == state.paddle) {
    state.down = -state.down;
    state.right = -state.right;
    next.row = state.last_ball.row;
  } else {
    return true;
  }
  return false;
}

}  // namespace

void Breakout::begin(State& state, RandomGenerator& random) {
  state = {};
  const bool from_right = random.below(2) == 1;
  state.ball = {ball_start_row, from_right ? side - 1 : 0};
  state.right = from_right ? -1 : 1;
  state.last_ball = state.ball;
  lay_bricks(state);
}

Outcome Breakout::move(State& state, Act act, RandomGenerator&) {
  Outcome outcome;
  if (act == Act::left) state.paddle = std::max(0, state.paddle - 1);
  if (act == Act::right) state.paddle = std::min(side - 1, state.paddle + 1);
  state.last_ball = state.ball;
  Ball next{state.ball.row + state.down, state.ball.column + state.right};
  if (!on_grid(next.column)) {
    next.column = std::clamp(next.column, 0, side - 1);
    state.right = -state.right;
  }
  bool hit = false;
  if (next.row < 0) {
    next.row = 0;
    state.down = -state.down;
  } else if (brick_at(state, next) != 0) {
    hit = true;
    if (state.struck == 0) {
      outcome.reward += 1;
      state.struck = 1;
      brick_at(state, next) = 0;
      next.row = state.last_ball.row;
      state.down = -state.down;
    }
  } else if (next.row == paddle_row) {
    outcome.over = meets_paddle_row(state, next);
  }
  if (!hit) state.struck = 0;
  state.ball = next;
  return outcome;
}

void Breakout::draw(const State& state, const Canvas& canvas) {
  canvas.mark(state.ball.row, state.ball.column, ball);
  canvas.mark(paddle_row, state.paddle, paddle);
  canvas.mark(state.last_ball.row, state.last_ball.column, trail);
  for (int row = first_brick_row; row <= last_brick_row; ++row)
    for (int column = 0; column < side; ++column)
      if (state.bricks[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] != 0)
        canvas.mark(row, column, brick);
}

bool Breakout::is_sound(const State& state) {
  // Above the row of the paddle, so that the next row is on the grid, too.
  const auto flies = [](const Ball& at) {
    return on_grid(at.row, at.column) && at.row < paddle_row;
  };
  for (int row = 0; row < side; ++row) {
    const auto& bricks = state.bricks[static_cast<std::size_t>(row)];
    const bool wall = is_within(row, first_brick_row, last_brick_row);
    if (!wall && std::ranges::any_of(bricks, [](Flag flag) { return flag != 0; })) return false;
  }
  return flies(state.ball) && flies(state.last_ball) && on_grid(state.paddle) &&
         is_step(state.down) && is_step(state.right);
}

}  // namespace hone::envs::minatar
