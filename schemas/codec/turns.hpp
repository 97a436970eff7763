// Decoders of how sweeps share slots and of what runs need.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/budget_spec.hpp"
#include "schemas/types/neighbours.hpp"
#include "schemas/types/turn.hpp"
#include "schemas/types/width.hpp"

namespace hone {

Result<Turn> decode_turn(const Json& document);
Result<Width> decode_width(const Json& document);
Result<Neighbours> decode_neighbours(const Json& document);
Result<KeptFree> decode_kept_free(const Json& document);
Result<Deadline> decode_deadline(const Json& document, const std::string& at);
Result<std::int64_t> decode_size(const Json& document, const std::string& at);  // "4GiB", in bytes
Result<std::vector<std::string>> decode_labels(const Json& document, const std::string& at);

}  // namespace hone
