#include "sdk/cli/commands/start/watch.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "schemas/codec/problem.hpp"
#include "schemas/codec/words.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/progress.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/interrupt.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "sdk/cli/session/shortage.hpp"

namespace hone::cli {
namespace {

constexpr Duration redraw_every = milliseconds(500);
constexpr Duration details_every = seconds(2);     // the leaders cost the server more
constexpr Duration poll_every = seconds(1);        // where no terminal shows every change
constexpr Duration look_every = seconds(5);        // at the workers
constexpr Duration watch_patience = seconds(120);  // with a server that does not answer

// The progress of one sweep, updated by refresh().
class Watcher {
 public:
  // `details`: with the leaders, the running runs and the newest failure.
  Watcher(Session& session, SweepId sweep, bool details)
      : session_(session), path_("/v1/sweeps/" + text(sweep)), details_(details) {}

  // Asks the server.
  Status refresh() {
    auto sweep = session_.get(path_);
    if (!sweep) return sweep.error();
    progress_.sweep = std::move(*sweep);
    progress_.at = now();
    observe();
    find_best_params();
    find_shortage_of_now();
    const bool due = !detailed_at_ || progress_.at - *detailed_at_ >= details_every || end();
    if (details_ && due) find_details();
    return Done{};
  }

  [[nodiscard]] const SweepProgress& progress() const { return progress_; }
  [[nodiscard]] std::string state() const { return text_at(progress_.sweep, "/state"); }
  [[nodiscard]] std::optional<SweepState> end() const {
    const auto state_now = parse_word<SweepState>(state());
    return state_now && is_end(*state_now) ? state_now : std::nullopt;
  }

 private:
  // The pace counts from the start of the first run: before that the sweep waited for a worker. The
  // ledger has that start for a sweep that runs already.
  void observe() {
    const auto done = int_at(progress_.sweep, "/phases/done");
    if (!anchored_) {
      if (int_at(progress_.sweep, "/runs/running") == 0 && done == 0) return;
      progress_.pace.observe(start_of_work(), 0);
      anchored_ = true;
    }
    progress_.pace.observe(progress_.at, done);
  }

  Instant start_of_work() {
    const Instant fallback = time_at(progress_.sweep, "/submitted_at").value_or(progress_.at);
    const auto page = session_.get("/v1/events?after=0&sweep=" + text_at(progress_.sweep, "/id"));
    if (!page) return fallback;
    for (const auto& event : member(*page, "/items"))
      if (text_at(event, "/kind") == "run_started") return time_at(event, "/at").value_or(fallback);
    return fallback;
  }

  void find_best_params() {
    const std::string trial = text_at(progress_.sweep, "/best/trial");
    if (trial == best_trial_ || trial.empty()) return;
    const auto reply = session_.get("/v1/trials/" + trial);
    if (!reply) return;
    best_trial_ = trial;
    progress_.best_params = member(*reply, "/params");
  }

  // Lists the workers, which may be many: not at each redraw.
  void find_shortage_of_now() {
    if (looked_at_ && progress_.at - *looked_at_ < look_every) return;
    looked_at_ = progress_.at;
    progress_.shortage = shortage_of_sweep(session_, progress_.sweep);
  }

  // Keeps the old value of a part that cannot be read.
  void find_details() {
    detailed_at_ = progress_.at;
    if (const auto best = session_.get(path_ + "/best?limit=5")) {
      progress_.leaders = items_at(*best, "/items");
      for (Json& item : progress_.leaders) mark_rank(item), add_spread(item);
      if (text_at(*best, "/aggregate").empty())
        for (Json& item : progress_.leaders) item["seeds"] = nullptr;
    }
    if (const auto runs = session_.get(path_ + "/runs?limit=5&where=state%20%3D%20running")) {
      progress_.running = items_at(*runs, "/items");
    }
    const auto failed = int_at(progress_.sweep, "/runs/failed");
    if (failed == failed_) return;
    failed_ = failed;
    progress_.failure = newest_failure();
  }

  std::string newest_failure();

  Session& session_;
  std::string path_;
  bool details_;
  std::optional<Instant> detailed_at_;
  std::int64_t failed_ = 0;  // failed runs when the newest was looked up
  SweepProgress progress_;
  std::optional<Instant> looked_at_;
  std::string best_trial_;
  bool anchored_ = false;
};

// Draws a block of lines over the one before.
class Redraw {
 public:
  explicit Redraw(Session& session) : session_(session) {}

  void draw(const std::string& block) { lines_ = session_.terminal().redraw(block, lines_); }

  // Other lines were written below: keeps the block, and the next draw() starts a new one.
  void leave() { lines_ = 0; }

 private:
  Session& session_;
  std::ptrdiff_t lines_ = 0;
};

// Shows the progress in place, as lines or as JSON lines.
class Display {
 public:
  Display(Session& session, Duration line_every, Lines lines)
      : session_(session), redraw_(session), line_every_(line_every), lines_(lines) {}

  [[nodiscard]] bool in_place() const {
    return session_.screen().is_terminal && session_.options().format == Format::table;
  }

  void leave() { redraw_.leave(); }

  void show(const Watcher& watcher) {
    const SweepProgress& progress = watcher.progress();
    if (in_place()) {
      // The size of a terminal may change meanwhile.
      redraw_.draw(progress_block(progress, detect_screen(1, session_.options().no_color)));
      return;
    }
    const bool due = !shown_at_ || progress.at - *shown_at_ >= line_every_;
    if (!due && watcher.state() == shown_state_ && !watcher.end()) return;
    shown_at_ = progress.at;
    shown_state_ = watcher.state();
    if (session_.options().format != Format::table)
      return session_.print_json(to_text(progress.sweep) + "\n");
    if (lines_ == Lines::data || !session_.options().quiet)
      session_.print(progress_line(progress) + "\n");
  }

 private:
  Session& session_;
  Redraw redraw_;
  Duration line_every_;
  Lines lines_;
  std::optional<Instant> shown_at_;
  std::string shown_state_;
};

std::string Watcher::newest_failure() {
  const auto events = session_.get(
      "/v1/find?limit=1&where=run%20where%20state%20%3D%20failed"
      "%20and%20sweep.id%20%3D%20" +
      text_at(progress_.sweep, "/id"));
  if (!events) return {};
  const Json& run = member(*events, "/items/0");
  if (!run.is_object()) return {};
  return text_at(run, "/id") + " failed: " + printable(text_at(run, "/cause"));
}

// Where to look further: at the first failed run.
std::string failed_text(Session& session, const std::string& sweep) {
  const auto runs = session.get("/v1/sweeps/" + sweep + "/runs?limit=1&where=state%20%3D%20failed");
  const std::string id = runs ? text_at(*runs, "/items/0/id") : std::string();
  return "list them with: hone ls runs " + sweep +
         (id.empty() ? "" : "\nfull explanation: hone explain " + id);
}

void print_summary(Session& session, const Json& sweep) {
  const std::string id = text_at(sweep, "/id");
  const std::string detail = text_at(sweep, "/detail");
  const bool limited = text_at(sweep, "/reason") == "failure_limit";
  if (limited)
    session.note(id + " ended as failed: " + printable(detail) +
                 "\nwhen it is mended, continue with: hone edit " + id + " --trials " +
                 std::to_string(std::max(int_at(sweep, "/trials/total"),
                                         int_at(sweep, "/trials/proposed") + 1)));
  for (const std::string& remark : remarks_of(sweep))
    if (!limited || remark != detail) session.note(printable(remark));
  if (int_at(sweep, "/runs/failed") > 0) session.note(failed_text(session, id));
  const std::string confirmed = text_at(sweep, "/confirms");
  session.note("results: " + (confirmed.empty() ? "hone best " + id : "hone confirm " + confirmed) +
               "   explanation: hone explain TRIAL");
}

// The confirmation that a sweep with `confirm:` has started at its end.
std::optional<SweepId> confirmation_of(Session& session, const Json& sweep) {
  if (!member(sweep, "/spec/confirm").is_object()) return std::nullopt;
  const auto best = session.get("/v1/sweeps/" + text_at(sweep, "/id") + "/best?limit=1");
  return best ? parse_id<SweepId>(text_at(*best, "/confirmation")) : std::nullopt;
}

// Tolerates a server that is away for a while, as during a restart.
class RetryWindow {
 public:
  // Whether to retry after this error. Sets `noted` when it printed a message.
  bool allows(Session& session, const Error& error, bool& noted) {
    if (!is_retryable(error.code)) return false;
    if (!waiting_) {
      waiting_ = true;
      since_ = now();
      noted = true;
      session.note("no answer from the server; retrying (the sweep is safe): " + error.detail);
    }
    return now() - since_ < watch_patience;
  }
  void reset() { waiting_ = false; }

 private:
  bool waiting_ = false;
  Instant since_;
};

}  // namespace

Result<Exit> watch(Session& session, SweepId sweep, Duration line_every, Lines lines) {
  Display display(session, line_every, lines);
  Watcher watcher(session, sweep, display.in_place());
  RetryWindow retry_window;
  bool seen = false;
  while (true) {
    const auto status = watcher.refresh();
    bool noted = false;
    if (!status && (!seen || !retry_window.allows(session, status.error(), noted)))
      return status.error();
    if (noted) display.leave();
    if (status) {
      seen = true;
      retry_window.reset();
      display.show(watcher);
      if (const auto end = watcher.end()) {
        const Json& ended = watcher.progress().sweep;
        print_summary(session, ended);
        const auto confirming = confirmation_of(session, ended);
        if (!confirming) return exit_for(*end);
        session.note("its leaders train on new seeds in " + text(*confirming));
        return watch(session, *confirming, line_every, lines);
      }
    }
    if (interrupted_within(display.in_place() ? redraw_every : poll_every)) {
      session.note("\nstopped watching; the sweep continues. Watch it again with: hone watch " +
                   text(sweep));
      return Exit::interrupted;
    }
  }
}

namespace {

struct WatchOptions {
  std::string sweep;
  double every_seconds = 5;
};

Result<Exit> watch_sweep(Session& session, const WatchOptions& options) {
  const auto sweep = resolve_sweep(session, options.sweep);
  if (!sweep) return sweep.error();
  return watch(session, *sweep, Duration{static_cast<std::int64_t>(options.every_seconds * 1e6)},
               Lines::data);
}

}  // namespace

CommandAction declare_watch(Flags& flags) {
  return with_options(watch_sweep, [&](WatchOptions& options) {
    flags.optional_argument("SWEEP", options.sweep, "id of the sweep (the newest)");
    flags.real("--every SECONDS", options.every_seconds, {0.1, 86400.0},
               "seconds between lines where stdout is not a terminal (5)");
  });
}

}  // namespace hone::cli
