#include "db/projection/further.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "db/further_sql.hpp"
#include "db/sql.hpp"
#include "schemas/codec/body.hpp"

namespace hone {

std::string further_text(const std::vector<Score>& scores) {
  Json json = Json::array();
  for (const Score& score : scores) json.push_back(encode(score));
  return to_text(json);
}

std::vector<Score> read_further(const std::string& text) {
  const auto document = parse_json(text);
  if (!document) throw std::runtime_error("unreadable further values: " + document.error().detail);
  std::vector<Score> scores;
  for (const Json& item : *document) {
    const auto score = decode_score(item, "");
    if (!score) throw std::runtime_error("unreadable further value: " + score.error().detail);
    scores.push_back(*score);
  }
  return scores;
}

FurtherMetrics::FurtherMetrics(SQLite::Database& db)
    : point_(db, sql::write_further<"metric_point (trial, replicate, name, step, value, at)",
                                    ", ?4", "NOTHING">
                     .text),
      newest_(db, sql::write_further<"metric_last (trial, replicate, name, step, value)", "",
                                     "UPDATE SET step = excluded.step, value = excluded.value"
                                     " WHERE excluded.step > step">
                      .text) {}

void FurtherMetrics::add(RunId run, std::int64_t step, Instant at, const std::string& further) {
  for (SQLite::Statement* to : {&point_, &newest_})
    sql::run(*to, run.trial, run.replicate, step, at, further);
}

}  // namespace hone
