#include "base/markup.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace hone {
namespace {

std::string replaced(std::string_view text,
                     std::initializer_list<std::pair<char, std::string_view>> words) {
  std::string out;
  for (const char c : text) {
    const auto word =
        std::find_if(words.begin(), words.end(), [&](auto& w) { return w.first == c; });
    word == words.end() ? out += c : out += word->second;
  }
  return out;
}

}  // namespace

std::string for_html(std::string_view text) {
  return replaced(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}});
}

std::string for_markdown(std::string_view text) {
  return replaced(text, {{'|', "\\|"}, {'<', "&lt;"}, {'\n', " "}});
}

std::string for_latex(std::string_view text) {
  const std::string escaped = replaced(text, {{'\\', "\\textbackslash{}"},
                                              {'&', "\\&"},
                                              {'%', "\\%"},
                                              {'$', "\\$"},
                                              {'#', "\\#"},
                                              {'_', "\\_"},
                                              {'{', "\\{"},
                                              {'}', "\\}"},
                                              {'~', "\\textasciitilde{}"},
                                              {'^', "\\textasciicircum{}"},
                                              {'<', "$<$"},
                                              {'>', "$>$"},
                                              {'`', "'"}});
  // Two hyphens would become a dash: options of commands are written with them.
  std::string out;
  for (const char c : escaped) out += c == '-' && out.ends_with('-') ? "{}-" : std::string(1, c);
  return out;
}

}  // namespace hone
