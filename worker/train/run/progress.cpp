#include "worker/train/run/progress.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace hone::trainers {
namespace {

constexpr auto plain_interval = std::chrono::seconds(10);

std::string formatted(const char* form, double number, const char* suffix) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), form, number, suffix);
  return text.data();
}

std::string duration_text(double seconds) {
  if (seconds < 99.5) return formatted("%.0f%s", seconds, " s");
  if (seconds < 99.5 * 60) return formatted("%.0f%s", seconds / 60, " min");
  return formatted("%.1f%s", seconds / 3600, " h");
}

}  // namespace

std::string short_count(double count) {
  if (count < 1e3) return formatted("%.0f%s", count, "");
  if (count < 1e6) return formatted("%.0f%s", count / 1e3, "k");
  if (count < 1e9) return formatted("%.2f%s", count / 1e6, "M");
  return formatted("%.2f%s", count / 1e9, "G");
}

ProgressLine::ProgressLine(ProgressGoal goal, bool terminal)
    : goal_(std::move(goal)), terminal_(terminal) {}

std::string ProgressLine::text(std::int64_t step, Score value, double seconds) const {
  const auto done = static_cast<double>(step - goal_.start);
  const auto left = static_cast<double>(goal_.end - step);
  std::string line = short_count(static_cast<double>(step)) + " / " +
                     short_count(static_cast<double>(goal_.end)) + " " + goal_.unit + "  " +
                     goal_.objective + " ";
  line += value.is_diverged() ? "diverged" : formatted("%.1f%s", value.value(), "");
  if (seconds > 0) line += "  " + short_count(done / seconds) + " " + goal_.unit + "/s";
  if (seconds > 0 && done > 0 && left > 0) line += "  ETA " + duration_text(left * seconds / done);
  return line;
}

void ProgressLine::show(std::int64_t step, Score value) {
  if (!terminal_ && Clock::now() - shown_ < plain_interval) return;
  shown_ = Clock::now();
  write(step, value, false);
}

void ProgressLine::finish(std::int64_t step, Score value) { write(step, value, true); }

void ProgressLine::write(std::int64_t step, Score value, bool last) {
  const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  const auto line = text(step, value, seconds);
  if (terminal_)
    std::fprintf(stderr, "\r%s\x1b[K%s", line.c_str(), last ? "\n" : "");
  else
    std::fprintf(stderr, "%s\n", line.c_str());
  std::fflush(stderr);
}

}  // namespace hone::trainers
