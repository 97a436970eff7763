// edit, fork, resubmit: a sweep that goes on is changed, or made into another.
#include <charconv>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/steer/recorded.hpp"
#include "sdk/cli/local/dataset.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/targets.hpp"
#include "sdk/cpp/sweep_file.hpp"

namespace hone::cli {
namespace {

struct Wish {
  std::string id;
  std::vector<std::string> settings;
  std::vector<std::string> widen;
  std::string dataset;
  std::int64_t trials = 0;
  int concurrency = -1;
  bool dry_run = false;
};

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, trouble] = std::from_chars(text.data(), end, value);
  if (trouble != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return value;
}

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
    widening.min = number_in(min);
    widening.max = number_in(max);
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

Result<Exit> edit(Session& session, const Wish& wish) {
  const auto id = sweep_of(session, wish.id);
  if (!id) return id.error();
  EditRequest request{new_request_id()};
  if (wish.trials > 0) request.trials = wish.trials;
  if (wish.concurrency >= 0) request.concurrency = wish.concurrency;
  for (const auto& word : wish.widen) {
    auto widening = widening_of(word);
    if (!widening) return widening.error();
    request.widen.push_back(*std::move(widening));
  }
  const auto reply = session.post("/v1/sweeps/" + text(*id) + "/edit", encode(request));
  if (!reply) return reply.error();
  session.print(text(*id) + " changed\n");
  session.note("what was proposed stays; see the change with: hone lineage " + text(*id));
  return Exit::ok;
}

Status assign(Json& document, const std::vector<std::string>& settings) {
  for (const auto& setting : settings)
    if (auto set = set_path(document, setting); !set)
      return refuse(Code::invalid, "--set " + setting + ": " + set.error().detail);
  return Done{};
}

// What the new sweep trains on: what --dataset says, else what the sweep's command trained on. Of a
// built-in trainer the server knows it by the sweep file.
Result<Json> dataset_of_fork(Session& session, const Wish& wish, const Json& sweep) {
  if (!wish.dataset.empty()) {
    const auto named = dataset_of(wish.dataset);
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

// A new sweep of this file, with its link to `sweep`. The server's answer.
Result<Json> submit_from(Session& session, const Wish& wish, const Json& sweep, const Json& spec) {
  auto client = session.client();
  if (!client) return client.error();
  const auto known = decode_sweep_spec(spec);
  if (!known) return known.error();
  const auto dataset = dataset_of_fork(session, wish, sweep);
  if (!dataset) return dataset.error();
  Json body;
  body["request_id"] = new_request_id();
  body["spec"] = spec;
  body["workflow"] = encode(record_and_store(session, **client, *known));
  body["forked_from"] = text_at(sweep, "/id");
  if (!dataset->is_null()) body["dataset"] = *dataset;
  return session.post("/v1/sweeps", body);
}

Result<Exit> fork(Session& session, const Wish& wish) {
  const auto id = sweep_of(session, wish.id);
  if (!id) return id.error();
  const auto sweep = session.get("/v1/sweeps/" + text(*id));
  if (!sweep) return sweep.error();
  Json spec = member(*sweep, "/spec");
  if (auto set = assign(spec, wish.settings); !set) return set.error();
  if (wish.dry_run) {
    session.print(spec.dump(2) + "\n");
    return Exit::ok;
  }
  const auto reply = submit_from(session, wish, *sweep, spec);
  if (!reply) return reply.error();
  if (session.options().format != Format::table) return print_object(session, *reply, "");
  session.print(text_at(*reply, "/sweep") + "\n");
  session.note("forked from " + text(*id) + "; follow it with: hone watch " +
               text_at(*reply, "/sweep"));
  return Exit::ok;
}

// Values that the new trial takes over: those of the parameters that still vary freely.
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

bool goes_on(const Json& sweep) {
  const std::string state = text_at(sweep, "/state");
  return state == "running" || state == "paused";
}

// One that proposes nothing by itself and ends with its first trial.
Result<std::string> sweep_for_one(Session& session, const Wish& wish, const Json& sweep) {
  Json spec = member(sweep, "/spec");
  spec["search"] = {{"method", "external"}, {"trials", 1}};
  spec["terminator"] = {{"rule", "none"}};
  for (const char* of_many : {"confirm", "confirms"}) spec.erase(of_many);
  const auto reply = submit_from(session, wish, sweep, spec);
  if (!reply) return reply.error();
  return text_at(*reply, "/sweep");
}

// Nothing will ever be tried in it.
void give_up(Session& session, const std::string& sweep) {
  const auto canceled =
      session.post("/v1/sweeps/" + sweep + "/steer", encode(SteerRequest{Verb::cancel}));
  if (!canceled) session.note(sweep + " was made and holds nothing; end it: hone cancel " + sweep);
}

Result<Exit> resubmit(Session& session, const Wish& wish) {
  const auto id = trial_of(wish.id);
  if (!id) return id.error();
  const auto trial = session.get("/v1/trials/" + text(*id));
  if (!trial) return trial.error();
  const auto sweep = session.get("/v1/sweeps/" + text_at(*trial, "/sweep"));
  if (!sweep) return sweep.error();
  Json body;
  body["request_id"] = new_request_id();
  body["params"] = free_params(member(*sweep, "/spec"), member(*trial, "/params"));
  if (auto set = assign(body["params"], wish.settings); !set) return set.error();
  body["from"] = text(*id);
  std::string into = text_at(*sweep, "/id");
  const bool ended = !goes_on(*sweep);
  if (ended) {
    auto made = sweep_for_one(session, wish, *sweep);
    if (!made) return made.error();
    into = *std::move(made);
  }
  const auto reply = session.post("/v1/sweeps/" + into + "/enqueue", body);
  if (!reply) {
    if (ended) give_up(session, into);
    return reply.error();
  }
  if (session.options().format != Format::table) return print_object(session, *reply, "");
  session.print(text(*id) + " enqueued again in " + into + "\n");
  if (ended)
    session.note(text_at(*sweep, "/id") + " has ended, so it has a sweep of its own: hone watch " +
                 into);
  return Exit::ok;
}

}  // namespace

Work declare_edit(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.argument("SWEEP", wish->id, "the sweep's id");
  flags.integer("--trials N", wish->trials, {1, 1e6}, "parameter sets to try in all");
  flags.integer("--concurrency N", wish->concurrency, {0, 1e6}, "runs at a time; 0: no limit");
  flags.texts("--widen NAME=MIN:MAX", wish->widen,
              "move a bound outwards, or add values: NAME=a,b; repeatable");
  return [wish](Session& session) { return edit(session, *wish); };
}

Work declare_fork(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.argument("SWEEP", wish->id, "the sweep (or anything of it)");
  flags.texts("--set FIELD=VALUE", wish->settings,
              "change a field of the sweep file, as search.trials=64; may be repeated");
  flags.text("--dataset FILE|NAME=DIGEST", wish->dataset,
             "what it trains on; default: what the sweep's command did");
  flags.flag("--dry-run", wish->dry_run, "print the new sweep file; submits nothing");
  return [wish](Session& session) { return fork(session, *wish); };
}

Work declare_resubmit(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.argument("TRIAL", wish->id, "the trial (or anything of it)");
  flags.texts("--set NAME=VALUE", wish->settings, "change a parameter; may be repeated");
  return [wish](Session& session) { return resubmit(session, *wish); };
}

}  // namespace hone::cli
