// picker: the user's own program proposes the parameter sets of a sweep with method external.
#include <map>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/problem.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/methods.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/local/consent.hpp"
#include "sdk/cli/local/conversation.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/interrupt.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {
namespace {

constexpr Duration poll_sweep_every = milliseconds(100);
constexpr Duration answer_slice = milliseconds(20);  // delay of Ctrl-C while the program computes
constexpr Duration picker_patience = seconds(120);   // with a server that does not answer

std::string quoted_answer(const std::string& line) {
  return "'" + truncated(printable(line), 200, true) + "'";
}

// What the picker gets for each trial.
Json trial_update(const Json& trial) {
  Json update = Json::object();
  for (const char* name : {"number", "params", "state", "value", "phase"})
    update[name] = member(trial, std::string("/") + name);
  return update;
}

// Repeats the request while the server is away: it carries an id, so repeating is harmless.
template <class Call>
auto with_retries(const Call& call) {
  constexpr Duration pause = milliseconds(500);
  auto answer = call();
  for (Duration waited{};
       !answer && is_retryable(answer.error().code) && waited.us < picker_patience.us;
       waited.us += pause.us) {
    if (interrupted_within(pause)) break;
    answer = call();
  }
  return answer;
}

enum class Step { go_on, interrupted };

class PickerLoop {
 public:
  PickerLoop(Session& session, Client& client, SweepId sweep, Conversation& program)
      : session_(session), client_(client), sweep_(sweep), program_(program) {}

  Result<Exit> run() {
    while (true) {
      const auto row = with_retries([&] { return session_.get(path()); });
      if (!row) return row.error();
      const auto state = parse_word<SweepState>(text_at(*row, "/state"));
      if (state && is_end(*state)) return finished(*state);
      if (state == SweepState::running && wants_one(*row)) {
        const auto step = pick(*row);
        if (!step) return step.error();
        if (*step == Step::interrupted) return interrupted();
      }
      if (interrupted_within(poll_sweep_every)) return interrupted();
    }
  }

 private:
  [[nodiscard]] std::string path() const { return "/v1/sweeps/" + text(sweep_); }

  // Stays one set ahead: requests the next when the last one has become a trial.
  [[nodiscard]] bool wants_one(const Json& row) const {
    const auto proposed = int_at(row, "/trials/proposed");
    return proposed >= ahead_ && proposed < int_at(row, "/trials/total") && !full_;
  }

  Result<Step> pick(const Json& row) {
    const auto question = question_about(row);
    if (!question) return question.error();
    if (const auto sent = program_.say(to_text(*question)); !sent)
      return failed(sent.error().detail);
    std::optional<std::string> line;
    while (!line) {
      auto heard = program_.hear(answer_slice);
      if (!heard) return failed(heard.error().detail + " before it answered");
      line = *std::move(heard);
      if (!line && interrupted_within(Duration{})) return Step::interrupted;
    }
    const auto params = params_in(*line);
    if (!params) return params.error();
    return enqueue(*params, *line, int_at(row, "/trials/proposed"));
  }

  Result<Json> question_about(const Json& row) {
    const auto trials = with_retries([&] { return session_.list(path() + "/trials?sort=number"); });
    if (!trials) return trials.error();
    Json question = Json::object();
    if (known_.empty() && picked_ == 0) {
      question["sweep"] = text(sweep_);
      question["seed"] = member(row, "/spec/seed");
      for (const char* name : {"objective", "objectives"})
        if (const Json& value = member(row, std::string("/spec/") + name); !value.is_null())
          question[name] = value;
      question["parameters"] = member(row, "/spec/parameters");
    }
    question["trials"] = Json::array();
    for (const Json& trial : *trials) {
      Json update = trial_update(trial);
      Json& before = known_[int_at(trial, "/number")];
      if (before == update) continue;
      before = update;
      question["trials"].push_back(std::move(update));
    }
    return question;
  }

  Result<Params> params_in(const std::string& line) {
    const auto answer = parse_json(line);
    if (!answer) return failed("answered " + quoted_answer(line) + ", which is not JSON");
    if (!answer->is_object() || !answer->contains("params"))
      return failed("answered " + quoted_answer(line) + " instead of {\"params\": {...}}");
    auto params = decode_params(answer->at("params"), "/params");
    if (!params)
      return failed("answered " + quoted_answer(line) + ": " + error_text(params.error()));
    return params;
  }

  Result<Step> enqueue(const Params& params, const std::string& line, std::int64_t proposed) {
    const EnqueueRequest request{new_request_id(), params};
    const auto reply = with_retries([&] { return client_.enqueue(sweep_, request); });
    if (!reply && reply.error().code == Code::conflict) {
      full_ = true;  // all trials exist, or the sweep is stopping
      return Step::go_on;
    }
    if (!reply && reply.error().code == Code::invalid)
      return failed("answered " + quoted_answer(line) + ": " + error_text(reply.error()));
    if (!reply) return reply.error();
    ++picked_;
    ahead_ = proposed + reply->waiting;
    const bool for_people = session_.options().format == Format::table;
    const Json set = encode(params);
    if (for_people)
      session_.print(params_text(set) + "\n");
    else
      session_.print_json(to_text(set) + "\n");
    return Step::go_on;
  }

  static std::string error_text(const Error& error) {
    return error.detail + (error.at.empty() ? "" : " (at " + error.at + ")");
  }

  static Error failed(const std::string& what) {
    return refuse(Code::internal, "the picker: " + what);
  }

  Result<Exit> finished(SweepState state) {
    session_.note(text(sweep_) + " " + std::string(word(state)) + "; the picker chose " +
                  std::to_string(picked_) + (picked_ == 1 ? " parameter set" : " parameter sets"));
    return exit_for(state);
  }

  Result<Exit> interrupted() {
    session_.note("\nstopped; the sweep waits for parameters. Continue with: hone ask --program " +
                  text(sweep_));
    return Exit::interrupted;
  }

  Session& session_;
  Client& client_;
  SweepId sweep_;
  Conversation& program_;
  std::map<std::int64_t, Json> known_;  // what the program got last for each trial
  std::int64_t ahead_ = 0;              // number of trials once all enqueued sets are proposed
  std::int64_t picked_ = 0;
  bool full_ = false;
};

struct PickerOptions {
  std::string sweep;
  bool yes = false;  // no question
  std::vector<std::string> program;
};

Result<std::vector<std::string>> picker_program(const PickerOptions& options, const Json& row) {
  const std::string id = text_at(row, "/id");
  const std::string method = text_at(row, "/spec/search/method");
  if (!traits_of(method).takes_command)
    return refuse(Code::invalid, id + " is searched by method " + method +
                                     "; a picker needs search: {method: external}");
  if (!options.program.empty()) return options.program;
  std::vector<std::string> program;
  for (const Json& word : member(row, "/spec/search/command")) program.push_back(value_text(word));
  if (program.empty())
    return refuse(Code::invalid,
                  id + " has no search.command; name the program: hone ask --program " + id +
                      " -- PROGRAM ARGS...");
  return program;
}

Result<Exit> run_picker(Session& session, const PickerOptions& options) {
  const auto sweep = resolve_sweep(session, options.sweep);
  if (!sweep) return sweep.error();
  const auto row = session.get("/v1/sweeps/" + text(*sweep));
  if (!row) return row.error();
  const auto argv = picker_program(options, *row);
  if (!argv) return argv.error();
  auto client = session.client();
  if (!client) return client.error();
  std::string call;
  for (const std::string& word : *argv) call += " " + printable(word);
  if (options.program.empty()) {  // a holder of `submit` wrote it
    const std::string what = "the sweep's search.command runs in this folder and environment:\n ";
    if (auto agreed = agree_to_run(session, what + call, options.yes); !agreed)
      return agreed.error();
  }
  const InterruptsHeld held;  // Ctrl-C also ends the program, but not in the middle of a line
  auto program = Conversation::start(*argv);
  if (!program) return program.error();
  session.note("parameters of " + text(*sweep) + " come from" + call);
  return PickerLoop(session, **client, *sweep, **program).run();
}

}  // namespace

CommandAction declare_picker(Flags& flags) {
  return with_options(run_picker, [&](PickerOptions& options) {
    flags.argument("SWEEP", options.sweep, "id of a sweep with search: {method: external}");
    flags.arguments("PROGRAM", options.program,
                    "after --: the program and its arguments (search.command)");
    flags.flag("--yes", options.yes, "run the search.command that is shown, without a question");
  });
}

}  // namespace hone::cli
