#include "server/api/outcome.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "base/expect.hpp"
#include "schemas/types/spec.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

constexpr std::size_t causes_max = 5;         // named in a sentence
constexpr std::size_t cause_bytes_max = 120;  // of one of several in a sentence
constexpr std::string_view quoted_from = "its log says \"";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The last line of a log that is not for hone: what a program reports may arrive after what it
// writes to stderr.
std::string last_line(std::string_view text) {
  constexpr std::string_view space = "\n\r \t";
  while (true) {
    const auto end = text.find_last_not_of(space);
    if (end == std::string_view::npos) return {};
    const auto before = text.find_last_of("\n\r", end);
    const auto begin = before == std::string_view::npos ? 0 : before + 1;
    const auto line = text.substr(begin, end + 1 - begin);
    if (!line.starts_with("@hone")) return std::string(line);
    text = text.substr(0, begin);
  }
}

// The text of the log in which the worker found the class, else all that it observed.
std::string observed(const FailedRun& run) {
  const auto from = run.detail.find(quoted_from);
  const auto begin = from + quoted_from.size();
  const auto end = from == std::string::npos ? from : run.detail.find('"', begin);
  return end == std::string::npos ? run.detail : run.detail.substr(begin, end - begin);
}

// Whether the worker knows more than the log of a program that ended itself: it had nothing to
// report, or did not start.
bool worker_knows(EndReason reason) {
  switch (reason) {
    case EndReason::no_report:
    case EndReason::cannot_start:
    case EndReason::disk_limit:
    case EndReason::told_failed:
      return true;
    case EndReason::exit_code:
    case EndReason::signal:
    case EndReason::worker_lost:
    case EndReason::requeue_requested:
    case EndReason::infeasible:
    case EndReason::diverged:
    case EndReason::time_limit:
    case EndReason::none:
    case EndReason::budget_reached:
    case EndReason::exited_early:
    case EndReason::bar_reached:
    case EndReason::evicted:
    case EndReason::not_promoted:
    case EndReason::retries_exhausted:
    case EndReason::user_stop:
    case EndReason::user_cancel:
    case EndReason::user_kill:
    case EndReason::failure_limit:
      return false;
  }
  unreachable();
}

// Whether the character at `i` continues a number that began before: 1.5, 3e-05, 0x7ffe.
bool continues_number(const std::string& text, std::size_t i) {
  const char c = text[i];
  const bool exponent = (c == '-' || c == '+') && (text[i - 1] == 'e' || text[i - 1] == 'E') &&
                        i + 1 < text.size() && is_digit(text[i + 1]);
  return exponent || std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == 'x';
}

// The text with each number as '#': where two causes have the same, they are one.
std::string without_numbers(const std::string& text) {
  std::string key;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      key += text[i++];
      continue;
    }
    while (++i < text.size() && continues_number(text, i)) {
    }
    if (key.ends_with('-')) key.pop_back();
    key += '#';
  }
  return key;
}

// Cuts between two characters of UTF-8.
std::string shortened(const std::string& text) {
  if (text.size() <= cause_bytes_max) return text;
  std::size_t bytes = cause_bytes_max;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) --bytes;
  return text.substr(0, bytes) + "...";
}

std::string counted_runs(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " run" : " runs");
}

// "7 of 9 runs", or "all 9 runs".
std::string share_of_runs(std::int64_t count, std::int64_t of) {
  if (count == of && of > 1) return "all " + counted_runs(of);
  return std::to_string(count) + " of " + counted_runs(of);
}

std::string early_text(const EndedEarly& early, std::int64_t over, const SweepSpec& spec) {
  const std::string least = std::to_string(early.least);
  const std::string phases =
      early.least == early.most ? least : least + " to " + std::to_string(early.most);
  return share_of_runs(early.runs, over) + " ended before their budget: " + phases + " of " +
         std::to_string(spec.budget.phases) + " phases (" + text(early.first) + ")";
}

std::string failed_text(const std::vector<CauseGroup>& groups, std::int64_t failed) {
  std::string text = counted_runs(failed) + " failed";
  if (groups.empty()) return text;
  if (groups.size() == 1) return text + ": " + groups.front().cause;
  for (std::size_t i = 0; i < std::min(causes_max, groups.size()); ++i)
    text += (i == 0 ? ": " : ", ") + std::to_string(groups[i].runs) + " x " +
            shortened(groups[i].cause) + " (" + hone::text(groups[i].first) + ")";
  if (groups.size() > causes_max)
    text += " and " + std::to_string(groups.size() - causes_max) + " other causes";
  return text;
}

std::int64_t runs_with(const std::vector<EndGroup>& groups, RunState state, Failure failure) {
  std::int64_t runs = 0;
  for (const EndGroup& group : groups)
    if (group.state == state && group.failure == failure) runs += group.runs;
  return runs;
}

Json causes_json(const std::vector<CauseGroup>& groups) {
  Json list = Json::array();
  for (const CauseGroup& group : groups) {
    Json one;
    one["cause"] = group.cause;
    one["runs"] = group.runs;
    one["run"] = text(group.first);
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

std::string cause_of(const FailedRun& run) {
  switch (run.failure) {
    case Failure::diverged:
      return "diverged";
    case Failure::timed_out:
      return "time limit: " + run.detail;
    case Failure::infeasible:
    case Failure::oom:
    case Failure::infra:
    case Failure::preempted:
    case Failure::crash:
      return observed(run);
    case Failure::none:
    case Failure::user_error:
      break;
  }
  const std::string line = worker_knows(run.reason) ? std::string() : last_line(run.log_tail);
  return line.empty() ? run.detail : line;
}

std::vector<CauseGroup> group_causes(const std::vector<FailedRun>& runs) {
  std::vector<CauseGroup> groups;
  std::map<std::string, std::size_t> places;
  for (const FailedRun& run : runs) {
    const std::string cause = cause_of(run);
    const auto [place, is_new] = places.emplace(without_numbers(cause), groups.size());
    if (is_new) groups.push_back({cause, 0, run.id});
    ++groups[place->second].runs;
  }
  std::ranges::stable_sort(groups, std::greater{}, &CauseGroup::runs);
  return groups;
}

Json render_outcome(SQLite::Database& db, const SweepRow& sweep, const SweepSpec& spec) {
  const auto ends = group_ends(db, sweep.id);
  const RunCounts& runs = sweep.runs;
  const std::int64_t over = runs.completed + runs.stopped + runs.failed + runs.canceled;
  Json remarks = Json::array();
  const bool some_early = std::ranges::any_of(
      ends, [](const EndGroup& group) { return group.reason == EndReason::exited_early; });
  const EndedEarly early = some_early ? runs_ended_early(db, sweep.id) : EndedEarly{};
  if (early.runs > 0) remarks.push_back(early_text(early, over, spec));
  if (const auto count = runs_with(ends, RunState::stopped, Failure::diverged); count > 0)
    remarks.push_back(share_of_runs(count, over) + " diverged");
  if (const auto count = runs_with(ends, RunState::stopped, Failure::timed_out); count > 0)
    remarks.push_back(share_of_runs(count, over) +
                      " were ended by a time limit, with the reports so far");
  std::vector<FailedRun> failed;
  if (runs.failed > 0)
    each_failed_run(db, sweep.id, limits::causes_runs_max,
                    [&](const FailedRun& run) { failed.push_back(run); });
  const auto groups = group_causes(failed);
  if (runs.failed > 0) remarks.push_back(failed_text(groups, runs.failed));
  Json json;
  json["remarks"] = std::move(remarks);
  json["causes"] = causes_json(groups);
  json["ended_early"] = early.runs;
  return json;
}

Json render_work(SQLite::Database& db, const SweepRow& sweep, Instant now) {
  const RunCounts& runs = sweep.runs;
  if (runs.completed + runs.stopped + runs.failed + runs.canceled > limits::timed_runs_max)
    return nullptr;
  const WorkTime time = work_time(db, sweep.id, Instant{}, sweep.ended_at.value_or(now));
  Json json;
  json["busy_seconds"] = static_cast<double>(time.busy.us / 1000) / 1000;
  json["run_seconds"] = static_cast<double>(time.of_runs.us / 1000) / 1000;
  return json;
}

}  // namespace hone::api
