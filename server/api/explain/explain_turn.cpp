#include "server/api/explain/explain_turn.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/expect.hpp"
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

std::optional<Width> newest_width(SQLite::Database& db, const RunRow& run) {
  if (run.attempts == 0) return std::nullopt;
  const auto attempt = newest_attempt(db, run);
  if (!attempt || attempt->width.empty()) return std::nullopt;
  const auto document = parse_json(attempt->width);
  const auto width = document ? decode_width(*document) : Result<Width>(document.error());
  return width ? std::optional(*width) : std::nullopt;
}

namespace {

std::string bound_text(const Width& width) {
  switch (width.rule) {
    case WidthRule::waiting:
      return "as another run waited for slots";
    case WidthRule::full:
      return "as no further one was free for it on its worker";
    case WidthRule::most:
      return "the most that resources.cpus allows, as no run waited for them";
    case WidthRule::measured:
      return "twice the most that phases were measured with, as no run waited for them";
    case WidthRule::gain:
      return "as one more would shorten its phases by too little";
    case WidthRule::others:
      return "as the rest shortens other runs of its worker by more";
  }
  unreachable();
}

}  // namespace

std::string width_text(const std::optional<Width>& width) {
  if (!width) return "";
  std::string text = " It got " + counted(width->cpus, "slot") + ", " + bound_text(*width);
  if (width->faster <= 1) return text + ".";
  return text + ": its phases should be " +
         short_number_text(std::round(width->faster * 100) / 100) +
         " times as fast as with the least, " +
         (width->measured == 0
              ? "which is assumed"
              : "by " + counted(width->measured, "phase") + " measured with more than the least") +
         ".";
}

namespace {

std::string hundredths(double value) { return short_number_text(std::round(value * 100) / 100); }

// "0.8 times the speed of one alone, and 1 without it, by 7 measurements of a pair".
std::string sums_text(const Neighbours& n) {
  return hundredths(n.with) + " times the speed of one alone, and " + hundredths(n.without) +
         " without it, by " + counted(n.measured, "measurement") + " of a pair";
}

}  // namespace

std::string neighbours_text(SQLite::Database& db, const RunRow& run) {
  if (run.attempts == 0) return "";
  const auto attempt = newest_attempt(db, run);
  if (!attempt || attempt->neighbours.empty()) return "";
  const auto document = parse_json(attempt->neighbours);
  const auto n = document ? decode_neighbours(*document) : Result<Neighbours>(document.error());
  if (!n) return "";
  return " It started next to " + counted(n->runs, "other run") + ": there its speed should be " +
         hundredths(n->speed) + " times that alone, all of them together " + sums_text(*n) + "." +
         (n->again ? " This was tried again, as the measurements were old." : "");
}

std::string kept_free_text(SQLite::Database& db, SweepId sweep) {
  std::string text;
  for (const WorkerRow& worker : workers_keeping_free(db, sweep)) {
    const auto document = parse_json(worker.kept_free);
    const auto kept = document ? decode_kept_free(*document) : Result<KeptFree>(document.error());
    if (kept)
      text += " A slot of " + hone::text(worker.id) + " stays free: with a run of " +
              hone::text(sweep) + " its runs should together be " + sums_text(kept->neighbours) +
              ".";
  }
  return text;
}

}  // namespace hone::api
