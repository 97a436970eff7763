// A value of a document, where it is, and the first fault. Internal to schemas/codec.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone::codec {

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

// The first thing that was wrong. Reading continues after it with empty values.
class Fault {
 public:
  static Fault of_request() { return {Code::invalid, true, true}; }
  // A reply that cannot be read is not the caller's mistake. It may come from a newer server, which
  // says more.
  static Fault of_reply() { return {Code::internal, true, false}; }
  // What a ledger holds was accepted once. Only its shape matters: a rule that became stricter
  // since must not keep the server from starting.
  static Fault of_ledger() { return {Code::internal, false, true}; }

  void note(const Place& place, std::string detail);       // the shape is wrong
  void note_rule(const Place& place, std::string detail);  // the shape is right, a rule is broken
  [[nodiscard]] bool clear() const { return !first_.has_value(); }
  [[nodiscard]] bool refuses_unknown() const { return refuses_unknown_; }

  // The decoded value, unless there was a fault.
  template <class T>
  Result<T> settle(T value) {
    if (first_) return std::move(*first_);
    return value;
  }

 private:
  Fault(Code code, bool applies_rules, bool refuses_unknown)
      : code_(code), applies_rules_(applies_rules), refuses_unknown_(refuses_unknown) {}

  Code code_;
  bool applies_rules_;
  bool refuses_unknown_;  // fields that no description names
  std::optional<Error> first_;
};

// One value of the document, where it is, and where its faults go.
struct Spot {
  const Json& json;
  Place place;
  Fault& fault;

  void refuse(std::string detail) const { fault.note(place, std::move(detail)); }
  void refuse_rule(std::string detail) const { fault.note_rule(place, std::move(detail)); }
  [[nodiscard]] const std::string* text() const { return json.get_ptr<const std::string*>(); }
};

}  // namespace hone::codec
