// The arguments and options of a program or command. The only file that includes CLI11, which takes
// seconds to compile, is flags.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace hone::cli {

struct Bounds {  // inclusive
  double min = 0;
  double max = 1e9;
};

// Each value must outlive parse() and holds the default until then. An option is named as its help
// shows it: "-n,--limit N".
class Flags {
 public:
  Flags();
  ~Flags();
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  // Required.
  void argument(const std::string& name, std::string& value, const std::string& help);
  void optional_argument(const std::string& name, std::string& value, const std::string& help);
  // Any number, after the other arguments.
  void arguments(const std::string& name, std::vector<std::string>& values,
                 const std::string& help);
  void flag(const std::string& names, bool& value, const std::string& help);
  void text(const std::string& names, std::string& value, const std::string& help);
  void texts(const std::string& names, std::vector<std::string>& values, const std::string& help);
  void comma_separated(const std::string& names, std::vector<std::string>& values,
                       const std::string& help);
  void integer(const std::string& names, int& value, Bounds bounds, const std::string& help);
  void integer(const std::string& names, std::int64_t& value, Bounds bounds,
               const std::string& help);
  void real(const std::string& names, double& value, Bounds bounds, const std::string& help);

  // The options added from here on are listed under this heading.
  void heading(const std::string& group);

  enum class Parsed { values, help_requested };
  // Rejects a wrong word with a sentence that names it, and the option that may have been meant.
  Result<Parsed> parse(const std::vector<std::string>& words);

  // The arguments, then the options under their headings.
  [[nodiscard]] std::string help() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hone::cli
