#include "db/projection/further.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

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

}  // namespace hone
