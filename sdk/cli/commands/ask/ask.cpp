// ask and tell: hone as an optimizer, whose trials are evaluated by whoever calls it.
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/local/workflow.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/targets.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {
namespace {

Fields asked_fields() {
  return {{"trial", "/trial"},
          {"number", "/number", Manner::number},
          {"next_phase", "/next_phase", Manner::number},
          {"seed", "/seed", Manner::text},
          {"lease", "/lease"},
          {"parameters", "/params", Manner::params}};
}

// To the last digit: it is this very point that is to be evaluated.
std::string exact_text(const Json& value) {
  return value.is_string() ? value_text(value) : to_text(value);
}

std::string asked_text(const Json& asked, const AskReply& reply, const Screen& screen) {
  std::vector<RecordLine> lines;
  for (const auto& [name, value] : member(asked, "/params").items())
    lines.push_back({name, exact_text(value)});
  if (reply.next_phase > 0)
    lines.push_back({"phase", std::to_string(reply.next_phase + 1) + " is the next to be told"});
  return paint(screen, Ink::bold, text(reply.trial)) + "\n" + record_text(lines, screen);
}

// For programs a row with every parameter in a column of its own; for people and as JSON one
// object.
Result<Exit> print_asked(Session& session, const AskReply& reply) {
  const Json asked = encode(reply);
  switch (session.options().format) {
    case Format::csv:
    case Format::value:
      return print_list(session, asked_fields(), {asked}, "");
    case Format::table:
    case Format::json:
    case Format::jsonl:
    case Format::curves:
      break;
  }
  const auto printed = print_object(session, asked, asked_text(asked, reply, session.screen()));
  if (printed && session.options().format == Format::table)
    session.note("tell its result: hone tell " + text(reply.trial) + " VALUE");
  return printed;
}

struct AskWish {
  std::string sweep;
  std::string asker;
};

Result<Exit> ask(Session& session, const AskWish& wish) {
  const auto sweep = sweep_of(session, wish.sweep);
  if (!sweep) return sweep.error();
  auto client = session.client();
  if (!client) return client.error();
  const std::string asker = wish.asker.empty() ? user_at_host() : wish.asker;
  const auto reply = (*client)->ask(*sweep, AskRequest{asker});
  if (!reply) return reply.error();
  return print_asked(session, *reply);
}

struct TellWish {
  std::string trial;
  std::vector<std::string> values;
  bool failed = false;
  bool infeasible = false;
  int phase = 0;  // 0: the next one
  std::int64_t step = 0;
  std::string why;
};

// What programs print for a result that is no number counts as diverged.
Result<Score> score_of(const std::string& word) {
  if (word == "diverged") return Score::diverged();
  double value = 0;
  const char* end = word.data() + word.size();
  const char* begin = word.data() + (word.starts_with('+') ? 1 : 0);
  const auto [stop, trouble] = std::from_chars(begin, end, value);
  if (trouble != std::errc{} || stop != end)
    return refuse(Code::invalid, "'" + word + "' is no number (nor the word diverged)");
  return std::isfinite(value) ? Score::of(value) : Score::diverged();
}

Result<TellRequest> request_of(const TellWish& wish) {
  TellRequest request;
  if (wish.failed && wish.infeasible)
    return refuse(Code::invalid, "--failed and --infeasible exclude each other");
  if (wish.failed || wish.infeasible) {
    if (!wish.values.empty())
      return refuse(Code::invalid, "a trial that failed or is infeasible has no value");
    request.told = wish.failed ? Told::failed : Told::infeasible;
  } else if (wish.values.empty()) {
    return refuse(Code::invalid, "say the value, or --failed, or --infeasible");
  }
  if (wish.phase > 0) request.phase = wish.phase - 1;
  request.step = wish.step;
  request.detail = wish.why;
  for (const auto& word : wish.values) {
    const auto score = score_of(word);
    if (!score) return score.error();
    if (&word == &wish.values.front())
      request.score = *score;
    else
      request.further.push_back(*score);
  }
  return request;
}

std::string what_follows(const TellRequest& request, const Verdict& verdict, TrialId trial) {
  if (request.told != Told::value) return "this trial is over";
  switch (verdict.action) {
    case Action::go_on:
      return "it goes on: train it for another phase, then hone tell " + text(trial) + " VALUE";
    case Action::pause:
      return "it waits while others are tried; hone ask may bring it back";
    case Action::stop:
      return "this trial is over; hone ask gives the next one";
  }
  return "";
}

Result<Exit> tell(Session& session, const TellWish& wish) {
  const auto trial = trial_of(wish.trial);
  if (!trial) return trial.error();
  const auto request = request_of(wish);
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
    session.note(what_follows(*request, reply->verdict, *trial));
  return printed;
}

}  // namespace

Work declare_ask(Flags& flags) {
  auto wish = std::make_shared<AskWish>();
  flags.optional_argument("SWEEP", wish->sweep, "the sweep; default: the newest");
  flags.text("--as NAME", wish->asker,
             "who asks; the same name gets its trial again until it is told (USER@HOST)");
  return [wish](Session& session) { return ask(session, *wish); };
}

Work declare_tell(Flags& flags) {
  auto wish = std::make_shared<TellWish>();
  flags.argument("TRIAL", wish->trial, "the trial that hone ask gave");
  flags.arguments("VALUE", wish->values,
                  "the objective's value, then one for each further objective; or diverged");
  flags.flag("--failed", wish->failed, "it has no value: the evaluation failed");
  flags.flag("--infeasible", wish->infeasible, "it has no value: these parameters cannot work");
  flags.integer("--phase K", wish->phase, {1, 10'000}, "which phase, from 1 (the next one)");
  flags.integer("--step N", wish->step, {0, 9e15}, "units of the budget trained so far (0)");
  flags.text("--why TEXT", wish->why, "why it failed");
  return [wish](Session& session) { return tell(session, *wish); };
}

}  // namespace hone::cli
