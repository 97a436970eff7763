// What a refusal is on the wire: its HTTP status, and whether trying again can help.
#pragma once

#include "base/result.hpp"

namespace hone {

int http_status(Code code);

// Trying the same request again, later, may succeed.
bool is_retryable(Code code);

}  // namespace hone
