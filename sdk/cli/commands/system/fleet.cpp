// fleet: creates, changes, lists, explains and stops fleets, and shows the logs of their pilots.
#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/ascii.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/wire.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cpp/yaml_document.hpp"

namespace hone::cli {
namespace {

struct FleetOptions {
  std::string action;
  std::string fleet;  // its id or name; of create also a file; of logs a pilot
  std::vector<std::string> settings;
  std::string engine;
  bool all = false;
  bool forget = false;
};

bool is_whole_number(const std::string& text) { return is_digits(text) && text.size() <= 9; }

Json list_of(const std::string& text) {
  Json list = Json::array();
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find(',', from), text.size());
    if (end > from) list.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return list;
}

// "max=20", "idle=5m", "hosts=a,b": the server checks names and values.
Status apply_fleet_settings(const std::vector<std::string>& settings, Json& spec) {
  constexpr std::array<std::string_view, 3> lists{"args", "hosts", "labels"};
  for (const auto& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      return refuse(Code::invalid, "'" + setting + "' is no setting; write it as max=20");
    const auto key = setting.substr(0, equals);
    const auto value = setting.substr(equals + 1);
    if (std::ranges::find(lists, key) != lists.end())
      spec[key] = list_of(value);
    else if (is_whole_number(value) && key != "name")
      spec[key] = std::stoll(value);
    else
      spec[key] = value;
  }
  return Done{};
}

// A file, or a name that the settings complete.
Result<Json> described_fleet(const std::string& word) {
  if (std::error_code ignored; !std::filesystem::exists(word, ignored)) {
    Json spec = Json::object();
    spec["name"] = word;
    spec["engine"] = "local";
    return spec;
  }
  const auto text = read_file(word);
  if (!text) return text.error();
  auto document = parse_yaml(*text, word);
  if (!document) return document.error();
  if (!document->json.is_object())
    return refuse(Code::invalid, word + " describes no fleet: write name, engine, max, ...");
  return std::move(document->json);
}

Result<Exit> send_fleet(Session& session, const Json& spec, const std::string& fleet) {
  auto checked = decode_request<FleetSpec>(spec);
  if (!checked) return checked.error();
  FleetRequest request{new_request_id(), {}, *std::move(checked)};
  if (!fleet.empty()) request.fleet = parse_fleet_id(fleet);
  const auto reply = session.post("/v1/fleets", encode(request));
  if (!reply) return reply.error();
  const auto id = text_at(*reply, "/fleet");
  session.note(id + " '" + request.spec.name + "' keeps " + std::to_string(request.spec.min) +
               " to " + std::to_string(request.spec.max) + " workers on " + request.spec.engine);
  session.print(id + "\n");
  return Exit::ok;
}

// By id, or by the name of a fleet: the newest one.
Result<Json> find_fleet(Session& session, const std::string& word) {
  if (word.empty()) return refuse(Code::invalid, "no fleet given; pass its id or its name");
  if (parse_fleet_id(word)) return session.get("/v1/fleets/" + word);
  const auto fleets = session.list("/v1/fleets");
  if (!fleets) return fleets.error();
  for (const Json& fleet : *fleets)
    if (text_at(fleet, "/name") == word) return fleet;
  return refuse(Code::not_found, "unknown fleet '" + word + "'; list them with: hone fleet ls");
}

Result<Exit> create_fleet(Session& session, const FleetOptions& options) {
  if (options.fleet.empty())
    return refuse(Code::invalid,
                  "no name given; write: hone fleet create NAME engine=slurm max=20, or a file");
  auto spec = described_fleet(options.fleet);
  if (!spec) return spec.error();
  if (!options.engine.empty()) (*spec)["engine"] = options.engine;
  if (auto applied = apply_fleet_settings(options.settings, *spec); !applied)
    return applied.error();
  return send_fleet(session, *spec, "");
}

Result<Exit> set_fleet(Session& session, const FleetOptions& options) {
  auto fleet = find_fleet(session, options.fleet);
  if (!fleet) return fleet.error();
  if (options.settings.empty())
    return refuse(Code::invalid, "no setting given; write: hone fleet set NAME max=20");
  Json spec = member(*fleet, "/spec");
  if (auto applied = apply_fleet_settings(options.settings, spec); !applied) return applied.error();
  return send_fleet(session, spec, text_at(*fleet, "/id"));
}

std::string with_detail(std::string text, const std::string& detail) {
  return detail.empty() ? text : text + " (" + printable(detail) + ")";
}

// "no complete list of its pilots since 2026-11-25 12:00:00 UTC: squeue: error: ..."; "" where the
// engine answers.
std::string trouble_text(const Json& fleet) {
  const std::string detail = text_at(fleet, "/engine_trouble/detail");
  const auto since = time_at(fleet, "/engine_trouble/since");
  if (detail.empty() || !since) return {};
  return "no complete list of its pilots since " + clock_text(*since) +
         " UTC: " + printable(detail);
}

// Explains why a stopping fleet still has pilots, and how to end it.
std::string stopping_text(const Json& fleet) {
  const auto pilots = int_at(fleet, "/pilots");
  if (text_at(fleet, "/state") != "stopping" || pilots == 0) return {};
  const std::string text =
      "stopping until its engine reports the end of " + counted(pilots, "pilot");
  if (trouble_text(fleet).empty()) return text;
  return text + "; if it will never answer again: hone fleet stop " + text_at(fleet, "/name") +
         " --forget (a pilot that still runs trains until it is idle or its wall time ends)";
}

void note_troubles(Session& session, const std::vector<Json>& fleets) {
  for (const Json& fleet : fleets) {
    const auto trouble = trouble_text(fleet), stopping = stopping_text(fleet);
    if (trouble.empty()) continue;
    session.note(text_at(fleet, "/id") + " '" + text_at(fleet, "/name") + "': " + trouble +
                 (stopping.empty() ? "" : "; " + stopping));
  }
}

Result<Exit> list_fleets(Session& session, const FleetOptions& options) {
  auto fleets = session.list("/v1/fleets");
  if (!fleets) return fleets.error();
  if (!options.all)
    std::erase_if(*fleets, [](const Json& one) { return text_at(one, "/state") == "stopped"; });
  note_troubles(session, *fleets);
  return print_list(session, fleet_columns(), *fleets,
                    "no fleets; create one with: hone fleet create NAME engine=local max=4");
}

// "pi_3 (node1/4711), pi_5": those that the server does not know to have ended.
Result<std::string> alive_text(Session& session, const std::string& fleet) {
  const auto pilots = session.list("/v1/fleets/" + fleet + "/pilots");
  if (!pilots) return pilots.error();
  std::string text;
  for (const Json& pilot : *pilots)
    if (text_at(pilot, "/state") != "ended")
      text += (text.empty() ? "" : ", ") +
              with_detail(text_at(pilot, "/id"), text_at(pilot, "/handle"));
  return text;
}

Result<Exit> forget_fleet(Session& session, const std::string& id) {
  const auto alive = alive_text(session, id);
  if (!alive) return alive.error();
  const auto reply = session.post("/v1/fleets/" + id + "/forget", Json::object());
  if (!reply) return reply.error();
  session.note(id + " is stopped" +
               (alive->empty() ? std::string()
                               : "; these pilots may still run, and train until they are idle or "
                                 "their wall time ends: " +
                                     *alive));
  return Exit::ok;
}

Result<Exit> stop_fleet(Session& session, const FleetOptions& options) {
  const auto fleet = find_fleet(session, options.fleet);
  if (!fleet) return fleet.error();
  const auto id = text_at(*fleet, "/id");
  if (options.forget) return forget_fleet(session, id);
  const auto reply = session.post("/v1/fleets/" + id + "/stop", Json::object());
  if (!reply) return reply.error();
  session.note(id + " is stopping; its pilots return their runs and end");
  return Exit::ok;
}

Result<Exit> show_fleet(Session& session, const FleetOptions& options) {
  const auto fleet = find_fleet(session, options.fleet);
  if (!fleet) return fleet.error();
  const auto pilots = session.list("/v1/fleets/" + text_at(*fleet, "/id") + "/pilots");
  if (!pilots) return pilots.error();
  const Json& spec = member(*fleet, "/spec");
  std::vector<RecordLine> lines{
      {"fleet", text_at(*fleet, "/id") + " " + text_at(*fleet, "/name")},
      {"state", text_at(*fleet, "/state"), ink_of_state(text_at(*fleet, "/state"))},
      {"engine", text_at(spec, "/engine")},
      {"pilots", std::to_string(int_at(*fleet, "/pilots")) + " alive, " +
                     std::to_string(int_at(*fleet, "/joined")) + " joined, " +
                     std::to_string(int_at(*fleet, "/want")) + " wanted"},
      {"bounds", std::to_string(int_at(spec, "/min")) + " to " +
                     std::to_string(int_at(spec, "/max")) + ", backlog " +
                     std::to_string(int_at(spec, "/backlog"))},
      {"pilot",
       counted(int_at(spec, "/slots"), "slot") + ", " + counted(int_at(spec, "/gpus"), "GPU")}};
  if (const auto detail = text_at(*fleet, "/detail"); !detail.empty())
    lines.push_back({"reason", printable(detail)});
  if (const auto trouble = trouble_text(*fleet); !trouble.empty())
    lines.push_back({"trouble", trouble, Ink::warn});
  Json whole = *fleet;
  whole["items"] = *pilots;
  std::string text = record_text(lines, session.screen());
  if (!pilots->empty()) text += "\n" + table_text(pilot_columns(), *pilots, session.screen());
  return print_object(session, whole, text);
}

// Each rule as a sentence; "" where it says nothing about that.
std::string_view sentence_of(FleetRule rule) {
  switch (rule) {
    case FleetRule::demand:
      return "runs wait for a worker";
    case FleetRule::minimum:
      return "the fleet keeps `min` pilots alive";
    case FleetRule::probe:
      return "one submission after failures, to see whether the engine accepts again";
    case FleetRule::enough:
      return "the runs that train and wait need no more";
    case FleetRule::at_max:
      return "`max` pilots are wanted already";
    case FleetRule::backlog:
      return "`backlog` pilots have not joined yet";
    case FleetRule::back_off:
      return "pilots failed before they joined; the next submission waits";
    case FleetRule::halted:
      return "the engine rejects every submission; change the fleet with `hone fleet set`";
    case FleetRule::limited:
      return "the engine takes no more jobs of this account; one more is tried after 10 min";
    case FleetRule::stopping:
      return "a user stopped the fleet";
    case FleetRule::over_max:
      return "more were alive than `max`";
    case FleetRule::surplus:
      return "no run waited for it any more";
    case FleetRule::adopted:
      return "the engine listed it with a token of this fleet";
    case FleetRule::completed:
      return "the engine reports its end";
    case FleetRule::failed:
      return "the engine reports its failure";
    case FleetRule::vanished:
      return "the engine has it no longer";
    case FleetRule::never_seen:
      return "its submission never appeared at the engine";
    case FleetRule::rejected:
      return "the engine rejected its submission";
  }
  return "";
}

std::string explained(const std::string& word) {
  const auto rule = parse_word<FleetRule>(word);
  return rule ? std::string(sentence_of(*rule)) : word;
}

std::string state_detail(const Json& pilot) {
  if (text_at(pilot, "/state") == "running" && text_at(pilot, "/worker").empty())
    return "it has not joined; read: hone fleet logs " + text_at(pilot, "/id");
  return text_at(pilot, "/detail");
}

std::string pilot_text(const Json& pilot) {
  std::string text =
      text_at(pilot, "/id") + "  wanted: " +
      with_detail(explained(text_at(pilot, "/rule")), text_at(pilot, "/rule_detail"));
  if (const auto canceled = text_at(pilot, "/canceled"); !canceled.empty())
    text += "\n      canceled: " + explained(canceled);
  if (const auto end = text_at(pilot, "/end_rule"); !end.empty())
    text += "\n      ended: " + with_detail(explained(end), text_at(pilot, "/detail"));
  else
    text += "\n      " + with_detail(text_at(pilot, "/state"), state_detail(pilot));
  return text + "\n";
}

Result<Exit> explain_fleet(Session& session, const FleetOptions& options) {
  const auto fleet = find_fleet(session, options.fleet);
  if (!fleet) return fleet.error();
  const auto pilots = session.list("/v1/fleets/" + text_at(*fleet, "/id") + "/pilots");
  if (!pilots) return pilots.error();
  std::string text =
      text_at(*fleet, "/id") + " '" + text_at(*fleet, "/name") + "' wants " +
      counted(int_at(*fleet, "/want"), "pilot") + ": " +
      with_detail(explained(text_at(*fleet, "/rule")), text_at(*fleet, "/rule_detail")) + "\n";
  if (const auto detail = text_at(*fleet, "/detail"); !detail.empty())
    text += text_at(*fleet, "/state") + ": " + printable(detail) + "\n";
  if (const auto trouble = trouble_text(*fleet); !trouble.empty())
    text += "engine " + text_at(*fleet, "/spec/engine") + ": " + trouble + "\n";
  if (const auto stopping = stopping_text(*fleet); !stopping.empty()) text += stopping + "\n";
  for (const Json& pilot : *pilots) text += pilot_text(pilot);
  Json whole = *fleet;
  whole["items"] = *pilots;
  return print_object(session, whole, text);
}

Result<Exit> show_log(Session& session, const FleetOptions& options) {
  if (!parse_pilot_id(options.fleet))
    return refuse(Code::invalid, "no pilot given; write: hone fleet logs pi_42");
  const auto log = session.get("/v1/pilots/" + options.fleet + "/log");
  if (!log) return log.error();
  return print_object(session, *log, printable_log(text_at(*log, "/log")));
}

struct FleetAction {
  std::string_view name;
  Result<Exit> (*run)(Session&, const FleetOptions&);
};
constexpr std::array fleet_actions{
    FleetAction{"create", create_fleet}, FleetAction{"set", set_fleet},
    FleetAction{"ls", list_fleets},      FleetAction{"show", show_fleet},
    FleetAction{"logs", show_log},       FleetAction{"explain", explain_fleet},
    FleetAction{"stop", stop_fleet}};

Result<Exit> fleet(Session& session, const FleetOptions& options) {
  const auto found = std::ranges::find(fleet_actions, options.action, &FleetAction::name);
  if (found != fleet_actions.end()) return found->run(session, options);
  std::vector<std::string_view> known;
  for (const FleetAction& action : fleet_actions) known.push_back(action.name);
  return refuse(Code::invalid, "unknown action '" + options.action + "'" +
                                   did_you_mean(options.action, known) +
                                   "; the actions are create, set, ls, show, explain, stop, logs");
}

}  // namespace

CommandAction declare_fleet(Flags& flags) {
  return with_options(fleet, [&](FleetOptions& options) {
    flags.argument("ACTION", options.action, "create, set, ls, show, explain, stop or logs");
    flags.optional_argument("FLEET", options.fleet,
                            "id or name of the fleet; create: a name or a file; logs: a pilot");
    flags.arguments("SETTING", options.settings,
                    "KEY=VALUE each: engine, min, max, backlog, idle, wall, drain, slots, gpus, "
                    "url, ...");
    flags.text("--engine ENGINE", options.engine, "create: the same as engine=ENGINE");
    flags.flag("--all", options.all, "also list fleets that are stopped");
    flags.flag(
        "--forget", options.forget,
        "stop: of a stopping fleet whose engine is gone, wait for no pilot any more; one that "
        "still runs trains until it is idle or its wall time ends");
  });
}

}  // namespace hone::cli
