// The parameters block alone, as curve tables carry it.
#pragma once

#include <string>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/space.hpp"

namespace hone {

Result<Space> decode_space(const Json& document, const std::string& at);
Json encode_space(const Space& space);

}  // namespace hone
