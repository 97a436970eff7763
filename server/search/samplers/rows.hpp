// The makers that samplers/table.cpp lists.
#pragma once

#include "server/search/sampler.hpp"

namespace hone {

Result<std::unique_ptr<Sampler>> make_random(const SearchSpec& search);

}  // namespace hone
