// How bodies are described: each once, by a function template that names every field with its
// member and its rule. Reader and Writer are what it is called with. Internal to schemas/codec.
//   void fields(auto& f, Of<ReportRequest> auto& r) {
//     f("phase", r.phase, phase_number)("step", r.step, step_number)("value", r.score);
//     f.some("further", r.further, further_values).some("seed_applied", r.seed_applied);
//   }
//
//   f(key, member, rule)        required
//   f.maybe(key, member, rule)  may be absent, and the member keeps its value then. Always written:
//                               as null where the member is an optional or an id without a value
//   f.some(key, member, rule)   may be absent. Left out where the member is empty or zero
//   f.rest(members, rule)       all other fields by name; after the fields that are named
// A rule is left out where the type of the member implies it (read below). A rule over several
// fields is an overload of check(Reader&, const T&), called once every field is without fault.
// It is declared in front of the Requests<...> or Replies<...> of its file, or it is not called.
// To add a field: its member, line and row in schemas/v1. A body: its name in Requests or Replies.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/boxed.hpp"
#include "base/nearest.hpp"
#include "base/result.hpp"
#include "schemas/codec/spot.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"

namespace hone::codec {
// Rules: each is called with a Spot, notes a fault where the value breaks it, and answers something
// empty then. json(value), where a rule has it, is how the value is written.

// Numbers beyond it are not exact in every JSON reader.
inline constexpr std::int64_t exact_max = (std::int64_t{1} << 53) - 1;

struct OfType {};  // what the type of the member implies

struct Line {  // a text of so many characters (code points), without control characters
  std::size_t min = 0;
  std::size_t max = 1000;
  std::string operator()(const Spot& spot) const;
};

struct Text {  // any text
  std::size_t bytes_max = 1U << 20U;
  bool empty_allowed = true;
  bool nul_allowed = true;
  std::string operator()(const Spot& spot) const;
};

struct Digest {  // SHA-256: 64 hex digits
  bool empty_allowed = false;
  std::string operator()(const Spot& spot) const;
};

struct Integer {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  std::int64_t operator()(const Spot& spot) const;
};

struct Count {  // an integer, or "200k", "1.5M", "2G"
  std::int64_t min = 0;
  std::int64_t max = exact_max;
  std::int64_t operator()(const Spot& spot) const;
};

struct Length {  // a duration: seconds, or "90s", "15m", "2h", "7d"
  Duration min{};
  bool words_allowed = false;
  Duration operator()(const Spot& spot) const;
};

struct Microseconds {  // times of the ledger: short and exact
  std::int64_t operator()(const Spot& spot) const { return Integer{}(spot); }
  [[nodiscard]] Json json(const auto& time) const { return time.us; }
};

struct WireTime {  // RFC 3339
  Instant operator()(const Spot& spot) const;
  [[nodiscard]] Json json(Instant time) const;
};

template <class Item = OfType>
struct ListOf {
  Item item{};
  std::size_t max = 10'000;
  std::string_view needed{};  // "value": of which the list must name at least one
};
template <class Item>
ListOf(Item) -> ListOf<Item>;
template <class Item>
ListOf(Item, std::size_t, std::string_view = {}) -> ListOf<Item>;

struct OneOf {  // the index of a word
  std::span<const std::string_view> words;
  std::size_t operator()(const Spot& spot) const;
};

// What the types of members imply. Other forms specialize read and write.
template <class T>
T read(const Spot& spot);
template <class T>
Json write(const T& value);

bool read_truth(const Spot& spot);
double read_real(const Spot& spot);  // finite
int read_int(const Spot& spot, const Integer& rule);
// "90s", "15m", "2h" or "7d", up to 3650 days; nullopt for any other text.
std::optional<Duration> parse_duration(std::string_view text);
Json write_seconds(Duration duration);  // as an integer where they are whole
// nullptr after a refusal.
const Json::array_t* list_at(const Spot& spot, std::size_t max, std::string_view needed);

// "1e-4" and "1.0e4": what a YAML 1.1 reader left as text though a number was meant. Answers how to
// write it.
std::optional<std::string> as_yaml_number(std::string_view text);

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
concept IsId = requires(T id) {
  hone::text(id);
};

template <class T>
T required_type(const T&);
template <class T>
T required_type(const std::optional<T>&);
template <class T>  // of an optional, what it holds
using Held = decltype(required_type(std::declval<const T&>()));

// The inverse of text(id) for each type.
template <class T>
inline constexpr auto parse_as = &parse_id<T>;
template <>
inline constexpr auto parse_as<ObjectId> = &parse_object_id;
template <>
inline constexpr auto parse_as<LeaseId> = &parse_lease_id;
template <>
inline constexpr auto parse_as<TokenId> = &parse_token_id;
template <>
inline constexpr auto parse_as<FleetId> = &parse_fleet_id;
template <>
inline constexpr auto parse_as<PilotId> = &parse_pilot_id;

template <class T>
T read_id(const Spot& spot) {
  const auto found = spot.text() == nullptr ? std::nullopt : parse_as<T>(*spot.text());
  if (found) return *found;
  T example{};
  if constexpr (requires { example.value; }) example.value = 7;
  if constexpr (std::is_same_v<T, ObjectId>) example = TrialId{42};
  spot.refuse("must be an id such as \"" + text(example) + "\", not " + described(spot.json));
  return {};
}

template <class T, class Rule>
T read_by(const Spot& spot, const Rule& rule) {
  if constexpr (std::is_same_v<Rule, OfType>)
    return read<T>(spot);
  else if constexpr (std::is_same_v<T, int>)
    return read_int(spot, rule);
  else if constexpr (requires { static_cast<T>(rule(spot)); })
    return static_cast<T>(rule(spot));
  else
    return T{rule(spot)};
}

template <class T, class Item>
T read_by(const Spot& spot, const ListOf<Item>& rule) {
  T items;
  const auto* array = list_at(spot, rule.max, rule.needed);
  if (array == nullptr) return items;
  items.reserve(array->size());
  for (std::size_t i = 0; i < array->size() && spot.fault.clear(); ++i)
    items.push_back(read_by<typename T::value_type>(
        Spot{(*array)[i], Place(spot.place, i), spot.fault}, rule.item));
  return items;
}

template <class T, class Item>
requires is_vector<T> Json write_by(const T& items, const ListOf<Item>& rule);

template <class T, class Rule>
Json write_by(const T& value, const Rule& rule) {
  if constexpr (!std::is_same_v<T, Held<T>>)
    return value ? write_by(*value, rule) : Json(nullptr);
  else if constexpr (requires { rule.json(value); })
    return rule.json(value);
  else
    return write(value);
}

template <class T, class Item>
requires is_vector<T> Json write_by(const T& items, const ListOf<Item>& rule) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(write_by(item, rule.item));
  return list;
}

// What a description is called with to read the fields of one object. Refuses unknown fields.
class Reader {
 public:
  const Spot spot;  // of the object

  explicit Reader(const Spot& object);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  template <class T, class Rule = OfType>
  Reader& operator()(std::string_view key, T& member, const Rule& rule = {}) {
    if (!take(key, member, rule) && missing_.empty()) missing_ = key;
    return *this;
  }
  template <class T, class Rule = OfType>
  Reader& maybe(std::string_view key, T& member, const Rule& rule = {}) {
    take(key, member, rule);
    return *this;
  }
  template <class T, class Rule = OfType>
  Reader& some(std::string_view key, T& member, const Rule& rule = {}) {
    return maybe(key, member, rule);
  }

  // rule: Spot -> value, or (name, Spot) -> value.
  template <class Items, class Rule>
  Reader& rest(Items& items, const Rule& rule) {
    each_other([&](const std::string& name, const Spot& one) {
      if constexpr (requires { rule(name, one); })
        items.push_back({name, rule(name, one)});
      else
        items.push_back({name, rule(one)});
    });
    return *this;
  }

  // nullptr where there is none (null counts as none). Makes the key known.
  const Json* find(std::string_view key);
  // The same of a field that does not belong here.
  [[nodiscard]] const Json* find_foreign(std::string_view key) const;
  // use: Spot. False, without a call, where there is none.
  template <class Use>
  bool at(std::string_view key, Use use) {
    const Json* json = find(key);
    if (json != nullptr) use(Spot{*json, Place(spot.place, key), spot.fault});
    return json != nullptr;
  }
  // Every field that was not asked for, in order. each: (key, Spot).
  template <class Each>
  void each_other(Each each) {
    if (object_ != nullptr)
      for (const auto& [key, json] : *object_)
        if (!is_known(key)) each(key, Spot{json, Place(spot.place, key), spot.fault});
    rest_taken_ = true;
  }

  // Refuses unknown fields, then missing ones. True while the document is without fault.
  bool done();

  void refuse(std::string_view key, std::string detail) {
    spot.fault.note(Place(spot.place, key), std::move(detail));
  }
  void refuse_rule(std::string_view key, std::string detail) {
    spot.fault.note_rule(Place(spot.place, key), std::move(detail));
  }

 private:
  template <class T, class Rule>
  bool take(std::string_view key, T& member, const Rule& rule) {
    return at(key, [&](const Spot& one) { member = read_by<Held<T>>(one, rule); });
  }
  [[nodiscard]] bool is_known(std::string_view key) const;

  const Json::object_t* object_ = nullptr;
  bool rest_taken_ = false;
  std::vector<std::string_view> known_;
  std::string_view missing_;  // the first required key that is not there
};

// What a description is called with to write the fields of one object.
class Writer {
 public:
  explicit Writer(Json& json) : json_(json) {}

  template <class T, class Rule = OfType>
  Writer& operator()(std::string_view key, const T& member, const Rule& rule = {}) {
    json_[key] = write_by(member, rule);
    return *this;
  }
  template <class T, class Rule = OfType>
  Writer& maybe(std::string_view key, const T& member, const Rule& rule = {}) {
    if constexpr (IsId<T> && requires { member.value; })
      if (!member) return (*this)(key, std::optional<T>());
    return (*this)(key, member, rule);
  }
  template <class T, class Rule = OfType>
  Writer& some(std::string_view key, const T& member, const Rule& rule = {}) {
    return member == T{} ? *this : (*this)(key, member, rule);
  }
  template <class Items, class Rule = OfType>
  Writer& rest(const Items& items, const Rule& = {}) {
    for (const auto& [name, value] : items) json_[name] = write(value);
    return *this;
  }

 private:
  Json& json_;
};

template <class T, class... Type>
concept Of = (std::same_as<std::remove_const_t<T>, Type> || ...);
template <class F>
inline constexpr bool reads = std::is_same_v<F, Reader>;

template <class T>
T read_fields(Reader& reader, T value) {
  fields(reader, value);
  const bool whole = reader.done();
  if constexpr (requires { check(reader, value); })
    if (whole) check(reader, value);
  return value;
}

template <class T>
T read_object(const Spot& spot, T value = {}) {
  Reader reader(spot);
  return read_fields(reader, std::move(value));
}

template <class T>
Json write_object(const T& value) {
  Json json = Json::object();
  Writer writer(json);
  fields(writer, value);
  return json;
}

template <class T>
T read(const Spot& spot) {
  if constexpr (std::is_same_v<T, bool>) {
    return read_truth(spot);
  } else if constexpr (is_boxed<T>) {
    return read<std::remove_cvref_t<decltype(*std::declval<T>())>>(spot);
  } else if constexpr (std::is_integral_v<T>) {
    return read_by<T>(spot, Integer{});
  } else if constexpr (std::is_same_v<T, double>) {
    return read_real(spot);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return Text{}(spot);
  } else if constexpr (std::is_same_v<T, Duration>) {
    return Length{}(spot);
  } else if constexpr (is_vector<T>) {
    return read_by<T>(spot, ListOf{});
  } else if constexpr (std::is_enum_v<T>) {
    return read_by<T>(spot, OneOf{words_of<T>});
  } else if constexpr (IsId<T>) {
    return read_id<T>(spot);
  } else {
    return read_object<T>(spot);
  }
}

template <class T>
Json write(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return word(value);
  } else if constexpr (is_boxed<T>) {
    return write(*value);
  } else if constexpr (std::is_same_v<T, Duration>) {
    return write_seconds(value);
  } else if constexpr (IsId<T>) {
    return hone::text(value);
  } else if constexpr (is_vector<T>) {
    return write_by(value, ListOf{});
  } else if constexpr (requires(Writer & writer) { fields(writer, value); }) {
    return write_object(value);
  } else {
    return value;
  }
}

// Reads a whole document. Answers the value or the first fault, placed under `at`.
template <class T>
Result<T> decode_as(const Json& document, std::string_view at = {},
                    Fault fault = Fault::of_request()) {
  auto value = read<T>(Spot{document, Place(at), fault});
  return fault.settle(std::move(value));
}

}  // namespace hone::codec
