// Regular expressions over lines of a program's output. The output is untrusted, so matching takes
// time linear in the line and reads only a bounded piece of each line.
#pragma once

#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace hone {

class LinePattern {
 public:
  // ECMAScript's, with "(?<name>...)" or "(?P<name>...)" for what is wanted. Refuses with invalid
  // what does not parse, names nothing, or refers back to a group.
  static Result<LinePattern> make(std::string_view pattern);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  // The texts of the named groups, in their order, if the line has them. Only its first KiB is
  // looked at.
  bool search(std::string_view line, std::vector<std::string_view>& found) const;

 private:
  LinePattern() = default;

  std::regex expression_;
  std::vector<std::string> names_;
  std::vector<std::size_t> groups_;  // the number of each name's group
};

}  // namespace hone
