#include "study/file/study_note.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/sha256.hpp"

namespace hone::study {
namespace {

constexpr std::string_view opening = "The study file, as `hone study run` read it, part ";
constexpr std::string_view fence = ":\n\n```json\n";
constexpr std::string_view closing = "\n```\n";
constexpr std::size_t part_bytes_max = 16'000;  // with the sentence below 16 KiB
constexpr int parts_max = 100;                  // 1.6 MB: more than any study file has

std::string digest_of(std::string_view text) {
  constexpr std::size_t digits = 12;
  return sha256_hex(std::string(text)).substr(0, digits);
}

// Removes the text from the front; whether it was there.
bool take(std::string_view& text, std::string_view front) {
  if (!text.starts_with(front)) return false;
  text.remove_prefix(front.size());
  return true;
}

std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
  if (end == text.data() || number < 1 || number > parts_max) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// The end of a part that begins at `from`: no character is cut.
std::size_t end_of_part(std::string_view text, std::size_t from) {
  constexpr auto is_inside = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
  };
  std::size_t end = std::min(text.size(), from + part_bytes_max);
  while (end < text.size() && is_inside(text[end])) --end;
  return end;
}

}  // namespace

std::vector<std::string> notes_of(const Json& document) {
  const std::string text = to_text(document);
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = end_of_part(text, from);
    parts.push_back(text.substr(from, end - from));
    from = end;
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i] = std::string(opening) + std::to_string(i + 1) + " of " +
               std::to_string(parts.size()) + " of " + digest_of(text) + std::string(fence) +
               parts[i] + std::string(closing);
  return parts;
}

void NotedDocuments::add(const std::string& note) {
  std::string_view rest = note;
  if (!take(rest, opening) || !rest.ends_with(closing)) return;
  rest.remove_suffix(closing.size());
  const auto number = take_number(rest);
  if (!number || !take(rest, " of ")) return;
  const auto count = take_number(rest);
  if (!count || !take(rest, " of ")) return;
  const auto at = rest.find(fence);
  if (at == rest.npos) return;
  const std::string digest(rest.substr(0, at));
  auto& parts = parts_[digest];
  parts[*number] = rest.substr(at + fence.size());
  std::string whole;
  for (const auto& [place, part] : parts) whole += part;
  if (static_cast<int>(parts.size()) != *count || digest_of(whole) != digest) return;
  if (auto document = parse_json(whole)) newest_ = *std::move(document);
}

}  // namespace hone::study
