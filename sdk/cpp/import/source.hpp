// Reads an object of a foreign document key by key and lists the keys that were not read as lost.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schemas/codec/json.hpp"
#include "sdk/cpp/import/import.hpp"

namespace hone {

// A finite number, or a string that holds one ("0.1", as in Katib).
std::optional<double> number_in(const Json* json);
std::string text_in(const Json* json, const std::string& otherwise = {});
// A member, if `json` is an object; nullptr if it is absent or null.
const Json* member_of(const Json& json, const std::string& key);

// The pointer of a member: "/" in a key is "~1", "~" is "~0".
std::string pointer_to(const std::string& object, const std::string& key);
// A pointer as a user writes it: "metric.target".
std::string dotted(const std::string& pointer);

class Source {
 public:
  // `at` is the object's pointer. A value that is not an object has no keys and is itself listed as
  // lost. The document must outlive this.
  Source(const Json& object, std::string at, std::vector<Untranslated>& lost);
  // Finds a key in camelCase also as snake_case.
  Source& with_snake_case() {
    snake_case_ = true;
    return *this;
  }
  ~Source() { done(); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const Json* take(const std::string& key);  // nullptr if it is absent or null
  // A value that is no number, or lies outside of the bounds, is listed as lost.
  std::optional<double> number(const std::string& key);
  std::optional<double> number(const std::string& key, double low, double high);
  // A number without a fraction, between bounds of at most 2^53.
  std::optional<std::int64_t> whole(const std::string& key, double low, double high);
  std::string text(const std::string& key, const std::string& otherwise = {}) {
    return text_in(take(key), otherwise);
  }
  // Lists the keys that were not read. Has an effect once.
  void done();
  // Lists a key as lost for this reason.
  void lose(const std::string& key, const std::string& why);
  // Ignores a key that holds nothing to translate, as a version.
  void skip(const std::string& key) { take(key); }
  [[nodiscard]] std::string pointer(const std::string& key) const {
    return pointer_to(at_, spelled(key));
  }

 private:
  // As the document writes it: in camelCase or, if this is with_snake_case, in snake_case.
  [[nodiscard]] std::string spelled(const std::string& key) const;
  const Json& object_;
  std::string at_;
  std::vector<Untranslated>& lost_;
  std::set<std::string> taken_;
  bool snake_case_ = false;
  bool done_ = false;
};

}  // namespace hone
