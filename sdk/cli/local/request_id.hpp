#pragma once

#include <string>

#include "base/hex.hpp"

namespace hone::cli {

// 32 random hex digits. The server recognizes by them a request that is sent twice.
inline std::string new_request_id() { return random_hex(16); }

}  // namespace hone::cli
