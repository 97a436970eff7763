#include "study/results/recorded.hpp"

#include <nlohmann/json.hpp>

#include "base/ascii.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "study/file/study_note.hpp"

namespace hone::study {
namespace {

// A member of an answer. An absent one, or one of another type, counts as null, "" or 0.
const Json& member(const Json& item, const std::string& pointer) {
  static const Json null;
  const Json::json_pointer place(pointer);
  return item.contains(place) ? item.at(place) : null;
}

std::string text_at(const Json& item, const std::string& pointer) {
  const Json& value = member(item, pointer);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::optional<double> optional_number(const Json& item, const std::string& pointer) {
  const Json& value = member(item, pointer);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

double number_at(const Json& item, const std::string& pointer) {
  return optional_number(item, pointer).value_or(0);
}

std::int64_t int_at(const Json& item, const std::string& pointer) {
  const Json& value = member(item, pointer);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

std::vector<Json> items_at(const Json& item, const std::string& pointer) {
  const Json& list = member(item, pointer);
  if (!list.is_array()) return {};
  return {list.begin(), list.end()};
}

}  // namespace

// The names of studies need no escapes.
std::string sweeps_path(const std::string& study, const std::string& more) {
  std::string where = "project = \"study " + study + "\"" + more;
  for (auto at = where.find_first_of(" \"="); at != where.npos;
       at = where.find_first_of(" \"=", at + 1))
    where.replace(at, 1, where[at] == ' ' ? "%20" : where[at] == '"' ? "%22" : "%3D");
  return "/v1/sweeps?limit=1000&where=" + where;
}

Status RecordedStudy::refresh() {
  constexpr int pages_max = 1000;  // a million sweeps
  const std::string path = sweeps_path(study_.name);
  std::string after;
  for (int i = 0; i < pages_max; ++i) {
    const auto page = read_(after.empty() ? path : path + "&after=" + after);
    if (!page) return page.error();
    for (const Json& one : items_at(*page, "/items"))
      sweeps_[text_at(one, "/name")] = {text_at(one, "/id"),
                                        parse_rfc3339(text_at(one, "/submitted_at")),
                                        parse_rfc3339(text_at(one, "/ended_at"))};
    after = text_at(*page, "/next");
    if (after.empty() || !is_plain(after, "-_.")) break;
  }
  return Done{};
}

std::optional<std::string> RecordedStudy::find(const Json& sweep) const {
  const auto found = sweeps_.find(name_of(sweep));
  return found == sweeps_.end() ? std::nullopt : std::optional(found->second.id);
}

Result<Outcome> RecordedStudy::tuned(const Unit& unit, const Json& row) {
  const std::string id = text_at(row, "/id");
  Outcome outcome{study_.methods[unit.method].name, study_.problems[unit.problem].name,
                  unit.repetition, id, ""};
  const auto history = read_("/v1/sweeps/" + id + "/history?by=spent&points=2000");
  if (!history) return history.error();
  outcome.spent = number_at(*history, "/end");
  outcome.seconds = number_at(row, "/work/run_seconds");
  outcome.trials = int_at(row, "/trials/proposed");
  const auto limit = step_limit(study_, study_.problems[unit.problem]);
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
    const auto named = read_("/v1/trials/" + trial);
    if (!named) return named.error();
    outcome.params = member(*named, "/params");
    return outcome;
  }
  const auto best = read_("/v1/sweeps/" + id + "/best?limit=1");
  if (!best) return best.error();
  outcome.tuned = optional_number(*best, "/items/0/value");
  if (const Json& params = member(*best, "/items/0/params"); params.is_object() && outcome.tuned)
    outcome.params = params;
  return outcome;
}

Result<std::optional<double>> RecordedStudy::fresh(const std::string& id) {
  const auto best = read_("/v1/sweeps/" + id + "/best?limit=1");
  if (!best) return best.error();
  const bool whole = int_at(*best, "/items/0/seeds") >= study_.measure.seeds;
  return whole ? optional_number(*best, "/items/0/value") : std::nullopt;
}

Result<std::optional<Outcome>> RecordedStudy::outcome(const Unit& unit) {
  const auto tuning = find(tuning_sweep(study_, unit));
  if (!tuning) return std::optional<Outcome>();
  const auto tuned_row = ended_row(*tuning);
  if (!tuned_row) return tuned_row.error();
  if (!*tuned_row) return std::optional<Outcome>();
  auto found = tuned(unit, **tuned_row);
  if (!found) return found.error();
  if (found->params.empty()) return std::optional(*std::move(found));
  if (study_.measure.seeds == 0) {
    found->fresh = found->tuned;
    return std::optional(*std::move(found));
  }
  const auto test = find(test_sweep(study_, unit, found->params));
  if (!test) return std::optional<Outcome>();
  const auto test_row = ended_row(*test);
  if (!test_row) return test_row.error();
  if (!*test_row) return std::optional<Outcome>();
  auto value = fresh(*test);
  if (!value) return value.error();
  found->test = *test;
  found->fresh = *value;
  return std::optional(*std::move(found));
}

Result<std::optional<Json>> RecordedStudy::ended_row(const std::string& id) {
  auto found = row(id);
  if (!found) return found.error();
  const auto state = parse_word<SweepState>(text_at(*found, "/state"));
  if (!state || !is_end(*state)) return std::optional<Json>();
  return std::optional(*std::move(found));
}

Result<std::vector<Outcome>> RecordedStudy::outcomes() {
  std::vector<Outcome> outcomes;
  for (const Unit& unit : units_of(study_, most_repetitions(study_))) {
    auto one = outcome(unit);
    if (!one) return one.error();
    if (*one) outcomes.push_back(**std::move(one));
  }
  return outcomes;
}

Result<std::optional<Json>> recorded_document(const std::string& study, const ReadPath& read) {
  const auto noted = read(sweeps_path(study, " and note"));
  if (!noted) return noted.error();
  std::map<std::string, std::string> notes;  // by their times
  for (const Json& sweep : items_at(*noted, "/items")) {
    const auto about = read("/v1/about/" + text_at(sweep, "/id"));
    if (!about) return about.error();
    int place = 0;
    for (const Json& note : items_at(*about, "/notes")) {
      constexpr int places = 1'000'000;  // of equal times the order of the list counts
      notes[text_at(note, "/at") + " " + std::to_string(places + ++place)] = text_at(note, "/text");
    }
  }
  NotedDocuments documents;
  for (const auto& [at, text] : notes) documents.add(text);
  return documents.newest();
}

}  // namespace hone::study
