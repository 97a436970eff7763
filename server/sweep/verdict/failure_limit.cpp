#include "server/sweep/verdict/failure_limit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/expect.hpp"
#include "server/sweep/state/failures.hpp"

namespace hone {
namespace {

constexpr std::size_t errors_max = 100;       // different texts, for each sweep
constexpr std::size_t error_bytes_max = 200;  // enough for the line of an exception

// Cuts a text between two characters of UTF-8.
std::string shortened(std::string text) {
  std::size_t bytes = std::min(error_bytes_max, text.size());
  while (bytes > 0 && bytes < text.size() && (text[bytes] & 0xC0) == 0x80) --bytes;
  text.resize(bytes);
  return text;
}

// The last line that the program wrote, else what the worker observed.
std::string error_of(const RunEnded& end) {
  const std::string& log = end.log_tail;
  const auto last = log.find_last_not_of("\n\r \t");
  if (last == std::string::npos) return shortened(end.detail);
  const auto before = log.rfind('\n', last);
  const auto begin = before == std::string::npos ? 0 : before + 1;
  return shortened(log.substr(begin, last + 1 - begin));
}

// Whether a failure of this class would repeat itself with other parameters on other machines.
bool would_repeat(Failure failure) {
  switch (failure) {
    case Failure::oom:
    case Failure::timed_out:
    case Failure::user_error:
    case Failure::crash:
      return true;
    case Failure::none:
    case Failure::infra:
    case Failure::preempted:
    case Failure::infeasible:
    case Failure::diverged:
      return false;
  }
  unreachable();
}

FailureTally tally_after(const Book& book, const Sweep& sweep, const Events& events) {
  FailureTally tally = sweep.failing;
  for (const EventBody& body : events)
    if (const auto* e = std::get_if<RunEnded>(&body))
      note_end(tally, *e, find_run(book, e->run)->reports.size());
  return tally;
}

// Whether a run is training that has come further than every one that failed.
bool one_fares_better(const Book& book, const Sweep& sweep, const FailureTally& tally) {
  return std::ranges::any_of(sweep.runs, [&](RunId id) {
    const Run& run = *find_run(book, id);
    return run.lease && std::cmp_greater(run.reports.size(), tally.longest);
  });
}

}  // namespace

void note_success(FailureTally& tally) {
  tally.in_a_row = 0;
  tally.only = false;
}

void note_end(FailureTally& tally, const RunEnded& end, std::size_t reports) {
  if (end.state == RunState::canceled) return;
  if (end.state != RunState::failed) return note_success(tally);
  ++tally.runs;
  if (tally.in_a_row > 0 && end.failure != tally.latest) note_success(tally);
  if (tally.in_a_row == 0 || end.run.trial != tally.trial) ++tally.in_a_row;
  tally.latest = end.failure;
  tally.trial = end.run.trial;
  tally.longest = std::max(tally.longest, static_cast<std::int64_t>(reports));
  const std::string error = error_of(end);
  if (tally.errors.size() < errors_max || tally.errors.contains(error)) ++tally.errors[error];
}

std::string failures_text(const Book& book, const Sweep& sweep, const Events& events) {
  const FailureTally tally = tally_after(book, sweep, events);
  const auto most = std::ranges::max_element(
      tally.errors, [](const auto& a, const auto& b) { return a.second < b.second; });
  std::string text = std::to_string(tally.runs) + (tally.runs == 1 ? " run" : " runs") + " failed";
  if (most == tally.errors.end() || most->first.empty()) return text;
  return text +
         (most->second == tally.runs ? ": " : ", " + std::to_string(most->second) + " with: ") +
         most->first;
}

bool reaches_failure_limit(const Book& book, const Sweep& sweep, const Events& events) {
  const auto* end = std::get_if<RunEnded>(&events.back());
  if (end == nullptr || end->state != RunState::failed) return false;
  const bool live = sweep.state == SweepState::running || sweep.state == SweepState::paused;
  if (sweep.rules < 1 || !live) return false;
  const FailureTally tally = tally_after(book, sweep, events);
  if (const auto limit = sweep.spec.limits.max_failed) {
    const auto runs = static_cast<double>(sweep.spec.search.trials * first_runs(sweep.spec));
    return tally.runs > (*limit < 1 ? std::floor(*limit * runs) : *limit);
  }
  if (std::holds_alternative<AskTrainer>(sweep.spec.trainer) || !would_repeat(tally.latest))
    return false;
  if (tally.in_a_row < (tally.only ? in_a_row_first : in_a_row_later)) return false;
  return !one_fares_better(book, sweep, tally);
}

}  // namespace hone
