#include "schemas/codec/command_fill.hpp"

#include <nlohmann/json.hpp>

#include "base/expect.hpp"
#include "base/text.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/command_words.hpp"

namespace hone {
namespace {

std::string text_of_json(const Json& json) {
  return json.is_string() ? json.get<std::string>() : to_text(json);
}

std::vector<std::string> split_at_blanks(const std::string& text) {
  constexpr const char* blanks = " \t\n\r";
  std::vector<std::string> parts;
  for (auto at = text.find_first_not_of(blanks); at != std::string::npos;) {
    const auto end = text.find_first_of(blanks, at);
    parts.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(blanks, end);
  }
  return parts;
}

bool is_null(const Value& value) { return value == Value{JsonText{}}; }

// The items of a list; those of null and of an empty text are none.
std::vector<std::string> items_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return split_at_blanks(*text);
  if (is_null(value)) return {};
  const Json json = encode(value);
  if (!json.is_array()) return {value_text(value)};
  std::vector<std::string> items;
  for (const Json& item : json) items.push_back(text_of_json(item));
  return items;
}

struct Holds {
  bool operator()(bool value) const { return value; }
  bool operator()(std::int64_t value) const { return value != 0; }
  bool operator()(double value) const { return value != 0; }
  bool operator()(const std::string& value) const { return !value.empty(); }
  bool operator()(const JsonText& value) const {
    return value.text != "null" && value.text != "[]" && value.text != "{}";
  }
};

std::string as_word(const Value& value) {
  const auto* number = std::get_if<double>(&value);
  std::string text = value_text(value);
  const bool is_option = number != nullptr && *number < 0 && text.find('e') != std::string::npos;
  return is_option ? plain_number_text(*number) : text;
}

bool is_joined(const std::string& text) { return text.starts_with('-'); }

// What argparse reads: a switch for a truth value, as many words as a list has items.
std::vector<std::string> switch_words(const Param& param, bool pairs) {
  const std::string option = "--" + param.name;
  if (const auto* truth = std::get_if<bool>(&param.value)) {
    if (*truth) return {option};
    return pairs ? std::vector<std::string>{"--no-" + param.name} : std::vector<std::string>{};
  }
  if (is_null(param.value)) return {};
  const auto* json = std::get_if<JsonText>(&param.value);
  if (json == nullptr || !json->text.starts_with('['))
    return {option + "=" + value_text(param.value)};
  std::vector<std::string> words{option};
  for (std::string& item : items_of(param.value)) words.push_back(std::move(item));
  return words;
}

class Filler {
 public:
  Filler(const ValueOf& value_of, const Missing& missing)
      : value_of_(value_of), missing_(missing) {}

  Result<std::vector<std::string>> fill(const std::vector<WordPiece>& pieces) {
    std::vector<std::string> words(1);
    for (const WordPiece& piece : pieces) {
      if (!piece.is_name) {
        append(words, piece.text);
        continue;
      }
      const auto value = value_of_(piece.text);
      if (!value && piece.filling == Filling::value && !piece.fallback) return missing_(piece.text);
      const auto texts = texts_of(piece, value, pieces.size() == 1);
      std::vector<std::string> longer;
      for (const std::string& word : words)
        for (const std::string& text : texts) longer.push_back(word + text);
      words = std::move(longer);
    }
    return words;
  }

 private:
  static void append(std::vector<std::string>& words, const std::string& text) {
    for (std::string& word : words) word += text;
  }

  // One for each word to be; none where the word is left out.
  static std::vector<std::string> texts_of(const WordPiece& piece,
                                           const std::optional<Value>& value, bool alone) {
    const auto text = [&] { return alone ? as_word(*value) : value_text(*value); };
    switch (piece.filling) {
      case Filling::value:
        return {value ? text() : piece.fallback.value_or("")};
      case Filling::optional:
        if (!value || is_null(*value) || value_text(*value).empty()) return {};
        return {text()};
      case Filling::items:
        return value ? items_of(*value) : std::vector<std::string>{};
      case Filling::conditional: {
        if (!value) return {};
        const bool holds = std::visit(Holds{}, *value);
        const auto chosen = holds ? std::optional(piece.then) : piece.otherwise;
        if (!chosen || (alone && chosen->empty())) return {};
        return {*chosen};
      }
    }
    unreachable();
  }

  const ValueOf& value_of_;
  const Missing& missing_;
};

}  // namespace

std::string value_text(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return to_text(encode(value));
}

Result<std::vector<std::string>> filled_word(const std::string& word, const ValueOf& value_of,
                                             const Missing& missing) {
  const auto pieces = pieces_of(word);
  if (!pieces) return refuse(Code::invalid, "the command's word " + pieces.error().detail);
  return Filler(value_of, missing).fill(*pieces);
}

Result<std::vector<std::string>> filled_words(const std::vector<std::string>& words,
                                              const ValueOf& value_of, const Missing& missing) {
  std::vector<std::string> all;
  for (const std::string& word : words) {
    auto filled = filled_word(word, value_of, missing);
    if (!filled) return filled.error();
    for (std::string& one : *filled) all.push_back(std::move(one));
  }
  return all;
}

std::vector<std::string> passed_words(const Param& param, ParamStyle style) {
  const std::string option = "--" + param.name;
  const std::string text = value_text(param.value);
  switch (style) {
    case ParamStyle::none:
    case ParamStyle::json:
    case ParamStyle::env:
      return {};
    case ParamStyle::flags:
      if (is_joined(text)) return {option + "=" + text};
      return {option, text};
    case ParamStyle::flags_equals:
      return {option + "=" + text};
    case ParamStyle::switches:
      return switch_words(param, false);
    case ParamStyle::pairs:
      return switch_words(param, true);
    case ParamStyle::key_value:
      return {param.name + "=" + text};
  }
  unreachable();
}

}  // namespace hone
