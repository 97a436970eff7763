// How many trials of a sweep lie in a space: those that a search can learn from.
#pragma once

#include <string>

#include "sdk/cli/session/session.hpp"

namespace hone {
struct SweepSpec;
}

namespace hone::cli {

// "78 of 78 trials with a value of sw_8 lie in the space", with the reason where none does; "" if
// the server does not answer.
std::string fitting_text(Session& session, const std::string& sweep, const SweepSpec& spec);

}  // namespace hone::cli
