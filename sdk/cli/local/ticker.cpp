#include "sdk/cli/local/ticker.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>

#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {

Ticker::Ticker(Session& session, std::int64_t total, std::string unit)
    : terminal_(session.terminal()),
      silent_(session.options().quiet),
      in_place_(isatty(STDERR_FILENO) == 1),
      total_(total),
      unit_(std::move(unit)),
      start_(Clock::now()),
      next_(start_ + std::chrono::seconds(2)) {}

void Ticker::reach(std::int64_t count) {
  count_ = count;
  if (silent_) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + (in_place_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10));
  draw(now);
}

void Ticker::draw(Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double pace = static_cast<double>(count_) / seconds;
  const auto left = [&] {
    if (count_ == 0) return std::string("--");
    const auto rest = static_cast<double>(total_ - count_) / pace;
    return duration_text(hone::seconds(static_cast<std::int64_t>(rest)));
  };
  std::array<char, 32> numbers{};
  std::snprintf(numbers.data(), numbers.size(), "%.0f/s", pace);
  terminal_.show_progress(padded_left(std::to_string(100 * count_ / total_), 3) + "%  " +
                          count_text(count_) + "/" + count_text(total_) + " " + unit_ + "  " +
                          numbers.data() + "  ETA " + left());
  drawn_ = true;
}

void Ticker::done() {
  if (drawn_) terminal_.end_progress();
}

}  // namespace hone::cli
