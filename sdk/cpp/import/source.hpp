// An object of a foreign document, read key by key: what nobody took is named as lost.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schemas/codec/json.hpp"

namespace hone {

// A number, or a text that is one ("0.1": Katib).
std::optional<double> number_in(const Json* json);
std::string text_in(const Json* json, const std::string& otherwise = {});
// A member of what may be an object; nullptr where it is absent or null.
const Json* member_of(const Json& json, const std::string& key);

class Source {
 public:
  // Anything but an object has no keys. The document must outlive this.
  Source(const Json& object, std::string path, std::vector<std::string>& lost);
  ~Source() { done(); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const Json* take(const std::string& key);  // nullptr where it is absent or null
  std::optional<double> number(const std::string& key) { return number_in(take(key)); }
  std::string text(const std::string& key, const std::string& otherwise = {}) {
    return text_in(take(key), otherwise);
  }
  // Names the keys that nobody took; once.
  void done();
  // Known to have no place in hone, for this reason.
  void lose(const std::string& key, const std::string& why);
  // Means nothing for a search: versions, names of owners.
  void skip(const std::string& key) { take(key); }
  [[nodiscard]] std::string path(const std::string& key) const;

 private:
  const Json& object_;
  std::string path_;
  std::vector<std::string>& lost_;
  std::set<std::string> taken_;
  bool done_ = false;
};

}  // namespace hone
