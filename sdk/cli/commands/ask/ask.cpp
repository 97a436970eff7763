// ask and tell: hone as an optimizer whose trials the user evaluates.
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/expect.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/values/number.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/local/workflow.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {
namespace {

std::string asked_text(const Json& asked, const AskReply& reply, const Screen& screen) {
  std::vector<RecordLine> lines;
  for (const auto& [name, value] : member(asked, "/params").items())
    lines.push_back({name, exact_text(value)});
  if (reply.next_phase > 0)
    lines.push_back({"phase", std::to_string(reply.next_phase + 1) + " is the next to report"});
  return paint(screen, Ink::bold, text(reply.trial)) + "\n" + record_text(lines, screen);
}

// csv and value are a row with one column for each parameter; the other formats are one object.
Result<Exit> print_asked(Session& session, const AskReply& reply) {
  const Json asked = encode(reply);
  switch (session.options().format) {
    case Format::csv:
    case Format::value:
      return print_list(session, asked_columns(), {asked}, "");
    case Format::table:
    case Format::json:
    case Format::jsonl:
    case Format::md:
    case Format::latex:
    case Format::curves:
      break;
  }
  const auto printed = print_object(session, asked, asked_text(asked, reply, session.screen()));
  if (printed && session.options().format == Format::table)
    session.note("report its result with: hone tell " + text(reply.trial) + " VALUE");
  return printed;
}

struct AskOptions {
  std::string sweep;
  std::string asker;
};

Result<Exit> ask(Session& session, const AskOptions& options) {
  const auto sweep = resolve_sweep(session, options.sweep);
  if (!sweep) return sweep.error();
  auto client = session.client();
  if (!client) return client.error();
  const std::string asker = options.asker.empty() ? user_at_host() : options.asker;
  const auto reply = (*client)->ask(*sweep, AskRequest{asker});
  if (!reply) return reply.error();
  return print_asked(session, *reply);
}

struct TellOptions {
  std::string trial;
  std::vector<std::string> values;
  bool failed = false;
  bool infeasible = false;
  int phase = 0;  // 0: the next one
  std::int64_t step = 0;
  double seconds = -1;  // not given
  std::string why;
};

// Whatever a program prints for a value that is not finite counts as diverged.
Result<Score> score_of(const std::string& word) {
  if (word == "diverged") return Score::diverged();
  const auto value = read_number(word);
  if (!value)
    return refuse(Code::invalid, "'" + word + "' is neither a number nor the word diverged");
  return Score::of(*value);
}

Result<TellRequest> tell_request(const TellOptions& options) {
  TellRequest request;
  if (options.failed && options.infeasible)
    return refuse(Code::invalid, "--failed and --infeasible exclude each other");
  if (options.failed || options.infeasible) {
    if (!options.values.empty())
      return refuse(Code::invalid, "a trial that failed or is infeasible has no value");
    request.told = options.failed ? Told::failed : Told::infeasible;
  } else if (options.values.empty()) {
    return refuse(Code::invalid, "no value given; pass the value, --failed or --infeasible");
  }
  if (options.phase > 0) request.phase = options.phase - 1;
  request.step = options.step;
  request.detail = options.why;
  if (options.seconds >= 0) request.phase_seconds = options.seconds;
  for (const auto& word : options.values) {
    const auto score = score_of(word);
    if (!score) return score.error();
    if (&word == &options.values.front())
      request.score = *score;
    else
      request.further.push_back(*score);
  }
  return request;
}

std::string next_step(const TellRequest& request, const Verdict& verdict, TrialId trial) {
  if (request.told != Told::value) return "the trial is over";
  switch (verdict.action) {
    case Action::go_on:
      return "the trial continues: train another phase, then hone tell " + text(trial) + " VALUE";
    case Action::pause:
      return "the trial is paused; hone ask may return it later";
    case Action::stop:
      return "the trial is over; get the next one with hone ask";
  }
  unreachable();
}

Result<Exit> tell(Session& session, const TellOptions& options) {
  const auto trial = resolve_trial(options.trial);
  if (!trial) return trial.error();
  const auto request = tell_request(options);
  if (!request) return request.error();
  auto client = session.client();
  if (!client) return client.error();
  const auto reply = (*client)->tell(*trial, *request);
  if (!reply) return reply.error();
  const Json verdict = encode(*reply);
  const std::string line = text(*trial) + " " + std::string(word(reply->verdict.action)) + " (" +
                           std::string(word(reply->verdict.reason)) + ")\n";
  const auto printed = print_object(
      session, verdict,
      request->told == Told::value ? line
                                   : text(*trial) + " " + std::string(word(request->told)) + "\n");
  if (printed && session.options().format == Format::table)
    session.note(next_step(*request, reply->verdict, *trial));
  return printed;
}

}  // namespace

CommandAction declare_ask(Flags& flags) {
  return with_options(ask, [&](AskOptions& options) {
    flags.optional_argument("SWEEP", options.sweep, "id of the sweep (the newest)");
    flags.text("--as NAME", options.asker,
               "your name; a name gets the same trial until you report its result (USER@HOST)");
  });
}

CommandAction declare_tell(Flags& flags) {
  return with_options(tell, [&](TellOptions& options) {
    flags.argument("TRIAL", options.trial, "the trial that hone ask returned");
    flags.arguments("VALUE", options.values,
                    "value of the objective, then of each further objective; or diverged");
    flags.flag("--failed", options.failed, "the evaluation failed: there is no value");
    flags.flag("--infeasible", options.infeasible, "the parameters cannot work: there is no value");
    flags.integer("--phase K", options.phase, {1, 10'000},
                  "phase of the report, counted from 1 (default: the next)");
    flags.integer("--step N", options.step, {0, 9e15}, "budget units trained so far (0)");
    flags.real("--seconds S", options.seconds, {0, 315'360'000},
               "what the phase took: its cost (hone best --by cost)");
    flags.text("--why TEXT", options.why, "why the evaluation failed");
  });
}

}  // namespace hone::cli
