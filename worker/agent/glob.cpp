#include "worker/agent/glob.hpp"

#include <cstddef>
#include <optional>

namespace hone::worker {
namespace {

struct Marks {
  std::size_t pattern = 0;
  std::size_t path = 0;
};

// Tries the shortest match of a wildcard first and backtracks to the last '*' or "**": takes at
// most as many steps as the product of both lengths.
bool matches_whole(std::string_view pattern, std::string_view path) {
  Marks at;
  std::optional<Marks> star;
  std::optional<Marks> stars;
  while (at.path < path.size()) {
    if (pattern.substr(at.pattern).starts_with("**")) {
      at.pattern += 2;
      if (pattern.substr(at.pattern).starts_with('/')) ++at.pattern;
      stars = at;
      star.reset();
      continue;
    }
    const char want = at.pattern < pattern.size() ? pattern[at.pattern] : '\0';
    const char have = path[at.path];
    if (want == '*') {
      ++at.pattern;
      star = at;
      continue;
    }
    if (at.pattern < pattern.size() && (want == have || (want == '?' && have != '/'))) {
      ++at.pattern;
      ++at.path;
      continue;
    }
    if (star && path[star->path] != '/') {
      ++star->path;
      at = *star;
      continue;
    }
    if (!stars) return false;
    ++stars->path;
    at = *stars;
    star.reset();
  }
  while (at.pattern < pattern.size() && pattern[at.pattern] == '*') ++at.pattern;
  return at.pattern == pattern.size();
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view path) {
  while (pattern.starts_with("./")) pattern.remove_prefix(2);
  if (matches_whole(pattern, path)) return true;
  // A pattern that matches a folder.
  for (auto slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1))
    if (matches_whole(pattern, path.substr(0, slash))) return true;
  return false;
}

}  // namespace hone::worker
