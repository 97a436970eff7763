// What an edit of a live sweep does to its spec: told once, for the Book and the query tables.
#pragma once

#include "schemas/types/event.hpp"

namespace hone {

// Total: what does not fit the spec is passed over. decide has refused it.
void apply(const SweepEdited& edit, SweepSpec& spec);

}  // namespace hone
