// Writes rows as JSON by their descriptions (db/queries/described.hpp). Internal to server/api.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/queries/rows.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/codec/words.hpp"

namespace hone::row {

// The JSON text of a column; a damaged one as a string.
Json stored_json(const std::string& text, None none = None::text);

template <class T>
Json json_of(const T& value) {
  if constexpr (is_optional<T>)
    return value ? json_of(*value) : Json(nullptr);
  else if constexpr (std::is_enum_v<T>)
    return word(value);
  else if constexpr (std::is_same_v<T, Instant>)
    return rfc3339(value);
  else if constexpr (std::is_same_v<T, Score>)
    return encode(value);
  else if constexpr (requires { hone::text(value); })
    return hone::text(value);
  else
    return value;
}
Json json_of(Scopes scopes);

class Write {
 public:
  Write(Json& json, std::span<Json>& computed) : json_(json), computed_(computed) {}

  Write& operator()(std::string_view key, const auto& member, auto...) {
    json_[key] = json_of(member);
    return *this;
  }
  Write& cost(std::string_view key, const auto& score, auto...) { return (*this)(key, score); }
  Write& also(std::string_view key, const auto& member, auto...) { return (*this)(key, member); }
  Write& filled(std::string_view key, const std::string& text, auto...) {
    json_[key] = text.empty() ? Json(nullptr) : Json(text);
    return *this;
  }
  Write& stored(std::string_view key, const std::string& text, std::string_view, std::string_view,
                std::string_view, None none = None::null) {
    json_[key] = stored_json(text, none);
    return *this;
  }
  Write& computed(std::string_view key, auto...) {
    json_[key] = std::move(computed_.front());
    computed_ = computed_.subspan(1);
    return *this;
  }
  template <class Row>
  Write& nested(std::string_view key, const Row& row, auto...) {
    if constexpr (is_optional<Row>)
      return row ? nested(key, *row) : (*this)(key, std::optional<bool>());
    else
      return group(key, [&](Write& part) { fields(part, row); });
  }
  Write& group(std::string_view key, const auto& members) {
    Json part;
    Write writer(part, computed_);
    members(writer);
    json_[key] = std::move(part);
    return *this;
  }
  Write& goal(auto&&...) { return *this; }
  Write& hidden(auto&&...) { return *this; }
  Write& of_one(auto&&...) { return *this; }

 private:
  Json& json_;
  std::span<Json>& computed_;
};

template <class Row>
concept Described = requires(Write& write, const Row& row) {
  fields(write, row);
};

// `computed`: the values that the row does not have, in the order of its description.
template <Described Row>
Json write(const Row& row, std::vector<Json> computed = {}) {
  Json json;
  std::span<Json> left = computed;
  Write writer(json, left);
  fields(writer, row);
  return json;
}

}  // namespace hone::row
