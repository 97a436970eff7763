// What an edit of a live sweep does to its spec, for the Book and the query tables alike.
#pragma once

namespace hone {

struct SweepEdited;
struct SweepSpec;

// Total: ignores what does not fit the spec, because decide has refused it.
void apply(const SweepEdited& edit, SweepSpec& spec);

}  // namespace hone
