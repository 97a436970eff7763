#include "server/api/explain_turn.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "db/queries/queries.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/turns.hpp"

namespace hone::api {
namespace {

std::optional<AttemptRow> newest_attempt(SQLite::Database& db, const RunRow& run) {
  const auto page = list_attempts(db, run.id, {1, std::to_string(run.attempts - 1)});
  if (!page || page->items.empty()) return std::nullopt;
  return page->items.front();
}

// "120 slot-seconds and 2 slots held".
std::string standing_text(double service, std::int64_t held) {
  return counted(std::llround(service), "slot-second") + " and " + counted(held, "slot") + " held";
}

std::string others_text(int waiting) {
  return waiting == 1 ? "1 other sweep waited" : std::to_string(waiting) + " other sweeps waited";
}

std::string reason_text(const Turn& turn, const std::string& sweep) {
  if (turn.rule == TurnRule::minimum)
    return ": " + sweep + " held " + counted(turn.held, "slot") + ", fewer than its slots.min; " +
           others_text(turn.waiting) + ".";
  return ": " + sweep + " had got the least for its share, " +
         standing_text(turn.service, turn.held) + " at a weight of " + number_text(turn.weight) +
         "; " + others_text(turn.waiting) + ", the next " + text(turn.next) + " with " +
         standing_text(turn.next_service, turn.next_held) + ".";
}

}  // namespace

std::string turn_text(SQLite::Database& db, const RunRow& run, const ResourcesSpec& resources) {
  if (run.attempts == 0) return "";
  const auto attempt = newest_attempt(db, run);
  if (!attempt || attempt->host.empty()) return "";
  const std::string start = " Attempt " + std::to_string(attempt->id.number) + " started at " +
                            rfc3339(attempt->granted_at) + " on " + text(attempt->worker) +
                            ", which had at least " + counted(resources.cpus, "free slot");
  if (attempt->turn.empty()) return start + "; no other sweep waited for slots.";
  const auto document = parse_json(attempt->turn);
  const auto turn = document ? decode_turn(*document) : Result<Turn>(document.error());
  return turn ? start + reason_text(*turn, text(run.sweep)) : start + ".";
}

}  // namespace hone::api
