#include "schemas/types/command_words.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"

namespace hone {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

Error needs_shell(std::string_view what) {
  return refuse(Code::invalid, "'" + std::string(what) +
                                   "' is for a shell, and none is involved: quote it, or name the "
                                   "shell as in [\"sh\", \"-c\", \"...\"]");
}

// One line, character by character.
class Splitter {
 public:
  explicit Splitter(std::string_view line) : rest_(line) {}

  Result<std::vector<std::string>> run() {
    while (!rest_.empty() && !fault_) step();
    if (fault_) return *fault_;
    end_word();
    return std::move(words_);
  }

 private:
  void step() {
    const char c = rest_.front();
    if (is_blank(c)) {
      end_word();
      return rest_.remove_prefix(1);
    }
    if (c == '\'' || c == '"') return take_quoted(c);
    if (c == '\\') return take_escaped();
    if (takes_name()) return;
    if (needs_a_shell(c)) {
      fault_ = needs_shell(rest_.substr(0, 1));
      return;
    }
    take(1);
  }

  [[nodiscard]] bool needs_a_shell(char c) const {
    constexpr std::string_view always = "|&;<>()`$*?[";
    if (always.find(c) != std::string_view::npos) return true;
    return !in_word_ && (c == '#' || c == '~');
  }

  // "${...}" and "$${".
  bool takes_name() {
    if (rest_.starts_with("$${")) {
      take(3);
      return true;
    }
    if (!rest_.starts_with("${")) return false;
    take(std::min(rest_.find('}'), rest_.size() - 1) + 1);
    return true;
  }

  void take_quoted(char quote) {
    in_word_ = true;
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_.front() != quote) {
      if (takes_name()) continue;
      const bool escaped = quote == '"' && rest_.size() > 1 && rest_.front() == '\\' &&
                           (rest_[1] == '"' || rest_[1] == '\\' || rest_[1] == '$');
      if (escaped) rest_.remove_prefix(1);
      if (quote == '"' && !escaped && (rest_.front() == '$' || rest_.front() == '`')) {
        fault_ = needs_shell(rest_.substr(0, 1));
        return;
      }
      take(1);
    }
    if (rest_.empty())
      fault_ = refuse(Code::invalid, std::string("a ") + quote + " has no second one");
    else
      rest_.remove_prefix(1);
  }

  void take_escaped() {
    rest_.remove_prefix(1);
    if (rest_.empty())
      fault_ = refuse(Code::invalid, "the line ends with a backslash");
    else
      take(1);
  }

  void take(std::size_t count) {
    in_word_ = true;
    word_ += rest_.substr(0, count);
    rest_.remove_prefix(count);
  }

  void end_word() {
    if (in_word_) words_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  std::string_view rest_;
  std::vector<std::string> words_;
  std::string word_;
  bool in_word_ = false;
  std::optional<Error> fault_;
};

// NAME=value before the program is how a shell sets a variable.
bool sets_variable(const std::string& word) {
  const auto equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  return is_plain(std::string_view(word).substr(0, equals), "_");
}

}  // namespace

Result<std::vector<std::string>> split_command(std::string_view line) {
  auto words = Splitter(line).run();
  if (words && !words->empty() && sets_variable(words->front()))
    return refuse(Code::invalid, "'" + words->front() +
                                     "' sets a variable as a shell does: write it under env, as in "
                                     "command: {run: ..., env: {NAME: value}}");
  return words;
}

namespace {

// What is inside of "${...}". A name ends at the first character that no name has.
WordPiece piece_of(std::string_view inside) {
  const auto is_inner = [](char c) {
    return is_letter_or_digit(c) || c == '_' || c == '.' || c == '-';
  };
  const auto end = std::ranges::find_if_not(inside, is_inner) - inside.begin();
  const auto rest = inside.substr(static_cast<std::size_t>(end));
  WordPiece piece{std::string(inside.substr(0, static_cast<std::size_t>(end))), true, std::nullopt};
  if (rest.starts_with(":-")) {
    piece.fallback = std::string(rest.substr(2));
  } else if (rest == "*") {
    piece.filling = Filling::items;
  } else if (rest == "?") {
    piece.filling = Filling::optional;
  } else if (rest.starts_with('?')) {
    const auto texts = rest.substr(1);
    const auto colon = texts.find(':');
    piece.filling = Filling::conditional;
    piece.then = std::string(texts.substr(0, colon));
    if (colon != std::string_view::npos) piece.otherwise = std::string(texts.substr(colon + 1));
  } else if (!rest.empty()) {
    piece.text = std::string(inside);  // no name of a parameter: refused where names are checked
  }
  return piece;
}

}  // namespace

Result<std::vector<WordPiece>> pieces_of(std::string_view word) {
  std::vector<WordPiece> pieces;
  std::string text;
  const auto end_text = [&] {
    if (!text.empty()) pieces.push_back({std::move(text), false, std::nullopt});
    text.clear();
  };
  for (std::size_t at = 0; at < word.size();) {
    if (word.substr(at).starts_with("$${")) {
      text += "${";
      at += 3;
      continue;
    }
    if (!word.substr(at).starts_with("${")) {
      text += word[at++];
      continue;
    }
    const auto end = word.find('}', at);
    if (end == std::string_view::npos)
      return refuse(Code::invalid, "'" + std::string(word) + "' has a ${ without its }");
    WordPiece piece = piece_of(word.substr(at + 2, end - at - 2));
    if (piece.text.empty())
      return refuse(Code::invalid, "'" + std::string(word) + "' has a ${} without a name");
    end_text();
    pieces.push_back(std::move(piece));
    at = end + 1;
  }
  end_text();
  const auto is_list = [](const WordPiece& piece) { return piece.filling == Filling::items; };
  if (std::ranges::count_if(pieces, is_list) > 1)
    return refuse(Code::invalid, "'" + std::string(word) + "' has two lists; one word has one");
  return pieces;
}

std::span<const std::string_view> own_names() {
  static constexpr std::array<std::string_view, 15> table{
      "hone.run",    "hone.attempt",  "hone.sweep",       "hone.seed", "hone.budget",
      "hone.phases", "hone.cpus",     "hone.folder",      "hone.work", "hone.params_file",
      "hone.resume", "hone.run_file", "hone.checkpoints", "hone.step", "hone.params"};
  return table;
}

std::span<const std::string_view> evaluation_names() {
  static constexpr std::array<std::string_view, 5> table{"hone.model", "hone.episodes", "hone.seed",
                                                         "hone.sample", "hone.run"};
  return table;
}

std::string variable_of(const std::string& parameter) {
  std::string name = "HONE_PARAM_";
  for (const char c : parameter) {
    const bool small = c >= 'a' && c <= 'z';
    name += small ? static_cast<char>(c - 'a' + 'A') : is_letter_or_digit(c) ? c : '_';
  }
  return name;
}

bool names(std::span<const std::string> words, std::string_view name) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    const auto pieces = pieces_of(word);
    return pieces && std::any_of(pieces->begin(), pieces->end(), [&](const WordPiece& piece) {
             return piece.is_name && piece.text == name;
           });
  });
}

}  // namespace hone
