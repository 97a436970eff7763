// How every decoder reads: an object's fields one by one, each with a rule. The first fault is kept
// with its JSON pointer, reading continues with empty values, and the caller looks once at the end.
// Internal to schemas/codec.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest.hpp"
#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone::codec {

bool is_control(char c);

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

}  // namespace hone::codec
