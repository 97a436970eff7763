// How every decoder reads: an object's fields one by one, each with a rule. The first fault is kept
// with its JSON pointer, reading goes on with empty values, and the caller looks once at the end.
// Internal to schemas/codec.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/codec/json.hpp"
#include "schemas/codec/nearest.hpp"
#include "schemas/codec/word_tables.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/result.hpp"

namespace hone::codec {

// Numbers beyond it are not exact in every JSON reader.
inline constexpr std::int64_t exact_max = (std::int64_t{1} << 53) - 1;

// 'text', shortened and without control characters, for a sentence.
std::string in_quotes(std::string_view text);

// What was found instead, for a sentence: "the text 'x'", "a list", "3.5".
std::string described(const Json& json);

// Where in the document, as links on the stack: the pointer is only written out for a refusal.
class Place {
 public:
  explicit Place(std::string_view root) : parent_(nullptr), key_(root) {}
  Place(const Place& parent, std::string_view key) : parent_(&parent), key_(key) {}
  Place(const Place& parent, std::size_t index) : parent_(&parent), index_(index) {}
  [[nodiscard]] std::string pointer() const;

 private:
  const Place* parent_;
  std::string_view key_;
  std::optional<std::size_t> index_;
};

// The first thing that was wrong.
class Fault {
 public:
  static Fault of_request() { return {Code::invalid, Rules::apply, Unknown::refused}; }
  // A reply that cannot be read is not the caller's mistake. It may come from a newer server, which
  // says more.
  static Fault of_reply() { return {Code::internal, Rules::apply, Unknown::skipped}; }
  // What a ledger holds was accepted once. Only its shape matters: a rule that became stricter
  // since must not keep the server from starting.
  static Fault of_ledger() { return {Code::internal, Rules::skipped, Unknown::refused}; }

  void note(const Place& place, std::string detail);       // the shape is wrong
  void note_rule(const Place& place, std::string detail);  // the shape is right, a rule is broken
  [[nodiscard]] bool clear() const { return !first_.has_value(); }
  [[nodiscard]] bool refuses_unknown() const { return unknown_ == Unknown::refused; }

  // The decoded value, unless there was a fault.
  template <class T>
  Result<T> settle(T value) {
    if (first_) return std::move(*first_);
    return value;
  }

 private:
  enum class Rules { apply, skipped };
  enum class Unknown { refused, skipped };  // fields that no decoder asks for
  Fault(Code code, Rules rules, Unknown unknown) : code_(code), rules_(rules), unknown_(unknown) {}

  Code code_;
  Rules rules_;
  Unknown unknown_;
  std::optional<Error> first_;
};

// One value of the document, where it stands, and whom to tell.
struct Spot {
  const Json& json;
  Place place;
  Fault& fault;

  void refuse(std::string detail) const { fault.note(place, std::move(detail)); }
  void refuse_rule(std::string detail) const { fault.note_rule(place, std::move(detail)); }
};

// The fields of one object.
class Fields {
 public:
  explicit Fields(const Spot& spot);
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  // nullptr where there is none (null counts as none). Makes the key known.
  const Json* find(std::string_view key);

  // A required field. read: Spot -> value.
  template <class Read>
  auto need(std::string_view key, Read read) -> decltype(read(std::declval<const Spot&>())) {
    const Json* json = find(key);
    if (json != nullptr) return read(Spot{*json, Place(place_, key), fault_});
    if (missing_.empty()) missing_ = key;
    return {};
  }

  // An optional field.
  template <class Read, class T>
  T maybe(std::string_view key, Read read, T fallback) {
    const Json* json = find(key);
    return json == nullptr ? std::move(fallback) : T(read(Spot{*json, Place(place_, key), fault_}));
  }

  // An optional field without a value to stand in for it.
  template <class Read>
  auto optional(std::string_view key, Read read)
      -> std::optional<decltype(read(std::declval<const Spot&>()))> {
    const Json* json = find(key);
    if (json == nullptr) return std::nullopt;
    return read(Spot{*json, Place(place_, key), fault_});
  }

  // Every field that was not asked for, in order. each: (key, Spot).
  template <class Each>
  void rest(Each each) {
    if (object_ != nullptr)
      for (const auto& [key, json] : *object_)
        if (!is_known(key)) each(key, Spot{json, Place(place_, key), fault_});
    rest_taken_ = true;
  }

  // Refuses unknown fields, then missing ones. True while the document is without fault.
  bool done();

  void refuse(std::string_view key, std::string detail) {
    fault_.note(Place(place_, key), std::move(detail));
  }
  void refuse_rule(std::string_view key, std::string detail) {
    fault_.note_rule(Place(place_, key), std::move(detail));
  }

 private:
  [[nodiscard]] bool is_known(std::string_view key) const;

  const Json::object_t* object_ = nullptr;
  Place place_;
  Fault& fault_;
  bool rest_taken_ = false;
  std::vector<std::string_view> known_;
  std::string_view missing_;  // the first required key that is not there
};

// Rules for one value. Each is called with a Spot and answers an empty value after a fault.

// A text of so many characters (code points), without control characters.
struct Line {
  std::size_t min = 0;
  std::size_t max = 1000;
  std::string operator()(const Spot& spot) const;
};

// Any text.
struct Text {
  std::size_t bytes_max = 1U << 20U;
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

struct SmallInteger {  // an integer that fits int
  int min = std::numeric_limits<int>::min();
  int max = std::numeric_limits<int>::max();
  int operator()(const Spot& spot) const;
};

struct Count {  // an integer, or "200k", "1.5M", "2G"
  std::int64_t min = 0;
  std::int64_t max = exact_max;
  std::int64_t operator()(const Spot& spot) const;
};

struct Real {  // finite
  double operator()(const Spot& spot) const;
};

struct Length {  // a duration: seconds, or "90s", "15m", "2h", "7d"
  Duration min{};
  bool words_allowed = false;
  Duration operator()(const Spot& spot) const;
};

struct LedgerTime {  // of an Instant, in the ledger
  Instant operator()(const Spot& spot) const;
};

struct WireTime {  // RFC 3339
  Instant operator()(const Spot& spot) const;
};

struct LeaseName {
  LeaseId operator()(const Spot& spot) const;
};

template <class T>
struct IdOf {
  T operator()(const Spot& spot) const {
    const auto* words = spot.json.get_ptr<const std::string*>();
    const auto parsed = words == nullptr ? std::nullopt : parse_id<T>(*words);
    if (!parsed)
      spot.refuse("must be an id such as \"" + hone::text(T{}) + "\", not " + described(spot.json));
    return parsed.value_or(T{});
  }
};

void refuse_word(const Spot& spot, std::span<const std::string_view> words);

template <class E>
struct WordOf {  // a word of an enum
  E operator()(const Spot& spot) const {
    const auto* words = spot.json.get_ptr<const std::string*>();
    const auto parsed = words == nullptr ? std::nullopt : parse_word<E>(*words);
    static constexpr auto texts = texts_of<E>();
    if (!parsed) refuse_word(spot, texts);
    return parsed.value_or(E{});
  }
};

template <class Read>
struct ListOf {
  Read read{};
  std::size_t max = 10'000;
  auto operator()(const Spot& spot) const {
    std::vector<decltype(read(spot))> items;
    const auto* array = spot.json.get_ptr<const Json::array_t*>();
    if (array == nullptr) {
      spot.refuse("must be a list, not " + described(spot.json));
    } else if (array->size() > max) {
      spot.refuse("has " + std::to_string(array->size()) + " items; at most " +
                  std::to_string(max) + " are allowed");
    } else {
      items.reserve(array->size());
      for (std::size_t i = 0; i < array->size() && spot.fault.clear(); ++i)
        items.push_back(read(Spot{(*array)[i], Place(spot.place, i), spot.fault}));
    }
    return items;
  }
};
template <class Read>
ListOf(Read) -> ListOf<Read>;
template <class Read>
ListOf(Read, std::size_t) -> ListOf<Read>;

// "1e-4" and "1.0e4": what a YAML 1.1 reader left as text though a number was meant. Answers how to
// write it.
std::optional<std::string> as_yaml_number(std::string_view text);

// Seconds, as an integer where they are whole.
Json seconds_json(Duration duration);

}  // namespace hone::codec
