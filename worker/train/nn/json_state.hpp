// Reads the JSON state of a checkpoint without exceptions, so that a damaged file is refused.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone::trainers {

// Returns false for what is no whole number, or one that T cannot hold: a cast would make another
// of it.
template <class T>
bool take_integer(const Json& json, T& out) {
  if (!json.is_number_integer()) return false;
  const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                              : std::in_range<T>(json.get<std::int64_t>());
  if (fits) out = json.get<T>();
  return fits;
}

template <class T>
bool take_integers(const Json& json, std::vector<T>& out) {
  if (!json.is_array()) return false;
  std::vector<T> taken(json.size());
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (!take_integer(json[i], taken[i])) return false;
  out = std::move(taken);
  return true;
}

template <class T>
constexpr bool is_whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
constexpr bool is_whole_list = false;
template <class T>
constexpr bool is_whole_list<std::vector<T>> = is_whole<T>;

class JsonState {
 public:
  // `object` must outlive the reader.
  explicit JsonState(const Json& object) : object_(object) {}

  // Reads a member. If it is missing or of another kind, `out` keeps its value and the member
  // counts as damaged.
  template <class T>
  JsonState& read(const char* name, T& out) {
    return require(name, take(name, out));
  }
  // Marks the member as damaged unless `sound`.
  JsonState& require(const char* name, bool sound) {
    if (!sound && damaged_.empty()) damaged_ = name;
    return *this;
  }

  [[nodiscard]] bool sound() const { return damaged_.empty(); }
  // Refuses with one sentence about the first damaged member.
  [[nodiscard]] Status status() const {
    if (sound()) return Done{};
    return refuse(Code::invalid, "it is damaged: '" + damaged_ + "' is missing or wrong");
  }

 private:
  template <class T>
  bool take(const char* name, T& out) const {
    const auto found = object_.find(name);  // end() if it is no object
    if (found == object_.end()) return false;
    if constexpr (is_whole<T>) {
      return take_integer(*found, out);
    } else if constexpr (is_whole_list<T>) {
      return take_integers(*found, out);
    } else {
      try {
        found->get_to(out);
        return true;
      } catch (const Json::exception&) {  // of another kind
        return false;
      }
    }
  }

  const Json& object_;
  std::string damaged_;
};

// Whether `document` is an object whose member `format` is this text.
inline bool has_format(const Json& document, std::string_view format) {
  const auto found = document.find("format");
  return found != document.end() && found->is_string() &&
         found->get_ref<const std::string&>() == format;
}

}  // namespace hone::trainers
