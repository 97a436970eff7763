#include "worker/agent/glob.hpp"

#include <cstddef>

namespace hone::worker {
namespace {

struct Marks {
  std::size_t pattern = 0;
  std::size_t path = 0;
};

// Where to continue if the rest does not match. Not an optional: g++ for aarch64 takes one for
// uninitialized.
struct Wildcard {
  bool seen = false;
  Marks at{};
};

// Tries the shortest match of a wildcard first and backtracks to the last '*' or "**": takes at
// most as many steps as the product of both lengths.
bool matches_whole(std::string_view pattern, std::string_view path) {
  Marks at;
  Wildcard star, stars;
  while (at.path < path.size()) {
    if (pattern.substr(at.pattern).starts_with("**")) {
      at.pattern += 2;
      if (pattern.substr(at.pattern).starts_with('/')) ++at.pattern;
      stars = {true, at};
      star = {};
      continue;
    }
    const char want = at.pattern < pattern.size() ? pattern[at.pattern] : '\0';
    const char have = path[at.path];
    if (want == '*') {
      ++at.pattern;
      star = {true, at};
      continue;
    }
    if (at.pattern < pattern.size() && (want == have || (want == '?' && have != '/'))) {
      ++at.pattern;
      ++at.path;
      continue;
    }
    if (star.seen && path[star.at.path] != '/') {
      ++star.at.path;
      at = star.at;
      continue;
    }
    if (!stars.seen) return false;
    ++stars.at.path;
    at = stars.at;
    star = {};
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
