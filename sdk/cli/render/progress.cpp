#include "sdk/cli/render/progress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "schemas/codec/words.hpp"
#include "schemas/types/methods.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

constexpr std::array<const char*, 8> run_states = {"running",   "queued",  "leased", "paused",
                                                   "completed", "stopped", "failed", "canceled"};

bool has_ended(const Json& sweep) {
  const auto state = parse_word<SweepState>(text_at(sweep, "/state"));
  return state && is_end(*state);
}

// A rule that stops runs makes the whole an estimate, which changes while the sweep runs.
bool is_whole_known(const Json& sweep) {
  return has_ended(sweep) || text_at(sweep, "/spec/terminator/rule") == rule_none;
}

std::string phases_text(const Json& sweep) {
  const auto repeated = int_at(sweep, "/phases/repeated");
  return std::to_string(int_at(sweep, "/phases/done")) + (is_whole_known(sweep) ? "/" : "/~") +
         std::to_string(int_at(sweep, "/phases/expected")) + " phases" +
         (repeated > 0 ? " + " + std::to_string(repeated) + " repeated" : "");
}

std::string best_text(const Json& sweep) {
  const Json& best = member(sweep, "/best");
  if (best.is_null()) return "best --";
  const Json& expected = member(best, "/expected");
  return "best " + value_text(member(best, "/value")) +
         (expected.is_number() ? ", expected " + value_text(expected) : "") + " (" +
         text_at(best, "/trial") + ")";
}

std::string rate_of(const SweepProgress& progress) {
  const auto rate = progress.pace.per_second();
  return rate ? rate_text(*rate) : "--/s";
}

// Units of the budget (frames, say) a second, from the phases a second.
std::string unit_rate_of(const SweepProgress& progress) {
  const auto rate = progress.pace.per_second();
  const auto phases = int_at(progress.sweep, "/spec/budget/phases");
  const auto per_run = int_at(progress.sweep, "/spec/budget/per_run");
  if (!rate || phases <= 0 || per_run <= 0) return {};
  const double per_second = *rate * static_cast<double>(per_run) / static_cast<double>(phases);
  if (per_second < 1) return {};
  return count_text(static_cast<std::int64_t>(std::min(per_second, 0x1p53))) + " " +
         text_at(progress.sweep, "/spec/budget/unit") + "/s";
}

std::string eta_of(const SweepProgress& progress) {
  const std::string forecast = time_left_text(member(progress.sweep, "/eta"));
  if (!forecast.empty()) return "ETA " + forecast;
  const auto left = progress.pace.left(int_at(progress.sweep, "/phases/expected"));
  return "ETA " + (left ? duration_text(*left) : "--");
}

// An ended sweep took the time in which its runs trained, without a pause before it was continued.
std::string took_text(const SweepProgress& progress) {
  if (has_ended(progress.sweep))
    if (const auto busy = busy_time(progress.sweep)) return duration_text(*busy);
  const auto start = time_at(progress.sweep, "/submitted_at");
  if (!start) return {};
  return duration_text(time_at(progress.sweep, "/ended_at").value_or(progress.at) - *start);
}

// As many states as fit, the most important first.
std::string runs_line(const Json& runs, const Screen& screen) {
  std::string text;
  int room = screen.columns - 6;
  for (const char* state : run_states) {
    const auto count = int_at(runs, std::string("/") + state);
    const std::string part = std::to_string(count) + " " + state;
    room -= count == 0 ? 0 : display_width(part) + (text.empty() ? 0 : 2);
    if (count == 0 || room < 0) continue;
    text += (text.empty() ? "" : "  ") + paint(screen, ink_of_state(state), part);
  }
  return "runs  " + (text.empty() ? "none yet" : text) + "\n";
}

std::string head_line(const SweepProgress& progress, const Screen& screen) {
  const Json& sweep = progress.sweep;
  std::string state = text_at(sweep, "/state");
  const Ink ink = ink_of_state(state);
  const std::string reason = text_at(sweep, "/reason");
  if (has_ended(sweep) && !reason.empty() && reason != "none") state += " (" + reason + ")";
  const std::string tail = "  " + took_text(progress);
  const std::string id = text_at(sweep, "/id");
  const int room = screen.columns - display_width(id + state + tail) - 4;
  const std::string name =
      truncated(printable(text_at(sweep, "/name")), std::max(0, room), screen.unicode);
  return paint(screen, Ink::bold, id) + "  " + name + "  " + paint(screen, ink, state) + tail +
         "\n";
}

std::string bar_line(const SweepProgress& progress, const Screen& screen) {
  const int share = percent(progress.sweep);
  std::string facts = padded_left(std::to_string(share), 3) + "%  " + phases_text(progress.sweep);
  if (!has_ended(progress.sweep)) {
    facts += "  " + rate_of(progress);
    if (const std::string units = unit_rate_of(progress); !units.empty()) facts += "  " + units;
    facts += "  " + eta_of(progress);
  }
  const int room = std::clamp(screen.columns - display_width(facts) - 2, 10, 40);
  return paint(screen, Ink::accent, bar(share, room, screen.unicode)) + " " +
         truncated(facts, screen.columns - room - 1, screen.unicode) + "\n";
}

std::string best_line(const SweepProgress& progress, const Screen& screen) {
  const Json& best = member(progress.sweep, "/best");
  if (best.is_null()) return "best  nothing reported yet\n";
  const std::string value = value_text(member(best, "/value"));
  std::string rest = "  " + text_at(best, "/trial");
  if (const Json& confirmed = member(best, "/confirmed"); !confirmed.is_null())
    rest += "  confirmed " + value_text(confirmed);
  else if (const Json& expected = member(best, "/expected"); !expected.is_null())
    rest += "  expected " + value_text(expected);
  if (!progress.best_params.is_null()) rest += "  " + params_text(progress.best_params);
  const int room = screen.columns - 6 - display_width(value);
  return "best  " + paint(screen, Ink::bold, value) + truncated(rest, room, screen.unicode) + "\n";
}

std::string waits_line(const SweepProgress& progress, const Screen& screen) {
  if (progress.shortage.empty()) return {};
  const std::string text = truncated(progress.shortage, screen.columns - 6, screen.unicode);
  return "waits " + paint(screen, Ink::bad, text) + "\n";
}

std::string table_lines(const Fields& fields, const std::vector<Json>& items, Instant now,
                        const Screen& screen) {
  return items.empty() ? std::string()
                       : render(without_empty_columns(table_of(fields, items, now)), screen);
}

// The first trials of the leaderboard, in place of the line of the best.
std::string leader_lines(const SweepProgress& progress, const Screen& screen) {
  if (progress.leaders.empty()) return best_line(progress, screen);
  const Fields fields = {
      {.name = "rank", .pointer = "/rank", .type = CellType::number},
      {.name = "trial", .pointer = "/id"},
      {.name = "value", .pointer = "/value", .type = CellType::score},
      {.name = "confirmed", .pointer = "/confirmed", .type = CellType::score, .optional = true},
      {.name = "expected", .pointer = "/expected", .type = CellType::score, .optional = true},
      {.name = "spread", .pointer = "/shown/spread", .optional = true},
      {.name = "seeds", .pointer = "/seeds", .type = CellType::number, .optional = true},
      {.name = "phases", .pointer = "/length", .type = CellType::number, .optional = true},
      {.name = "state", .pointer = "/state", .type = CellType::state, .optional = true},
      {.name = "parameters", .pointer = "/params", .type = CellType::params, .least = 30}};
  const std::string noise = noise_text(progress.sweep);
  return "\n" + table_lines(fields, progress.leaders, progress.at, screen) +
         (noise.empty() ? noise
                        : truncated(noise + ": trials rank by what a model expects", screen.columns,
                                    screen.unicode) +
                              "\n");
}

std::string running_lines(const SweepProgress& progress, const Screen& screen) {
  const Fields fields = {
      {.name = "running", .pointer = "/id"},
      {.name = "phases", .pointer = "/phase", .type = CellType::number},
      {.name = "value", .pointer = "/value", .type = CellType::score},
      {.name = "best report", .pointer = "/best", .type = CellType::score, .optional = true},
      {.name = "started", .pointer = "/started_at", .type = CellType::ago, .optional = true},
      {.name = "worker", .pointer = "/worker", .optional = true}};
  const std::string lines = table_lines(fields, progress.running, progress.at, screen);
  return lines.empty() ? lines : "\n" + lines;
}

std::string failure_line(const SweepProgress& progress, const Screen& screen) {
  if (progress.failure.empty()) return {};
  return "\n" +
         paint(screen, Ink::bad,
               truncated(printable(progress.failure), screen.columns, screen.unicode)) +
         "\n";
}

// A leased run counts as running: its process is starting.
std::int64_t started_runs(const Json& sweep) {
  return int_at(sweep, "/runs/leased") + int_at(sweep, "/runs/running");
}

}  // namespace

std::string time_left_range(const Json& eta) {
  if (!eta.is_object()) return {};
  return duration_text(duration_of(number_at(eta, "/low"))) + "-" +
         duration_text(duration_of(number_at(eta, "/high")));
}

std::string time_left_text(const Json& eta) {
  if (!eta.is_object()) return {};
  return duration_text(duration_of(number_at(eta, "/seconds"))) + " (" + time_left_range(eta) + ")";
}

std::optional<Duration> busy_time(const Json& sweep) {
  const Json& busy = member(sweep, "/work/busy_seconds");
  if (!busy.is_number()) return std::nullopt;
  return Duration{static_cast<std::int64_t>(busy.get<double>() * 1e6)};
}

std::string work_text(const Json& sweep) {
  const auto begin = time_at(sweep, "/submitted_at"), end = time_at(sweep, "/ended_at");
  if (!begin || !end) return {};
  const std::string all = duration_text(*end - *begin);
  const auto busy = busy_time(sweep);
  if (!busy || duration_text(*busy) == all) return all;
  return duration_text(*busy) + " of work in " + all;
}

std::vector<std::string> remarks_of(const Json& reply) {
  const Json& outcome = member(reply, "/outcome/remarks");
  std::vector<std::string> remarks;
  for (const Json& one : outcome.is_array() ? outcome : member(reply, "/remarks"))
    remarks.push_back(one.get<std::string>());
  return remarks;
}

Marks mark_rank(Json& item) {
  Marks marks;
  marks.ended_early = text_at(item, "/reason") == "exited_early";
  marks.not_comparable = member(item, "/comparable") == false;
  const Json& rank = member(item, "/rank");
  if (!rank.is_number() || (!marks.ended_early && !marks.not_comparable)) return marks;
  item["rank"] = to_text(rank) + (marks.ended_early ? "*" : "") + (marks.not_comparable ? "+" : "");
  return marks;
}

void add_spread(Json& item) {
  if (const Json& low = member(item, "/expected_low"); low.is_number())
    item["shown"]["spread"] = range_text(Json::array({low, member(item, "/expected_high")}));
}

std::string noise_text(const Json& sweep) {
  const Json& noise = member(sweep, "/noise");
  if (!noise.is_number()) return {};
  return "noise is " + std::to_string(std::lround(100 * noise.get<double>())) +
         " % of the differences between values";
}

std::string expected_text(const Json& sweep) {
  const Json& expected = member(sweep, "/best/expected");
  if (!expected.is_number()) return {};
  return ", expected " + value_text(expected) + " (" + noise_text(sweep) + ")";
}

std::string marks_text(const Marks& marks) {
  std::string text;
  if (marks.ended_early) text += "*: its program ended before its budget. ";
  if (marks.not_comparable)
    text +=
        "+: trained less than half as long as the longest trial, or with less than half of the "
        "seeds, so it ranks after the others whatever its value. ";
  return text;
}

int percent(const Json& sweep) {
  if (text_at(sweep, "/state") == "completed") return 100;
  const auto done = int_at(sweep, "/phases/done");
  const auto expected = int_at(sweep, "/phases/expected");
  if (expected <= 0) return 0;
  return static_cast<int>(std::clamp<std::int64_t>(done * 100 / expected, 0, 99));
}

std::string bar(int percent, int columns, bool unicode) {
  const int full = percent * columns / 100;
  std::string text;
  for (int i = 0; i < columns; ++i)
    text += i < full ? (unicode ? "█" : "#") : (unicode ? "░" : ".");
  return text;
}

std::string progress_line(const SweepProgress& progress) {
  const Json& sweep = progress.sweep;
  std::string line = text_at(sweep, "/id") + "  " + text_at(sweep, "/state") + "  " +
                     std::to_string(percent(sweep)) + "%  " + phases_text(sweep) + "  " +
                     std::to_string(started_runs(sweep)) + " running";
  if (const auto paused = int_at(sweep, "/runs/paused"); paused > 0)
    line += "  " + std::to_string(paused) + " paused";
  if (const auto failed = int_at(sweep, "/runs/failed"); failed > 0)
    line += "  " + std::to_string(failed) + " failed";
  line += "  " + best_text(sweep);
  if (has_ended(sweep)) return line + "  after " + took_text(progress);
  line += "  " + rate_of(progress) + "  " + eta_of(progress);
  return line + (progress.shortage.empty() ? "" : "  waits: " + progress.shortage);
}

std::string progress_block(const SweepProgress& progress, const Screen& screen) {
  return head_line(progress, screen) + bar_line(progress, screen) +
         runs_line(member(progress.sweep, "/runs"), screen) + leader_lines(progress, screen) +
         running_lines(progress, screen) + failure_line(progress, screen) +
         waits_line(progress, screen);
}

}  // namespace hone::cli
