#include "sdk/cli/commands/study/study_ledger.hpp"

#include "schemas/codec/body.hpp"
#include "schemas/codec/problem.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/types/submit.hpp"
#include "sdk/cli/commands/steer/workflow_upload.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/interrupt.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {
namespace {

using study::Outcome;
using study::Unit;

constexpr Duration pause_between = milliseconds(500);

std::optional<double> optional_number(const Json& item, const std::string& pointer) {
  const Json& value = member(item, pointer);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

}  // namespace

// Every request is a read or carries an id, so that repeating it is harmless.
Result<Json> StudyLedger::patiently(const std::function<Result<Json>()>& call) {
  auto reply = call();
  for (Duration waited{}; !reply && is_retryable(reply.error().code) && waited.us < patience_.us;
       waited.us += pause_between.us) {
    if (interrupted_within(pause_between)) break;
    reply = call();
  }
  return reply;
}

Result<Json> StudyLedger::get(const std::string& path) {
  return patiently([&] { return session_.get(path); });
}

Result<Json> StudyLedger::post(const std::string& path, const Json& body) {
  return patiently([&] { return session_.post(path, body); });
}

Status StudyLedger::refresh() {
  const auto rows = session_.list("/v1/sweeps?limit=1000&where=" +
                                  escape_path("project = \"" + study::project_of(study_) + "\""));
  if (!rows) return rows.error();
  for (const Json& one : *rows) ids_[text_at(one, "/name")] = text_at(one, "/id");
  return Done{};
}

void StudyLedger::record_code() {
  auto client = session_.client();
  const auto spec = decode_request<SweepSpec>(study::tuning_sweep(study_, {}));
  if (client && spec) workflow_ = record_and_store(session_, **client, spec->trainer);
}

std::optional<std::string> StudyLedger::find(const Json& sweep) const {
  const auto found = ids_.find(study::name_of(sweep));
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

Result<std::string> StudyLedger::submit(const Json& sweep, const Unit& unit, const char* role,
                                        const std::string& origin) {
  auto id = find(sweep);
  if (!id) {
    Json body{{"request_id", study::request_id_of(sweep)},
              {"spec", sweep},
              {"workflow", encode(workflow_)}};
    if (!origin.empty()) body["forked_from"] = origin;
    const auto reply = post("/v1/sweeps", body);
    if (!reply) return reply.error();
    id = ids_[study::name_of(sweep)] = text_at(*reply, "/sweep");
  }
  const auto tagged =
      post("/v1/tags", Json{{"on", *id}, {"add", study::tags_of(study_, unit, role)}});
  if (!tagged) return tagged.error();
  return *std::move(id);
}

Result<Json> StudyLedger::row(const std::string& id) { return get("/v1/sweeps/" + id); }

Status StudyLedger::stop(const std::string& id) {
  const auto reply = post("/v1/sweeps/" + id + "/steer", Json{{"verb", "stop"}});
  if (reply || reply.error().code == Code::conflict) return Done{};  // it has just ended
  return reply.error();
}

Result<Outcome> StudyLedger::tuned(const Unit& unit, const Json& row) {
  const std::string id = text_at(row, "/id");
  Outcome outcome{study_.methods[unit.method].name, study_.problems[unit.problem].name,
                  unit.repetition, id, ""};
  const auto history = get("/v1/sweeps/" + id + "/history?by=spent&points=2000");
  if (!history) return history.error();
  outcome.spent = number_at(*history, "/end");
  outcome.seconds = number_at(row, "/work/run_seconds");
  outcome.trials = int_at(row, "/trials/proposed");
  const auto limit = study::step_limit(study_, study_.problems[unit.problem]);
  std::string trial;
  for (const Json& point : items_at(*history, "/points")) {
    const double spent = number_at(point, "/x");
    if (limit && spent > static_cast<double>(*limit)) break;
    outcome.best.push_back({spent, number_at(point, "/value")});
    outcome.tuned = outcome.best.back().value;
    trial = text_at(point, "/trial");
  }
  if (limit) {
    if (trial.empty()) return outcome;
    const auto named = get("/v1/trials/" + trial);
    if (!named) return named.error();
    outcome.params = member(*named, "/params");
    return outcome;
  }
  const auto best = get("/v1/sweeps/" + id + "/best?limit=1");
  if (!best) return best.error();
  outcome.tuned = optional_number(*best, "/items/0/value");
  if (const Json& params = member(*best, "/items/0/params"); params.is_object() && outcome.tuned)
    outcome.params = params;
  return outcome;
}

Result<std::optional<double>> StudyLedger::fresh(const std::string& id) {
  const auto best = get("/v1/sweeps/" + id + "/best?limit=1");
  if (!best) return best.error();
  const bool whole = int_at(*best, "/items/0/seeds") >= study_.measure.seeds;
  return whole ? optional_number(*best, "/items/0/value") : std::nullopt;
}

Result<std::optional<Outcome>> StudyLedger::outcome(const Unit& unit) {
  const auto ended = [&](const std::string& id) -> Result<std::optional<Json>> {
    auto found = row(id);
    if (!found) return found.error();
    const auto state = parse_word<SweepState>(text_at(*found, "/state"));
    if (!state || !is_end(*state)) return std::optional<Json>();
    return std::optional(*std::move(found));
  };
  const auto tuning = find(study::tuning_sweep(study_, unit));
  if (!tuning) return std::optional<Outcome>();
  const auto tuned_row = ended(*tuning);
  if (!tuned_row) return tuned_row.error();
  if (!*tuned_row) return std::optional<Outcome>();
  auto found = tuned(unit, **tuned_row);
  if (!found) return found.error();
  if (found->params.empty()) return std::optional(*std::move(found));
  if (study_.measure.seeds == 0) {
    found->fresh = found->tuned;
    return std::optional(*std::move(found));
  }
  const auto test = find(study::test_sweep(study_, unit, found->params));
  if (!test) return std::optional<Outcome>();
  const auto test_row = ended(*test);
  if (!test_row) return test_row.error();
  if (!*test_row) return std::optional<Outcome>();
  auto value = fresh(*test);
  if (!value) return value.error();
  found->test = *test;
  found->fresh = *value;
  return std::optional(*std::move(found));
}

}  // namespace hone::cli
