// What a token lets its holder do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hone {

enum class Scope {
  read,     // look at everything but tokens
  submit,   // submit, steer, ask, tell and enqueue; includes read
  worker,   // join, lease runs, and act for the runs leased
  admin,    // everything, tokens included
  replica,  // copy the ledger and its files, as a standby; no other route
};

inline constexpr std::array all_scopes{Scope::read, Scope::submit, Scope::worker, Scope::admin,
                                       Scope::replica};

// A set of them.
struct Scopes {
  std::uint8_t bits = 0;

  constexpr Scopes() = default;
  constexpr Scopes(Scope scope) : bits(bit(scope)) {}  // NOLINT: implicit by design

  [[nodiscard]] constexpr bool holds(Scope scope) const { return (bits & bit(scope)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits == 0; }
  friend constexpr bool operator==(const Scopes&, const Scopes&) = default;
  friend constexpr Scopes operator|(Scopes a, Scopes b) {
    Scopes both;
    both.bits = static_cast<std::uint8_t>(a.bits | b.bits);
    return both;
  }

 private:
  static constexpr std::uint8_t bit(Scope scope) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(scope));
  }
};

constexpr Scopes operator|(Scope a, Scope b) { return Scopes(a) | Scopes(b); }

// Whether a token with `granted` has one of `needed`. No scope needed: open to all.
constexpr bool opens(Scopes granted, Scopes needed) {
  if (needed.empty() || granted.holds(Scope::admin)) return true;
  if (granted.holds(Scope::submit)) granted = granted | Scope::read;
  return (granted.bits & needed.bits) != 0;
}

// Every request is compared with all of them, which costs microseconds at this number.
inline constexpr std::size_t live_tokens_max = 1000;

}  // namespace hone
