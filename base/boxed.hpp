// A value on the heap that copies share: for large members of types of which many are kept.
#pragma once

#include <memory>
#include <utility>

namespace hone {

// Behaves as a T. Copies are cheap, and none sees a change that is made through another.
template <class T>
class Boxed {
 public:
  Boxed() : value_(std::make_shared<T>()) {}
  Boxed(T value)  // NOLINT: a T is a Boxed<T>
      : value_(std::make_shared<T>(std::move(value))) {}
  // A box that was moved from may only be assigned to, or destroyed.
  Boxed(const Boxed&) = default;
  Boxed& operator=(const Boxed&) = default;
  Boxed(Boxed&& other) noexcept = default;
  Boxed& operator=(Boxed&& other) noexcept = default;
  ~Boxed() = default;

  operator const T&() const { return *value_; }  // NOLINT: likewise
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

  // For changes; copies the value where others share it.
  T& own() {
    if (value_.use_count() != 1) value_ = std::make_shared<T>(*value_);
    return *value_;
  }

  friend bool operator==(const Boxed& a, const Boxed& b) { return *a == *b; }
  friend bool operator==(const Boxed& a, const T& b) { return *a == b; }

 private:
  std::shared_ptr<T> value_;
};

template <class T>
inline constexpr bool is_boxed = false;
template <class T>
inline constexpr bool is_boxed<Boxed<T>> = true;

}  // namespace hone
