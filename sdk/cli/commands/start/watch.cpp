#include "sdk/cli/commands/start/watch.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "schemas/codec/words.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/progress.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/interrupt.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/targets.hpp"

namespace hone::cli {
namespace {

constexpr Duration redraw_every = milliseconds(500);
constexpr Duration poll_every = seconds(1);  // where nobody looks at every change
constexpr Duration patience = seconds(120);  // with a server that does not answer

// One sweep as seen from here, now and before.
class Watcher {
 public:
  Watcher(Session& session, SweepId sweep)
      : session_(session), path_("/v1/sweeps/" + text(sweep)) {}

  // Asks the server.
  Status look() {
    auto sweep = session_.get(path_);
    if (!sweep) return sweep.error();
    standing_.sweep = std::move(*sweep);
    standing_.at = now();
    observe();
    find_best_params();
    return Done{};
  }

  [[nodiscard]] const Standing& standing() const { return standing_; }
  [[nodiscard]] std::string state() const { return text_at(standing_.sweep, "/state"); }
  [[nodiscard]] std::optional<SweepState> end() const {
    const auto state_now = parse_sweep_state(state());
    return state_now && is_end(*state_now) ? state_now : std::nullopt;
  }

 private:
  // Work is counted from the start of the first run: before that the sweep waited for a worker. Who
  // comes later to a sweep takes its start from the ledger.
  void observe() {
    const auto done = int_at(standing_.sweep, "/phases/done");
    if (!anchored_) {
      if (int_at(standing_.sweep, "/runs/running") == 0 && done == 0) return;
      standing_.pace.observe(start_of_work(), 0);
      anchored_ = true;
    }
    standing_.pace.observe(standing_.at, done);
  }

  Instant start_of_work() {
    const Instant fallback = time_at(standing_.sweep, "/submitted_at").value_or(standing_.at);
    const auto page = session_.get("/v1/events?after=0&sweep=" + text_at(standing_.sweep, "/id"));
    if (!page) return fallback;
    for (const auto& event : member(*page, "/items"))
      if (text_at(event, "/kind") == "run_started") return time_at(event, "/at").value_or(fallback);
    return fallback;
  }

  void find_best_params() {
    const std::string trial = text_at(standing_.sweep, "/best/trial");
    if (trial == best_trial_ || trial.empty()) return;
    const auto reply = session_.get("/v1/trials/" + trial);
    if (!reply) return;
    best_trial_ = trial;
    standing_.best_params = member(*reply, "/params");
  }

  Session& session_;
  std::string path_;
  Standing standing_;
  std::string best_trial_;
  bool anchored_ = false;
};

// Draws over what it drew before.
class Canvas {
 public:
  explicit Canvas(Session& session) : session_(session) {}

  void draw(const std::string& block) {
    std::string out;
    if (lines_ > 0) out = "\x1b[" + std::to_string(lines_) + "F";
    for (const char c : block) out += c == '\n' ? std::string("\x1b[K\n") : std::string(1, c);
    const auto lines = std::count(block.begin(), block.end(), '\n');
    if (lines < lines_) out += "\x1b[J";
    session_.print(out);
    lines_ = lines;
  }

  // Something else was written below: what is drawn stays, and the next drawing begins anew.
  void leave() { lines_ = 0; }

 private:
  Session& session_;
  std::ptrdiff_t lines_ = 0;
};

// How a watch shows what it sees: in place, as lines, or as JSON lines.
class Display {
 public:
  Display(Session& session, Duration line_every)
      : session_(session), canvas_(session), line_every_(line_every) {}

  [[nodiscard]] bool in_place() const {
    return session_.screen().is_terminal && session_.options().format == Format::table;
  }

  void leave() { canvas_.leave(); }

  void show(const Watcher& watcher) {
    const Standing& standing = watcher.standing();
    if (in_place()) {
      // The size of a terminal may change while we look.
      canvas_.draw(progress_block(standing, look_at(1, session_.options().no_color)));
      return;
    }
    const bool due = !shown_at_ || standing.at - *shown_at_ >= line_every_;
    if (!due && watcher.state() == shown_state_ && !watcher.end()) return;
    shown_at_ = standing.at;
    shown_state_ = watcher.state();
    if (session_.options().format == Format::table)
      session_.print(progress_line(standing));
    else
      session_.print(to_text(standing.sweep) + "\n");
  }

 private:
  Session& session_;
  Canvas canvas_;
  Duration line_every_;
  std::optional<Instant> shown_at_;
  std::string shown_state_;
};

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of("\n\r \t");
  if (end == std::string::npos) return {};
  const auto before = text.rfind('\n', end);
  const auto begin = before == std::string::npos ? 0 : before + 1;
  return text.substr(begin, end + 1 - begin);
}

// One of them and its last word, which mostly says what is wrong with all.
std::string failed_text(Session& session, const std::string& sweep) {
  const auto runs = session.get("/v1/sweeps/" + sweep + "/runs?limit=1&where=state%20%3D%20failed");
  const std::string id = runs ? text_at(*runs, "/items/0/id") : std::string();
  if (id.empty()) return {};
  const auto run = session.get("/v1/runs/" + id);
  const std::string word = run ? printable(last_line(text_at(*run, "/log_tail"))) : std::string();
  return (word.empty() ? "" : "\n" + id + " wrote last: " + word) +
         "\nits end in full: hone explain " + id;
}

void say_what_next(Session& session, const Json& sweep) {
  const std::string id = text_at(sweep, "/id");
  if (const auto failed = int_at(sweep, "/runs/failed"); failed > 0)
    session.note(std::to_string(failed) + (failed == 1 ? " run" : " runs") +
                 " failed; see which and why: hone runs " + id + failed_text(session, id));
  session.note("see the results: hone best " + id + "   why: hone explain TRIAL");
}

// A server that is away for a moment (it restarts) is no reason to stop looking.
class Patience {
 public:
  // True when the error is to be endured a little longer. `said` is set when the user was told.
  bool endure(Session& session, const Error& error, bool& said) {
    if (error.code != Code::unavailable && error.code != Code::busy &&
        error.code != Code::timed_out && error.code != Code::rate_limited)
      return false;
    if (!waiting_) {
      waiting_ = true;
      since_ = now();
      said = true;
      session.note("the server does not answer; waiting for it (the sweep is safe): " +
                   error.detail);
    }
    return now() - since_ < patience;
  }
  void rest() { waiting_ = false; }

 private:
  bool waiting_ = false;
  Instant since_;
};

}  // namespace

Result<Exit> watch(Session& session, SweepId sweep, Duration line_every) {
  Watcher watcher(session, sweep);
  Display display(session, line_every);
  Patience with_server;
  bool seen = false;
  while (true) {
    const auto status = watcher.look();
    bool said = false;
    if (!status && (!seen || !with_server.endure(session, status.error(), said)))
      return status.error();
    if (said) display.leave();
    if (status) {
      seen = true;
      with_server.rest();
      display.show(watcher);
      if (const auto end = watcher.end()) {
        say_what_next(session, watcher.standing().sweep);
        return exit_for(*end);
      }
    }
    if (interrupted_within(display.in_place() ? redraw_every : poll_every)) {
      session.note("\nno longer watching; the sweep goes on. Look again with: hone watch " +
                   text(sweep));
      return Exit::interrupted;
    }
  }
}

Work declare_watch(Flags& flags) {
  struct Wish {
    std::string sweep;
    double every_seconds = 5;
  };
  auto wish = std::make_shared<Wish>();
  flags.optional_argument("SWEEP", wish->sweep, "the sweep; default: the newest");
  flags.real("--every SECONDS", wish->every_seconds, {0.1, 86400.0},
             "seconds between lines where it is no terminal (5)");
  return [wish](Session& session) -> Result<Exit> {
    const auto sweep = sweep_of(session, wish->sweep);
    if (!sweep) return sweep.error();
    return watch(session, *sweep, Duration{static_cast<std::int64_t>(wish->every_seconds * 1e6)});
  };
}

}  // namespace hone::cli
