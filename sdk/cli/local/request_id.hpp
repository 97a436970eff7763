#pragma once

#include <string>

namespace hone::cli {

// 32 random hex digits of the kernel: the same request sent twice is known by it.
std::string new_request_id();

}  // namespace hone::cli
