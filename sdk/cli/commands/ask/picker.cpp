// picker: the user's own program proposes the parameter sets of a sweep of method external.
#include <map>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/local/conversation.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/interrupt.hpp"
#include "sdk/cli/session/targets.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {
namespace {

constexpr Duration look_every = milliseconds(100);
constexpr Duration answer_slice = milliseconds(20);  // how soon Ctrl-C is heard while it thinks
constexpr Duration patience = seconds(120);          // with a server that does not answer

std::string excerpt(const std::string& line) {
  return "'" + truncated(printable(line), 200, true) + "'";
}

// What the picker is told of a trial.
Json told_of(const Json& trial) {
  Json told = Json::object();
  for (const char* name : {"number", "params", "state", "value", "phase"})
    told[name] = member(trial, std::string("/") + name);
  return told;
}

bool may_pass(Code code) {
  return code == Code::unavailable || code == Code::busy || code == Code::timed_out ||
         code == Code::rate_limited;
}

// A server that is away for a moment is waited for: requests carry their id.
template <class Call>
auto patiently(const Call& call) {
  constexpr Duration pause = milliseconds(500);
  auto answer = call();
  for (Duration waited{}; !answer && may_pass(answer.error().code) && waited.us < patience.us;
       waited.us += pause.us) {
    if (interrupted_within(pause)) break;
    answer = call();
  }
  return answer;
}

enum class Step { go_on, interrupted };

class Picking {
 public:
  Picking(Session& session, Client& client, SweepId sweep, Conversation& program)
      : session_(session), client_(client), sweep_(sweep), program_(program) {}

  Result<Exit> run() {
    while (true) {
      const auto row = patiently([&] { return session_.get(path()); });
      if (!row) return row.error();
      const auto state = parse_sweep_state(text_at(*row, "/state"));
      if (state && is_end(*state)) return over(*state);
      if (state == SweepState::running && wants_one(*row)) {
        const auto step = pick(*row);
        if (!step) return step.error();
        if (*step == Step::interrupted) return left();
      }
      if (interrupted_within(look_every)) return left();
    }
  }

 private:
  [[nodiscard]] std::string path() const { return "/v1/sweeps/" + text(sweep_); }

  // One set ahead: the next is asked for when the last one has become a trial.
  [[nodiscard]] bool wants_one(const Json& row) const {
    const auto proposed = int_at(row, "/trials/proposed");
    return proposed >= ahead_ && proposed < int_at(row, "/trials/total") && !full_;
  }

  Result<Step> pick(const Json& row) {
    const auto question = question_about(row);
    if (!question) return question.error();
    if (const auto said = program_.say(to_text(*question)); !said) return odd(said.error().detail);
    std::optional<std::string> line;
    while (!line) {
      auto heard = program_.hear(answer_slice);
      if (!heard) return odd(heard.error().detail + " before it answered");
      line = *std::move(heard);
      if (!line && interrupted_within(Duration{})) return Step::interrupted;
    }
    const auto params = params_in(*line);
    if (!params) return params.error();
    return enqueue(*params, *line, int_at(row, "/trials/proposed"));
  }

  Result<Json> question_about(const Json& row) {
    const auto trials = patiently([&] { return session_.list(path() + "/trials?sort=number"); });
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
      Json told = told_of(trial);
      Json& before = known_[int_at(trial, "/number")];
      if (before == told) continue;
      before = told;
      question["trials"].push_back(std::move(told));
    }
    return question;
  }

  Result<Params> params_in(const std::string& line) {
    const auto answer = parse_json(line);
    if (!answer) return odd("answered " + excerpt(line) + ", which is no JSON");
    if (!answer->is_object() || !answer->contains("params"))
      return odd("answered " + excerpt(line) + " instead of {\"params\": {...}}");
    auto params = decode_params(answer->at("params"), "/params");
    if (!params) return odd("answered " + excerpt(line) + ": " + reason(params.error()));
    return params;
  }

  Result<Step> enqueue(const Params& params, const std::string& line, std::int64_t proposed) {
    const EnqueueRequest request{new_request_id(), params};
    const auto reply = patiently([&] { return client_.enqueue(sweep_, request); });
    if (!reply && reply.error().code == Code::conflict) {  // all are there, or it is stopping
      full_ = true;
      return Step::go_on;
    }
    if (!reply && reply.error().code == Code::invalid)
      return odd("answered " + excerpt(line) + ": " + reason(reply.error()));
    if (!reply) return reply.error();
    ++picked_;
    ahead_ = proposed + reply->waiting;
    const bool for_people = session_.options().format == Format::table;
    const Json set = encode(params);
    session_.print((for_people ? params_text(set) : to_text(set)) + "\n");
    return Step::go_on;
  }

  static std::string reason(const Error& error) {
    return error.detail + (error.at.empty() ? "" : " (at " + error.at + ")");
  }

  static Error odd(const std::string& what) {
    return refuse(Code::internal, "the picker: " + what);
  }

  Result<Exit> over(SweepState state) {
    session_.note(text(sweep_) + " " + std::string(word(state)) + "; the picker chose " +
                  std::to_string(picked_) + (picked_ == 1 ? " parameter set" : " parameter sets"));
    return exit_for(state);
  }

  Result<Exit> left() {
    session_.note("\nno longer picking; the sweep waits for parameters. Go on with: hone picker " +
                  text(sweep_));
    return Exit::interrupted;
  }

  Session& session_;
  Client& client_;
  SweepId sweep_;
  Conversation& program_;
  std::map<std::int64_t, Json> known_;  // what the program was told of each trial
  std::int64_t ahead_ = 0;              // trials there will be once all that waits is proposed
  std::int64_t picked_ = 0;
  bool full_ = false;
};

struct Wish {
  std::string sweep;
  std::vector<std::string> program;
};

Result<std::vector<std::string>> program_of(const Wish& wish, const Json& row) {
  const std::string id = text_at(row, "/id");
  const std::string method = text_at(row, "/spec/search/method");
  if (method != "external")
    return refuse(Code::invalid, id + " is searched by method " + method +
                                     "; a picker needs search: {method: external}");
  if (!wish.program.empty()) return wish.program;
  std::vector<std::string> program;
  for (const Json& word : member(row, "/spec/search/command")) program.push_back(value_text(word));
  if (program.empty())
    return refuse(Code::invalid, id + " names no search.command; say the program: hone picker " +
                                     id + " -- PROGRAM ARGS...");
  return program;
}

Result<Exit> pick(Session& session, const Wish& wish) {
  const auto sweep = sweep_of(session, wish.sweep);
  if (!sweep) return sweep.error();
  const auto row = session.get("/v1/sweeps/" + text(*sweep));
  if (!row) return row.error();
  const auto argv = program_of(wish, *row);
  if (!argv) return argv.error();
  auto client = session.client();
  if (!client) return client.error();
  const InterruptsHeld held;  // a Ctrl-C ends the program, too, and not in the middle of a word
  auto program = Conversation::start(*argv);
  if (!program) return program.error();
  std::string call;
  for (const std::string& word : *argv) call += " " + printable(word);
  session.note(text(*sweep) + " is picked by" + call);
  return Picking(session, **client, *sweep, **program).run();
}

}  // namespace

Work declare_picker(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.argument("SWEEP", wish->sweep, "a sweep of search: {method: external}");
  flags.arguments("PROGRAM", wish->program,
                  "behind --: the program and its arguments (search.command)");
  return [wish](Session& session) { return pick(session, *wish); };
}

}  // namespace hone::cli
