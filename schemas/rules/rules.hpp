// What is allowed, for every door: submit, edit, fork, confirm, import, the ledger and the command
// line call these. The descriptions of schemas/codec are the rules: a value obeys them if its own
// description reads what was written of it. No door has its own rule, which could differ.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace hone {
struct EventBody;
struct Parameter;
struct SweepSpec;
}  // namespace hone

namespace hone::rules {

// Refuses (invalid) what a sweep file may not state. error.at is relative to the spec
// ("/search/trials").
Status check(const SweepSpec& spec);

// Returns the spec as its own description reads it: with what a sweep file may leave out, such as
// the columns of a command's objectives. Refuses as check() does.
Result<SweepSpec> settled(const SweepSpec& spec);

// Refuses (invalid) a domain, condition or name that a sweep file may not state. error.at is
// relative to the parameter ("/min").
Status check(const Parameter& parameter);

// Returns the body of an event as the ledger keeps it. Refuses (internal) one that a start could
// not read, or would read as another event: what is appended must be readable permanently.
Result<std::string> readable_text(const EventBody& body);

}  // namespace hone::rules
