// What one field must be: each rule is called with a Spot, notes a fault where the value breaks it,
// and answers something empty then. Internal to schemas/codec.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/codec/reader.hpp"
#include "schemas/codec/word_tables.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"

namespace hone::codec {

// Numbers beyond it are not exact in every JSON reader.
inline constexpr std::int64_t exact_max = (std::int64_t{1} << 53) - 1;

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

struct Truth {  // true or false
  bool operator()(const Spot& spot) const;
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

struct TokenName {
  TokenId operator()(const Spot& spot) const;
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
