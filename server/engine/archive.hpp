// Plain data as bytes and back: what snapshots are made of. Integers are shortened, doubles kept to
// the last bit, containers told with their sizes. A struct takes part by a function
// `fields(archive, struct)` that names its members in order, once for both directions.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/score.hpp"

namespace hone {

template <class T, class Plain>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Plain>;

template <class T>
concept Sequence = requires(T t) {
  typename T::value_type;
  t.begin();
  t.size();
}
&&!std::same_as<T, std::string>;

class ArchiveWriter {
 public:
  static constexpr bool reads = false;

  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  // Small magnitudes of either sign take few bytes.
  void put_integer(std::int64_t value) {
    auto bits =
        (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63U);
    for (; bits >= 0x80U; bits >>= 7U) bytes_ += static_cast<char>(bits | 0x80U);
    bytes_ += static_cast<char>(bits);
  }
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      put_integer(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(value));
      bytes_.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    } else if constexpr (Sequence<T>) {
      put_integer(static_cast<std::int64_t>(value.size()));
      for (const auto& item : value) put(item);
    } else {
      fields(*this, value);
    }
  }
  void put(const std::string& text) {
    put_integer(static_cast<std::int64_t>(text.size()));
    bytes_ += text;
  }
  template <class A, class B>
  void put(const std::pair<A, B>& pair) {
    put(pair.first), put(pair.second);
  }
  template <class... T>
  void put(const std::tuple<T...>& tuple) {
    std::apply([this](const auto&... part) { (this->put(part), ...); }, tuple);
  }
  template <class T>
  void put(const std::optional<T>& maybe) {
    put(maybe.has_value());
    if (maybe) put(*maybe);
  }
  template <class... T>
  void put(const std::variant<T...>& choice) {
    put(choice.index());
    std::visit([this](const auto& one) { this->put(one); }, choice);
  }
  void put(const Score& score) {
    put(score.is_diverged());
    if (!score.is_diverged()) put(score.value());
  }

  std::string bytes_;
};

// Throws std::runtime_error where the bytes end too early or make no sense.
class ArchiveReader {
 public:
  static constexpr bool reads = true;

  explicit ArchiveReader(std::string_view bytes) : rest_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::string_view next(std::size_t count) {
    if (count > rest_.size()) throw std::runtime_error("it ends too early");
    const auto bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  std::int64_t get_integer() {
    std::uint64_t bits = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(next(1).front());
      if (shift == 63 && byte > 1U) break;  // bits that would be lost
      bits |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80U)
        return static_cast<std::int64_t>(bits >> 1U) ^ -static_cast<std::int64_t>(bits & 1U);
    }
    throw std::runtime_error("a number in it is too long");
  }
  std::size_t get_size() {
    const auto size = static_cast<std::size_t>(get_integer());
    if (size > rest_.size()) throw std::runtime_error("a size in it is beyond its end");
    return size;
  }
  template <class T>
  void get(T& value) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      value = static_cast<T>(get_integer());
    } else if constexpr (std::is_floating_point_v<T>) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, next(sizeof bits).data(), sizeof bits);
      value = static_cast<T>(std::bit_cast<double>(bits));
    } else if constexpr (Sequence<T>) {
      get_items(value);
    } else {
      fields(*this, value);
    }
  }
  template <class T>
  void get_items(T& items) {
    items.clear();
    for (auto left = get_size(); left > 0; --left) {
      if constexpr (requires { items.push_back(std::declval<typename T::value_type>()); }) {
        items.push_back(fresh<typename T::value_type>());
        get(items.back());
      } else if constexpr (requires { typename T::mapped_type; }) {
        auto key = fresh<typename T::key_type>();
        get(key);
        get(items.emplace_hint(items.end(), std::move(key), fresh<typename T::mapped_type>())
                ->second);
      } else {
        auto item = fresh<typename T::value_type>();
        get(item);
        items.insert(items.end(), std::move(item));
      }
    }
  }
  template <class T>
  static T fresh() {
    if constexpr (std::same_as<T, Score>)
      return Score::diverged();
    else
      return T{};
  }
  void get(std::string& text) { text = next(get_size()); }
  template <class A, class B>
  void get(std::pair<A, B>& pair) {
    get(pair.first), get(pair.second);
  }
  template <class... T>
  void get(std::tuple<T...>& tuple) {
    std::apply([this](auto&... part) { (this->get(part), ...); }, tuple);
  }
  template <class T>
  void get(std::optional<T>& maybe) {
    bool there = false;
    get(there);
    maybe.reset();
    if (there) get(maybe.emplace());
  }
  template <class... T>
  void get(std::variant<T...>& choice) {
    std::size_t index = 0;
    get(index);
    std::size_t at = 0;
    const auto take = [&]<class One>(std::type_identity<One>) {
      if (at++ == index) get(choice.template emplace<One>());
    };
    (take(std::type_identity<T>{}), ...);
    if (index >= sizeof...(T)) throw std::runtime_error("a choice in it is unknown");
  }
  void get(Score& score) {
    bool diverged = false;
    get(diverged);
    double value = 0;
    if (!diverged) get(value);
    score = diverged ? Score::diverged() : Score::of(value);
  }

  std::string_view rest_;
};

template <class Archive, class Tag>
void fields(Archive& archive, Id<Tag>& id) {
  archive(id.value);
}
template <class Archive, class Tag>
void fields(Archive& archive, const Id<Tag>& id) {
  archive(id.value);
}
template <class Archive>
void fields(Archive& archive, MaybeConst<RunId> auto& id) {
  auto& [trial, replicate] = id;
  archive(trial, replicate);
}
template <class Archive>
void fields(Archive& archive, MaybeConst<AttemptId> auto& id) {
  auto& [run, number] = id;
  archive(run, number);
}
template <class Archive>
void fields(Archive& archive, MaybeConst<Instant> auto& instant) {
  archive(instant.us);
}
template <class Archive>
void fields(Archive& archive, MaybeConst<Duration> auto& duration) {
  archive(duration.us);
}

}  // namespace hone
