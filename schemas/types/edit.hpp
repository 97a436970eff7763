// What an edit of a live sweep does to its spec, for the Book and the query tables alike.
#pragma once

namespace hone {

struct Parameter;
struct SweepEdited;
struct SweepSpec;
struct Widening;

// Total: ignores what does not fit the domain, because decide has refused it.
void widen(Parameter& parameter, const Widening& widening);

// Total: ignores what does not fit the spec, because decide has refused it.
void apply(const SweepEdited& edit, SweepSpec& spec);

}  // namespace hone
