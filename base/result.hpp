// Result<T>: what a caller can cause comes back as a value. Exceptions are for "this process cannot
// start" only.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace hone {

// One reason per failure. Programs switch on the code; people read the detail. The HTTP status and
// the exit code of each are one switch each (schemas/codec/problem.cpp,
// sdk/cli/session/exit_codes.cpp).
enum class Code {
  invalid,          // the request is wrong in itself; sending it again cannot help
  not_found,        // no such object
  conflict,         // right in itself, but not in the present state
  stale_lease,      // the lease ended or was never granted: stop working for it
  forbidden,        // not allowed
  too_large,        // over a bound of server/limits.hpp
  busy,             // a bounded queue is full; try again
  unavailable,      // the server cannot be reached or is shutting down; try again
  timed_out,        // no answer in time
  internal,         // our own mistake
  unauthenticated,  // no token, or one that is not known, was revoked or has expired
  rate_limited,     // more requests than this token or address may send; try again later
  stale_epoch,      // of a time that the ledger lost when a backup was restored: join again
};

struct Error {
  Code code = Code::internal;
  std::string detail;  // one sentence: what is wrong and what to do
  std::string at;      // JSON pointer to the offending field ("/parameters/lr/min"), or empty
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Precondition: ok() for value, !ok() for error. std::get throws otherwise, which is a bug of
  // ours.
  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
  [[nodiscard]] const Error& error() const& { return std::get<1>(state_); }
  [[nodiscard]] Error&& error() && { return std::get<1>(std::move(state_)); }

  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

 private:
  std::variant<T, Error> state_;
};

struct Done {};  // the value of a Result that carries nothing
using Status = Result<Done>;

inline Error refuse(Code code, std::string detail, std::string at = {}) {
  return Error{code, std::move(detail), std::move(at)};
}

}  // namespace hone
