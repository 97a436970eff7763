#include "sdk/cli/commands/study/study_run.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "base/process.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/methods.hpp"
#include "sdk/cli/local/programs.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/session/interrupt.hpp"
#include "study/results/findings.hpp"

namespace hone::cli {
namespace {

using study::Unit;

constexpr Duration read_rows_every = milliseconds(100);
constexpr Duration show_every = seconds(10);
constexpr Duration measure_every = seconds(30);  // a folder of many files takes a while to add up

bool has_ended(const Json& row) {
  const auto state = parse_word<SweepState>(text_at(row, "/state"));
  return state && is_end(*state);
}

// Whether the sweep has cost what a repetition may.
bool is_spent(const study::Study& study, const Unit& unit, const Json& row) {
  if (study.equal.seconds)
    return number_at(row, "/work/run_seconds") >=
           static_cast<double>(study.equal.seconds->us) / 1e6;
  const auto limit = study::step_limit(study, study.problems[unit.problem]);
  if (!limit) return false;
  const auto phases = std::max<std::int64_t>(1, int_at(row, "/spec/budget/phases"));
  const auto per_run = int_at(row, "/spec/budget/per_run");
  return int_at(row, "/phases/done") * (per_run / phases) >= *limit;
}

std::int64_t bytes_in(const std::string& folder) {
  namespace fs = std::filesystem;
  std::int64_t bytes = 0;
  std::error_code gone;  // files come and go
  for (fs::recursive_directory_iterator at(folder, gone), end; at != end; at.increment(gone)) {
    if (gone) break;
    const auto size = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    if (!gone) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

}  // namespace

StudyRun::StudyRun(Session& session, StudyLedger& ledger, const study::Study& study, RunPlan plan)
    : session_(session), ledger_(ledger), study_(study), plan_(std::move(plan)), shown_at_(now()) {}

StudyRun::~StudyRun() {
  for (Live& live : live_) finish(live);
}

Result<bool> StudyRun::run() {
  int done = 0;
  const std::vector<int> targets =
      study_.until ? study::looks_of(*study_.until) : std::vector<int>{study_.repetitions};
  for (const int target : targets) {
    std::deque<Unit> waiting;
    for (const Unit& unit : study::units_of(study_, target))
      if (unit.repetition >= done) waiting.push_back(unit);
    done = target;
    expected_ = study::units_of(study_, target).size();
    const auto interrupted = run_units(std::move(waiting));
    if (!interrupted || *interrupted) return interrupted;
    if (!study_.until) continue;
    const auto verdict = study::findings_of(study_, outcomes_).verdict;
    if (verdict && verdict->answer != study::Answer::open) break;
  }
  session_.terminal().end_progress();
  return false;
}

Result<bool> StudyRun::run_units(std::deque<Unit> waiting) {
  while (!waiting.empty() || !live_.empty()) {
    while (!waiting.empty() && static_cast<int>(live_.size()) < plan_.parallel) {
      if (const auto room = check_disk(); !room) return room.error();
      if (const auto started = start(waiting.front()); !started) return started.error();
      waiting.pop_front();
    }
    for (Live& live : live_)
      if (const auto seen = look(live); !seen) return seen.error();
    std::erase_if(live_, [](const Live& live) { return live.tuning.empty(); });
    show_progress();
    if (interrupted_within(read_rows_every)) return true;
  }
  return false;
}

Status StudyRun::start(const Unit& unit) {
  auto known = ledger_.outcome(unit);
  if (!known) return known.error();
  if (*known) {
    outcomes_.push_back(**std::move(known));
    return Done{};
  }
  const Json sweep = study::tuning_sweep(study_, unit);
  auto id = ledger_.submit(sweep, unit, "tuning", "");
  if (!id) return id.error();
  Live& live = live_.emplace_back(Live{unit, *std::move(id), ""});
  return traits_of(text_at(sweep, "/search/method")).takes_command ? start_picker(live)
                                                                   : Status(Done{});
}

Status StudyRun::start_picker(Live& live) {
  const auto program = find_program("hone");
  if (!program) return program.error();
  auto child = cli::start(
      {"picker of " + live.tuning,
       // The user wrote the command: it is of the study file.
       {*program, "ask", "--program", live.tuning, "--yes", "--server", session_.options().server},
       plan_.folder + "/picker-" + live.tuning + ".log"},
      false);
  if (!child) return child.error();
  live.picker = child->pid;
  return Done{};
}

Status StudyRun::look(Live& live) {
  return live.test.empty() ? look_at_tuning(live) : look_at_test(live);
}

Status StudyRun::look_at_tuning(Live& live) {
  const auto row = ledger_.row(live.tuning);
  if (!row) return row.error();
  if (!has_ended(*row)) {
    int status = 0;
    if (live.picker != 0 && waitpid(live.picker, &status, WNOHANG) == live.picker) {
      live.picker = 0;
      return refuse(Code::conflict, "the program that proposes for " + live.tuning + " ended (" +
                                        end_text(status) + "); see " + plan_.folder + "/picker-" +
                                        live.tuning + ".log");
    }
    if (live.stopping || !is_spent(study_, live.unit, *row)) return Done{};
    live.stopping = true;
    return ledger_.stop(live.tuning);
  }
  auto outcome = ledger_.tuned(live.unit, *row);
  if (!outcome) return outcome.error();
  live.outcome = *std::move(outcome);
  if (live.outcome.params.empty() || study_.measure.seeds == 0) {
    if (study_.measure.seeds == 0) live.outcome.fresh = live.outcome.tuned;
    finish(live);
    return Done{};
  }
  auto test = ledger_.submit(study::test_sweep(study_, live.unit, live.outcome.params), live.unit,
                             "test", live.tuning);
  if (!test) return test.error();
  live.test = *std::move(test);
  return Done{};
}

Status StudyRun::look_at_test(Live& live) {
  const auto row = ledger_.row(live.test);
  if (!row) return row.error();
  if (!has_ended(*row)) return Done{};
  const auto value = ledger_.fresh(live.test);
  if (!value) return value.error();
  live.outcome.test = live.test;
  live.outcome.fresh = *value;
  finish(live);
  return Done{};
}

// Marks it as done by an empty id.
void StudyRun::finish(Live& live) {
  if (live.picker != 0) {
    kill(live.picker, SIGTERM);
    wait_for(live.picker);
  }
  live.picker = 0;
  if (!live.outcome.tuning.empty()) outcomes_.push_back(std::move(live.outcome));
  live.outcome = {};
  live.tuning.clear();
}

Status StudyRun::check_disk() {
  if (plan_.disk_bytes == 0 || now() - measured_at_ < measure_every) return Done{};
  measured_at_ = now();
  const auto used = bytes_in(plan_.folder);
  if (used <= plan_.disk_bytes) return Done{};
  return refuse(Code::too_large, plan_.folder + " has " + bytes_text(used) + ", more than --disk " +
                                     bytes_text(plan_.disk_bytes) +
                                     " allows; what is recorded stays, and `hone study run` with a "
                                     "larger --disk continues it");
}

void StudyRun::show_progress() {
  const Instant t = now();
  pace_.observe(t, static_cast<std::int64_t>(outcomes_.size()));
  if (t - shown_at_ < show_every) return;
  shown_at_ = t;
  const auto left = pace_.left(static_cast<std::int64_t>(expected_));
  session_.terminal().show_progress(
      "study " + study_.name + "  " + std::to_string(outcomes_.size()) + "/" +
      std::to_string(expected_) + " repetitions of cells  " + std::to_string(live_.size()) +
      " running  ETA " + (left ? duration_text(*left) : "--"));
}

}  // namespace hone::cli
