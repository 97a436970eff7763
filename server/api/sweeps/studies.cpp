// A study as its sweeps are recorded here: the numbers of `hone study show`, and how far it is.
#include "base/ascii.hpp"
#include "server/api/arguments.hpp"
#include "server/api/inside.hpp"
#include "server/api/routes.hpp"
#include "study/results/progress.hpp"

namespace hone::api {
namespace {

Error unknown_study(const std::string& name) {
  return refuse(Code::not_found, "there is no study '" + name +
                                     "' here: `hone study run` records its file with its first "
                                     "sweep");
}

Result<study::Study> recorded_study(const std::string& name, const study::ReadPath& read) {
  if (name.size() > study::name_max || !is_plain(name, "-._")) return unknown_study(name);
  const auto document = study::recorded_document(name, read);
  if (!document) return document.error();
  if (!*document) return unknown_study(name);
  auto found = study::decode_study(**document);
  if (!found || found->name != name) return unknown_study(name);
  const auto units = found->methods.size() * found->problems.size() *
                     static_cast<std::size_t>(study::most_repetitions(*found));
  if (units > study::shown_units_max || units * to_text(**document).size() > study::shown_bytes_max)
    return refuse(Code::too_large, "the study is too large for a page; use `hone study show`");
  return found;
}

}  // namespace

// GET /v1/studies/{study}
ReadResult study_findings(SQLite::Database& db, const Request& request) {
  const study::ReadPath read = [&](const std::string& path) -> Result<Json> {
    const auto answer = answer_inside(db, request, path);
    if (!answer) return answer.error();
    return parse_json(answer->body);
  };
  const auto found = recorded_study(request.ids.at(0), read);
  if (!found) return found.error();
  study::RecordedStudy recorded(*found, read);
  if (const auto listed = recorded.refresh(); !listed) return listed.error();
  const auto outcomes = recorded.outcomes();
  if (!outcomes) return outcomes.error();
  const auto findings = study::findings_of(*found, *outcomes);
  Json json = study::encode_findings(*found, findings);
  json.update(study::encode_progress(*found, recorded, *outcomes, findings, request.now));
  return json_response(json);
}

}  // namespace hone::api
