// The state of a Book as text, one JSON object a line: what the golden test keeps of each ledger.
#pragma once

#include <string>

#include "server/sweep/state/state.hpp"

namespace hone {

// Members with the value that they have by default are left out, so that a member which a later
// hone adds does not change the text of a ledger that never sets it. The specs that the events hold
// are not repeated; the parts of them that an edit changes are.
std::string book_text(const Book& book);

}  // namespace hone
