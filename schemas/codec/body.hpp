// Bodies <-> JSON: encode(body), decode_request<SteerRequest>(document). The decoders check
// everything that can be seen from the document alone (types, unknown keys, bounds that are fixed
// by the words themselves) and refuse with a JSON pointer; what depends on other rooms (is there
// such a sampler, trainer, rule?) is checked by server/sweep/submit/check.hpp.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/space.hpp"
#include "schemas/types/value.hpp"

// Declared, not included: a file includes the bodies that it encodes or decodes.
namespace hone {

class Score;
struct LeaseGrant;
struct Verdict;

// Instantiated by the Requests<...> or Replies<...> of the file that describes T.
template <class T>
Result<T> decode_request(const Json& document);
// As decode_request, for what was accepted once and is kept: only its shape matters, so that a rule
// that became stricter since does not make it unreadable. Instantiated for SweepSpec.
template <class T>
Result<T> decode_recorded(const Json& document);
// Unknown fields are tolerated here: an older client may talk to a newer server.
template <class T>
Result<T> decode_reply(const Json& document);

// Instantiated likewise. Of a sweep file it fills in every default: counts as numbers, durations in
// seconds. A SweepPast is the document that `hone export` writes.
template <class T>
concept Body = std::is_aggregate_v<T> || std::same_as<T, std::optional<LeaseGrant>>;
template <Body T>
Json encode(const T& body);

// The problem body {code, detail, at, retryable} of every refusal.
Json encode(const Error& error);
// Total: a body that is no problem becomes Code::internal.
Error decode_problem(const Json& document);

// Parts that several rooms need.
Json encode(const Value& value);
Json encode(const Params& params);  // an object, in order
Json encode(const Score& score);    // a number or "diverged"
Result<Value> decode_value(const Json& document, const std::string& at);
Result<Params> decode_params(const Json& document, const std::string& at);
Result<Score> decode_score(const Json& document, const std::string& at);
Result<Verdict> decode_verdict(const Json& document, const std::string& at);
Result<Space> decode_space(const Json& document, const std::string& at);  // parameters
Json encode_space(const Space& space);
std::string rfc3339(Instant t);  // "2026-11-21T10:04:05.123456Z"
std::optional<Instant> parse_rfc3339(std::string_view text);

}  // namespace hone
