#include "sdk/cli/commands/study/study_ledger.hpp"

#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
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
#include "study/file/study_note.hpp"

namespace hone::cli {
namespace {

using study::Unit;

constexpr Duration pause_between = milliseconds(500);

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

StudyLedger::StudyLedger(Session& session, const study::Study& study, Duration patience)
    : RecordedStudy(study, [this](const std::string& path) { return get(path); }),
      session_(session),
      study_(study),
      patience_(patience) {}

Result<Json> StudyLedger::get(const std::string& path) {
  return patiently([&] { return session_.get(path); });
}

Result<Json> StudyLedger::post(const std::string& path, const Json& body) {
  return patiently([&] { return session_.post(path, body); });
}

void StudyLedger::record_code() {
  auto client = session_.client();
  const auto spec = decode_request<SweepSpec>(study::tuning_sweep(study_, {}));
  if (client && spec) workflow_ = record_and_store(session_, **client, spec->trainer);
}

// The study's document is in notes on its first sweep.
Status StudyLedger::record_file(const Json& document) {
  const Json first = study::tuning_sweep(study_, {});
  auto id = find(first);
  if (!id) {
    auto submitted = submit(first, {}, "tuning", "");
    if (!submitted) return submitted.error();
    id = *std::move(submitted);
  }
  constexpr std::size_t digits = 32;
  for (const std::string& note : study::notes_of(document)) {
    const std::string request = sha256_hex(*id + note).substr(0, digits);
    const auto noted =
        post("/v1/notes", Json{{"request_id", request}, {"on", *id}, {"text", note}});
    if (!noted) return noted.error();
  }
  return Done{};
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
    id = text_at(*reply, "/sweep");
    add(study::name_of(sweep), *id);
  }
  const auto tagged =
      post("/v1/tags", Json{{"on", *id}, {"add", study::tags_of(study_, unit, role)}});
  if (!tagged) return tagged.error();
  return *std::move(id);
}

Status StudyLedger::stop(const std::string& id) {
  const auto reply = post("/v1/sweeps/" + id + "/steer", Json{{"verb", "stop"}});
  if (reply || reply.error().code == Code::conflict) return Done{};  // it has just ended
  return reply.error();
}

}  // namespace hone::cli
