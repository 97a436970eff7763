// edit, fork, resubmit: change or continue a sweep, or submit a changed copy.
#include <charconv>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/trainer_codec.hpp"
#include "schemas/codec/turns.hpp"
#include "schemas/types/methods.hpp"
#include "schemas/types/past.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/types/widening.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/fitting.hpp"
#include "sdk/cli/commands/steer/snapshot_upload.hpp"
#include "sdk/cli/commands/steer/workflow_upload.hpp"
#include "sdk/cli/local/dataset.hpp"
#include "sdk/cli/local/place.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "sdk/cpp/deadline.hpp"
#include "sdk/cpp/sweep_file.hpp"

namespace hone::cli {
namespace {

struct EditOptions {
  std::string id;
  std::vector<std::string> settings;
  std::vector<std::string> widen;
  std::string dataset;
  std::int64_t trials = 0;
  int concurrency = -1;
  int share = 0;
  std::string slots;
  std::string by;
  std::string command;
  bool dry_run = false;
};

// lr=1e-5:0.1, lr=:0.1, opt=adam,lion
Result<Widening> widening_of(const std::string& word) {
  const auto form = [&] {
    return refuse(Code::invalid, "--widen " + word +
                                     ": write NAME=MIN:MAX (one of them may be left out) or "
                                     "NAME=VALUE,VALUE for a choice");
  };
  const auto equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return form();
  Widening widening{word.substr(0, equals)};
  const std::string rest = word.substr(equals + 1);
  const auto colon = rest.find(':');
  if (colon != std::string::npos) {
    const std::string min = rest.substr(0, colon);
    const std::string max = rest.substr(colon + 1);
    widening.min = parse_number(min);
    widening.max = parse_number(max);
    if ((!min.empty() && !widening.min) || (!max.empty() && !widening.max)) return form();
    return widening;
  }
  const auto list = read_sweep_text("[" + rest + "]", "--widen");
  if (!list || !list->document.is_array()) return form();
  for (const Json& item : list->document) {
    auto value = decode_value(item, "");
    if (!value) return form();
    widening.values.push_back(*std::move(value));
  }
  return widening;
}

// 2:8, 2: and :8.
Result<SlotsSpec> slots_of(const std::string& word) {
  const auto colon = word.find(':');
  const auto number = [](const std::string& digits) -> std::optional<int> {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 0)
      return std::nullopt;
    return value;
  };
  const std::string min = word.substr(0, colon);
  const std::string max = colon == std::string::npos ? "" : word.substr(colon + 1);
  if (colon == std::string::npos || (!min.empty() && !number(min)) ||
      (!max.empty() && number(max).value_or(0) == 0))
    return refuse(Code::invalid, "--slots " + word +
                                     ": write MIN:MAX, where one of them may be left out, as in 2: "
                                     "or :8; ':' lifts both");
  SlotsSpec slots{number(min).value_or(0)};
  if (!max.empty()) slots.max = number(max);
  return slots;
}

// 2h, 18:00, "2026-11-23 18:00", a time with its zone, none.
Result<Deadline> deadline_of(const std::string& word) {
  auto deadline = decode_deadline(Json(clock_time(word, now()).value_or(word)), "");
  if (!deadline)
    return refuse(Code::invalid, "--by " + word +
                                     ": write a duration such as 2h, a time such as 18:00 or "
                                     "2026-11-23 18:00, or none");
  return deadline;
}

// The changes of how the sweep shares slots.
Status read_turns(const EditOptions& options, EditRequest& request) {
  if (options.share > 0) request.share = options.share;
  if (!options.slots.empty()) {
    auto slots = slots_of(options.slots);
    if (!slots) return slots.error();
    request.slots = *slots;
  }
  if (!options.by.empty()) {
    auto by = deadline_of(options.by);
    if (!by) return by.error();
    request.by = *by;
  }
  return Done{};
}

// Describes which trials a continued sweep learns from: an imported one may hold trials outside
// its space.
void note_fitting(Session& session, const std::string& id) {
  const auto sweep = session.get("/v1/sweeps/" + id);
  const auto spec =
      sweep ? decode_request<SweepSpec>(member(*sweep, "/spec")) : Result<SweepSpec>(sweep.error());
  if (!spec) return;
  if (const auto found = count_fitting(session, id, *spec)) session.note(fitting_text(*found, id));
}

// The sweep's command with what the user gives: a line of words, or an object whose members replace
// those of the command. It is submitted from here, and so is a snapshot of its code.
Result<CommandTrainer> command_of(Session& session, const std::string& given, const Json& sweep) {
  const auto wrong = [](const Error& error) {
    return refuse(error.code, "--command: " + error.detail);
  };
  const Json& known = member(sweep, "/spec/command");
  if (known.is_null())
    return refuse(Code::conflict, "--command: the sweep has no command; fork it");
  const bool is_yaml = given.starts_with('{') || given.starts_with('[');
  auto read = is_yaml ? read_sweep_text(given, "--command") : Result<SweepFile>(SweepFile{});
  if (!read) return wrong(read.error());
  const Json changes = !is_yaml                     ? Json{{"run", given}}
                       : read->document.is_object() ? read->document
                                                    : Json{{"run", read->document}};
  Json document = Json::object();
  Json& command = document["command"] = known.is_object() ? known : Json{{"run", known}};
  command.erase("submitter");
  if (!member(command, "/code").is_null()) command["code"] = "snapshot";
  for (const auto& [name, value] : changes.items()) command[name] = value;
  record_place(document);
  if (auto fits = decode_command(command, ""); !fits) return wrong(fits.error());
  auto client = session.client();
  if (!client) return client.error();
  if (auto sent = upload_snapshots(session, **client, document); !sent) return wrong(sent.error());
  return decode_command(document["command"], "");
}

Result<Exit> edit_sweep(Session& session, const EditOptions& options) {
  const auto id = resolve_sweep(session, options.id);
  if (!id) return id.error();
  EditRequest request{new_request_id()};
  if (options.trials > 0) request.trials = options.trials;
  if (options.concurrency >= 0) request.concurrency = options.concurrency;
  for (const auto& word : options.widen) {
    auto widening = widening_of(word);
    if (!widening) return widening.error();
    request.widen.push_back(*std::move(widening));
  }
  if (auto read = read_turns(options, request); !read) return read.error();
  const std::string path = "/v1/sweeps/" + text(*id);
  const auto before = session.get(path);
  if (!before) return before.error();
  if (!options.command.empty()) {
    auto command = command_of(session, options.command, *before);
    if (!command) return command.error();
    request.command = *std::move(command);
  }
  const auto reply = session.post(path + "/edit", encode(request));
  if (!reply) return reply.error();
  if (request.command) session.note("attempts from now on run the new command");
  if (!text_at(*before, "/ended_at").empty()) {
    session.print(text(*id) + " continues\n");
    note_fitting(session, text(*id));
    session.note(counted(options.trials - int_at(*before, "/trials/proposed"), "more trial") +
                 ", proposed from all results so far; follow it with: hone watch " + text(*id));
    return Exit::ok;
  }
  session.print(text(*id) + " changed\n");
  session.note("existing trials are kept; see the change with: hone lineage " + text(*id));
  return Exit::ok;
}

Status apply_settings(Json& document, const std::vector<std::string>& settings) {
  for (const auto& setting : settings)
    if (auto set = set_path(document, setting); !set)
      return refuse(Code::invalid, "--set " + setting + ": " + set.error().detail);
  return Done{};
}

// The dataset of the new sweep: that of --dataset, else that of the old sweep's command. The server
// derives a built-in trainer's dataset from the sweep file.
Result<Json> dataset_of_fork(Session& session, const EditOptions& options, const Json& sweep) {
  if (!options.dataset.empty()) {
    const auto named = dataset_of(options.dataset);
    if (!named) return named.error();
    return encode(*named);
  }
  const std::string known = text_at(sweep, "/dataset");
  if (known.empty() || text_at(sweep, "/spec/trainer/name") != "") return Json();
  auto dataset = session.get("/v1/datasets/" + known);
  if (!dataset) return dataset.error();
  return encode(DatasetInfo{text_at(*dataset, "/name"), text_at(*dataset, "/version"),
                            text_at(*dataset, "/digest")});
}

// Submits a new sweep linked to `sweep`. Returns the server's reply.
Result<Json> submit_from(Session& session, const EditOptions& options, const Json& sweep,
                         const Json& spec) {
  auto client = session.client();
  if (!client) return client.error();
  const auto known = decode_request<SweepSpec>(spec);
  if (!known) return known.error();
  const auto dataset = dataset_of_fork(session, options, sweep);
  if (!dataset) return dataset.error();
  Json document = spec;
  if (auto sent = upload_snapshots(session, **client, document); !sent) return sent.error();
  Json body;
  body["request_id"] = new_request_id();
  body["spec"] = std::move(document);
  body["workflow"] = encode(record_and_store(session, **client, known->trainer));
  body["forked_from"] = text_at(sweep, "/id");
  if (!dataset->is_null()) body["dataset"] = *dataset;
  return session.post("/v1/sweeps", body);
}

Result<Exit> fork_sweep(Session& session, const EditOptions& options) {
  const auto id = resolve_sweep(session, options.id);
  if (!id) return id.error();
  const auto sweep = session.get("/v1/sweeps/" + text(*id));
  if (!sweep) return sweep.error();
  Json spec = member(*sweep, "/spec");
  if (auto set = apply_settings(spec, options.settings); !set) return set.error();
  settle_deadline(spec, now());
  if (options.dry_run) {
    session.print_json(to_pretty_text(spec) + "\n");
    return Exit::ok;
  }
  const auto reply = submit_from(session, options, *sweep, spec);
  if (!reply) return reply.error();
  if (session.options().format != Format::table) return print_object(session, *reply, "");
  session.print(text_at(*reply, "/sweep") + "\n");
  session.note("forked from " + text(*id) + "; follow it with: hone watch " +
               text_at(*reply, "/sweep"));
  return Exit::ok;
}

// The values that the new trial inherits: those of parameters that still vary freely.
Json free_params(const Json& spec, const Json& params) {
  Json given = Json::object();
  for (const auto& [name, value] : params.items()) {
    const Json& domain = member(spec, "/parameters/" + name);
    const bool fixed = text_at(domain, "/type") == "fixed" || text_at(domain, "/type") == "derived";
    if (!domain.is_null() && domain.is_object() && !fixed && !domain.contains("expr") &&
        !domain.contains("value"))
      given[name] = value;
  }
  return given;
}

bool is_active(const Json& sweep) {
  const std::string state = text_at(sweep, "/state");
  return state == "running" || state == "paused";
}

// Submits a sweep that proposes nothing by itself and ends with its first trial.
Result<std::string> sweep_for_one(Session& session, const EditOptions& options, const Json& sweep) {
  Json spec = member(sweep, "/spec");
  spec["search"] = {{"method", enqueued_method}, {"trials", 1}};
  spec["terminator"] = {{"rule", rule_none}};
  for (const char* of_many : {"confirm", "confirms"}) spec.erase(of_many);
  const auto reply = submit_from(session, options, sweep, spec);
  if (!reply) return reply.error();
  return text_at(*reply, "/sweep");
}

// Cancels a sweep that would stay empty.
void cancel_empty_sweep(Session& session, const std::string& sweep) {
  const auto canceled =
      session.post("/v1/sweeps/" + sweep + "/steer", encode(SteerRequest{Verb::cancel}));
  if (!canceled)
    session.note(sweep + " was created but is empty; end it with: hone stop --now " + sweep);
}

Result<Exit> resubmit(Session& session, const EditOptions& options) {
  const auto id = resolve_trial(options.id);
  if (!id) return id.error();
  const auto trial = session.get("/v1/trials/" + text(*id));
  if (!trial) return trial.error();
  const auto sweep = session.get("/v1/sweeps/" + text_at(*trial, "/sweep"));
  if (!sweep) return sweep.error();
  Json body;
  body["request_id"] = new_request_id();
  body["params"] = free_params(member(*sweep, "/spec"), member(*trial, "/params"));
  if (auto set = apply_settings(body["params"], options.settings); !set) return set.error();
  body["from"] = text(*id);
  std::string into = text_at(*sweep, "/id");
  const bool ended = !is_active(*sweep);
  if (ended) {
    auto made = sweep_for_one(session, options, *sweep);
    if (!made) return made.error();
    into = *std::move(made);
  }
  const auto reply = session.post("/v1/sweeps/" + into + "/enqueue", body);
  if (!reply) {
    if (ended) cancel_empty_sweep(session, into);
    return reply.error();
  }
  if (session.options().format != Format::table) return print_object(session, *reply, "");
  session.print(text(*id) + " enqueued again in " + into + "\n");
  if (ended)
    session.note(text_at(*sweep, "/id") +
                 " has ended, so the trial runs in a new sweep: hone watch " + into);
  return Exit::ok;
}

}  // namespace

CommandAction declare_edit(Flags& flags) {
  return with_options(edit_sweep, [&](EditOptions& options) {
    flags.argument("SWEEP", options.id, "id of the sweep");
    flags.integer("--trials N", options.trials, {1, 1e6},
                  "total number of trials; a larger number continues an ended sweep");
    flags.integer("--concurrency N", options.concurrency, {0, 1e6},
                  "number of parallel runs; 0: no limit");
    flags.integer("--share N", options.share, {1, 1000},
                  "weight in the division of slots between sweeps (1)");
    flags.text("--slots MIN:MAX", options.slots,
               "slots that its runs get before other sweeps, and at most");
    flags.text("--by TIME", options.by, "wanted by: 2h from its submission, 18:00, none");
    flags.text("--command LINE", options.command,
               "words of the program for attempts from now on, or {run: ..., cwd: ...}");
    flags.texts("--widen NAME=MIN:MAX", options.widen,
                "move a bound outwards, or add values: NAME=a,b; repeatable");
  });
}

CommandAction declare_fork(Flags& flags) {
  return with_options(fork_sweep, [&](EditOptions& options) {
    flags.argument("SWEEP", options.id, "id of the sweep, or of anything in it");
    flags.texts("--set FIELD=VALUE", options.settings,
                "change a field of the sweep file, as search.trials=64; repeatable");
    flags.text("--dataset FILE|NAME=DIGEST", options.dataset,
               "what it trains on (the dataset of the old sweep's command)");
    flags.flag("--dry-run", options.dry_run, "print the new sweep file; submit nothing");
  });
}

CommandAction declare_resubmit(Flags& flags) {
  return with_options(resubmit, [&](EditOptions& options) {
    flags.argument("TRIAL", options.id, "id of the trial, or of anything in it");
    flags.texts("--set NAME=VALUE", options.settings, "change a parameter; repeatable");
  });
}

}  // namespace hone::cli
