// What a data folder knows about standbys: DATA/standby.json, next to the ledger. Only the process
// that holds the lock of the folder writes it.
//
// A term counts the promotions of a ledger. Each follower draws a secret and gives its primary the
// SHA-256 of it. A promotion raises the term and publishes the secret: a server that was followed
// knows the digest, so that it accepts the term as proof that it was replaced, and no other program
// can make one up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/instant.hpp"

namespace hone::standby {

struct Term {
  std::int64_t number = 0;  // 0: never promoted
  std::string secret;       // 64 hex digits
};

// "2.9f86d0..."; empty for a term of 0.
std::string text(const Term& term);
std::optional<Term> parse_term(std::string_view text);

// A standby that has followed this server.
struct Known {
  std::string digest;  // SHA-256 of its secret
  std::string url;     // where it listens
  Instant in_sync{};   // when it last had the newest event, to the day; 1970: never
  friend bool operator==(const Known&, const Known&) = default;
};

struct State {
  Term term;                       // of this folder. A follower's secret is not published yet
  std::string follows;             // URL of its primary; empty: this folder is of a primary
  std::int64_t followed_term = 0;  // the newest term of a server that it followed
  bool complete = false;  // a follower: it has had everything that its primary had, at least once
  std::string promoted_from;     // what it followed until its promotion
  std::int64_t replaced_by = 0;  // a term of another server: this one must not write
  std::string replaced_url;
  std::vector<Known> standbys;  // the newest last
};

inline constexpr std::string_view state_file = "standby.json";

// A folder without the file has the state of a primary that was never promoted. Refuses (invalid) a
// file that cannot be read.
Result<State> read_state(const std::filesystem::path& folder);
// On the disk when it returns. Refuses (unavailable) if it cannot be written.
Status write_state(const std::filesystem::path& folder, const State& state);

// The rules, pure.

// The state of a folder that begins to follow `url`, or continues to. `secret` is a new one.
State following(State state, const std::string& url, std::string secret);

// Refuses (conflict) a folder that follows no server, and, without `force`, one that was never
// complete: it would lose events that were acknowledged long ago.
Result<State> promoted(State state, bool force);

// The digests of the standbys that have asked lately.
using Present = std::set<std::string>;

// Adds or renews a standby; false if nothing changed. A full list forgets one that is absent and
// was not in sync lately: first those that never were, then the one absent longest. Refuses (busy)
// if there is none: a client that makes up names must not push out a standby that may be promoted.
Result<bool> enroll(State& state, const Known& standby, const Present& present, Instant now);

// Whether `term` proves that one of the standbys was promoted after this folder's own term.
bool is_replaced_by(const State& state, const Term& term);

enum class Part { primary, follower };

// What a start with `--follow url` (empty: without) makes of the folder. `there` is the term at
// that URL, if a server answers there as the primary. Refuses (conflict) a folder that was
// replaced, and a follower's folder without --follow.
Result<Part> part_at_start(const State& state, const std::string& url,
                           const std::optional<Term>& there);

}  // namespace hone::standby
