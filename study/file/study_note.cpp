#include "study/file/study_note.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

namespace hone::study {
namespace {

constexpr std::string_view opening = "The study file, as `hone study run` read it:\n\n```json\n";
constexpr std::string_view closing = "\n```\n";

}  // namespace

std::string note_of(const Json& document) {
  return std::string(opening) + to_text(document) + std::string(closing);
}

std::optional<Json> document_of(const std::string& note) {
  const std::string_view text = note;
  if (!text.starts_with(opening) || !text.ends_with(closing) ||
      text.size() < opening.size() + closing.size())
    return std::nullopt;
  auto document =
      parse_json(text.substr(opening.size(), text.size() - opening.size() - closing.size()));
  return document ? std::optional(*std::move(document)) : std::nullopt;
}

}  // namespace hone::study
