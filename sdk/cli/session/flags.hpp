// The arguments and options of one command. What parses them is CLI11; it stays behind this door,
// for it takes seconds to compile and every command would pay.
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

// Values given to the members must outlive parse(). They hold their defaults until then. An option
// is named as its help shows it: "-n,--limit N".
class Flags {
 public:
  Flags();
  ~Flags();
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  void argument(const std::string& name, std::string& value,
                const std::string& help);  // must be given
  void optional_argument(const std::string& name, std::string& value, const std::string& help);
  void arguments(const std::string& name, std::vector<std::string>& values,
                 const std::string& help);  // any number, after the others
  void flag(const std::string& names, bool& value, const std::string& help);
  void text(const std::string& names, std::string& value, const std::string& help);
  void texts(const std::string& names, std::vector<std::string>& values, const std::string& help);
  void comma_separated(const std::string& names, std::vector<std::string>& values,
                       const std::string& help);
  void integer(const std::string& names, int& value, Bounds bounds, const std::string& help);
  void integer(const std::string& names, std::int64_t& value, Bounds bounds,
               const std::string& help);
  void real(const std::string& names, double& value, Bounds bounds, const std::string& help);

  // Options added from here on stand under this heading.
  void heading(const std::string& group);

  enum class Parsed { values, help_asked };
  // Refuses with a sentence that names the word, and the option that may have been meant.
  Result<Parsed> parse(const std::vector<std::string>& words);

  // Arguments, options under their headings.
  [[nodiscard]] std::string help() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace hone::cli
