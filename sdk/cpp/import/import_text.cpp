#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/shown.hpp"
#include "sdk/cpp/import/import.hpp"

namespace hone {
namespace {

constexpr std::size_t width = 96;  // of comments

// Words that some YAML readers do not read as strings.
constexpr std::array<std::string_view, 12> taken{"true", "false", "null", "yes", "no",  "on",
                                                 "off",  "y",     "n",    "nan", "inf", "~"};

bool needs_no_quotes(const std::string& text) {
  std::string lower = text;
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return !text.empty() && (is_letter(text.front()) || text.front() == '_') &&
         is_plain(text, "_.-/") && std::find(taken.begin(), taken.end(), lower) == taken.end();
}

std::string text_of(const std::string& text) {
  return needs_no_quotes(text) ? text : shown_json(to_text(Json(text)));
}

// 1e-05 as 1.0e-05: YAML 1.1 reads the former as a string.
std::string number_of(const Json& number) {
  std::string text = to_text(number);
  const auto e = text.find('e');
  if (e != std::string::npos && text.find('.') == std::string::npos) text.insert(e, ".0");
  return text;
}

std::string flow(const Json& json) {
  if (json.is_string()) return text_of(json.get<std::string>());
  if (json.is_number()) return number_of(json);
  if (!json.is_structured()) return to_text(json);
  std::string text;
  for (const auto& [key, value] : json.items()) {
    if (!text.empty()) text += ", ";
    if (json.is_object()) text += text_of(key) + ": ";
    text += flow(value);
  }
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string comment(const std::string& text, const std::string& indent) {
  std::string result, line = indent + "#";
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    for (char& c : word)
      if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    word = shown_text(word);
    if (line.size() + 1 + word.size() > width && line.size() > indent.size() + 1) {
      result += line + "\n";
      line = indent + "#";
    }
    line += " " + word;
    at = end + 1;
  }
  return result + line + "\n";
}

}  // namespace

std::string import_text(const ImportedSpec& import, std::string_view origin) {
  const auto remark = [&](const std::string& pointer, const std::string& indent) {
    const auto found = import.remarks.find(pointer);
    return found == import.remarks.end() ? std::string() : comment(found->second, indent);
  };
  std::string text = comment("Translated from " + std::string(origin) +
                                 " by hone import. Read the remarks; hone plan checks the file.",
                             "");
  for (const auto& [key, value] : import.sweep.items()) {
    text += remark("/" + key, "");
    if (key != "parameters" || value.empty()) {
      text += key + ": " + flow(value) + "\n";
      continue;
    }
    text += "parameters:\n";
    for (const auto& [name, domain] : value.items())
      text +=
          remark("/parameters/" + name, "  ") + "  " + text_of(name) + ": " + flow(domain) + "\n";
  }
  return text;
}

}  // namespace hone
