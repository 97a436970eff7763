#include "sdk/cli/local/ticker.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "sdk/cli/render/numbers.hpp"

namespace hone::cli {

Ticker::Ticker(const Session& session, std::int64_t total, std::string unit)
    : silent_(session.options().quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      total_(total),
      unit_(std::move(unit)),
      start_(Clock::now()),
      next_(start_ + std::chrono::seconds(2)) {}

void Ticker::reach(std::int64_t count) {
  count_ = count;
  if (silent_) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10));
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
  std::fprintf(stderr, "%s%3d%%  %s/%s %s  %.0f/s  ETA %s%s", terminal_ ? "\r\033[K" : "",
               static_cast<int>(100 * count_ / total_), count_text(count_).c_str(),
               count_text(total_).c_str(), unit_.c_str(), pace, left().c_str(),
               terminal_ ? "" : "\n");
  std::fflush(stderr);
  drawn_ = true;
}

void Ticker::done() {
  if (drawn_ && terminal_) std::fputs("\r\033[K", stderr);
}

}  // namespace hone::cli
