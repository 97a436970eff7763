// logs: the output of a run's process, also while it runs.
#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/interrupt.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"

namespace hone::cli {
namespace {

constexpr Duration follow_poll = seconds(1);
// A worker learns by its next heartbeat that its log is read.
constexpr Duration first_poll = milliseconds(250);
constexpr int first_polls_max = 100;  // 25 s: after 20 the server counts a log as lost
// A server that restarts is back within seconds.
constexpr int failures_max = 60;

struct LogsOptions {
  std::string run;
  int attempt = 0;  // 0: the newest, and with follow those after it
  std::int64_t tail = -1;
  bool follow = false;
  bool raw = false;
};

class LogReader {
 public:
  LogReader(Session& session, RunId run, const LogsOptions& options)
      : session_(session), run_(run), options_(options), attempt_(options.attempt) {}

  Result<Exit> read() {
    const InterruptsHeld held;
    for (;;) {
      const auto reply = session_.get(path());
      if (!reply && !may_retry(reply.error())) return reply.error();
      if (reply) failures_ = 0;
      if (reply && !show(*reply)) return end_of(*reply);
      if (interrupted_within(next_ >= 0 ? follow_poll : first_poll)) return Exit::interrupted;
    }
  }

 private:
  [[nodiscard]] std::string path() const {
    std::string path = "/v1/runs/" + text(run_) + "/log?encoding=";
    path += options_.raw ? "base64" : "utf-8";
    if (attempt_ > 0) path += "&attempt=" + std::to_string(attempt_);
    if (next_ >= 0)
      path += "&from=" + std::to_string(next_);
    else if (options_.tail >= 0)
      path += "&tail=" + std::to_string(options_.tail);
    return path;
  }

  bool may_retry(const Error& error) {
    if (next_ < 0 || !options_.follow || error.code != Code::unavailable) return false;
    if (failures_ == 0) session_.note("the server cannot be reached; trying again");
    return ++failures_ < failures_max;
  }

  // Prints what is new. Returns whether to read on.
  bool show(const Json& reply) {
    attempt_ = static_cast<int>(int_at(reply, "/attempt"));
    const bool growing = member(reply, "/growing") == true;
    if (member(reply, "/received") == true) {
      print(reply);
      if (!options_.follow) return false;
    } else if (growing) {
      note_waiting(reply);
      if (!options_.follow && ++polls_ >= first_polls_max) return false;
    }
    if (growing) return true;
    return options_.follow && follows(reply);
  }

  // The attempt is over: whether another one follows. Turns to it.
  bool follows(const Json& reply) {
    if (options_.attempt > 0) return false;
    if (attempt_ < int_at(reply, "/attempts")) {
      session_.note("--- " + text(AttemptId{run_, ++attempt_}) + " ---");
      next_ = 0;
      return true;
    }
    return member(reply, "/run_ended") != true;
  }

  void print(const Json& reply) {
    const std::int64_t from = int_at(reply, "/from");
    if (next_ > 0 && from > next_)
      session_.note("[" + std::to_string(from - next_) + " bytes were not sent: the run writes " +
                    "faster than its worker sends]");
    if (next_ < 0 && options_.tail < 0 && from > 0)
      session_.note("[the first " + std::to_string(from) + " bytes are not kept]");
    next_ = int_at(reply, "/next");
    if (!options_.raw) return session_.print(printable_log(text_at(reply, "/text")));
    if (const auto bytes = base64_bytes(text_at(reply, "/base64"))) session_.print_bytes(*bytes);
  }

  void note_waiting(const Json& reply) {
    if (waiting_noted_) return;
    waiting_noted_ = true;
    session_.note("waiting for " + text_at(reply, "/worker") + " to send the log of " +
                  text(AttemptId{run_, attempt_}));
  }

  Result<Exit> end_of(const Json& reply) {
    if (next_ >= 0) return Exit::ok;
    const std::string attempt = text(AttemptId{run_, attempt_});
    if (member(reply, "/growing") == true)
      return refuse(Code::timed_out, text_at(reply, "/worker") + " has not sent the log of " +
                                         attempt + " yet: it is busy, or gone (hone ls workers)");
    session_.note(attempt +
                  " left no log: it wrote nothing, its worker was lost, or its log was "
                  "removed since");
    return Exit::ok;
  }

  Session& session_;
  const RunId run_;
  const LogsOptions& options_;
  int attempt_;
  std::int64_t next_ = -1;  // the offset to read from; -1 before the first bytes
  int polls_ = 0;
  int failures_ = 0;
  bool waiting_noted_ = false;
};

Result<Exit> show_logs(Session& session, const LogsOptions& given) {
  const auto run = resolve_run(session, given.run);
  if (!run) return run.error();
  LogsOptions options = given;
  if (const auto attempt = parse_id<AttemptId>(options.run); attempt && options.attempt == 0)
    options.attempt = attempt->number;
  if (session.options().format == Format::table) return LogReader(session, *run, options).read();
  if (options.follow || options.raw)
    return refuse(Code::invalid, "--follow and --raw print the log itself: leave out --format");
  std::string path = "/v1/runs/" + text(*run) +
                     "/log?tail=" + std::to_string(options.tail < 0 ? 1'000'000 : options.tail);
  if (options.attempt > 0) path += "&attempt=" + std::to_string(options.attempt);
  const auto reply = session.get(path);
  if (!reply) return reply.error();
  return print_object(session, *reply, "");
}

}  // namespace

CommandAction declare_logs(Flags& flags) {
  return with_options(show_logs, [&](LogsOptions& options) {
    flags.argument("RUN", options.run, "id of a run, or of a trial with a single run");
    flags.flag("-F,--follow", options.follow, "print new lines until the run ends");
    flags.integer("-n,--tail LINES", options.tail, {0, 1e9}, "begin with the last lines (all)");
    flags.integer("--attempt N", options.attempt, {1, 1e6}, "of this attempt (the newest)");
    flags.flag("--raw", options.raw,
               "print the bytes as they are; a terminal obeys the escape sequences in them");
  });
}

}  // namespace hone::cli
