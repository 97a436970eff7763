// Families of made-up learning curves, each of which misleads a stopping rule in its own way. A
// table of a family has a known best set, and follows from its name and its seed alone.
//
// A set of parameters has three latent numbers, smooth functions of its parameters, each uniform on
// [0, 1] over the sets: its final level, and two that shape its curves. A level of 1 is the best
// set's at the end of training.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace hone::simulate {

struct CurveFamily {
  std::string_view name;
  std::string_view summary;
};

std::span<const CurveFamily> curve_families();

// The two files of a curve table (curve_table.hpp). The card also holds `optimum`: the final value
// of the best set without noise.
struct CurveTableFiles {
  std::string csv;
  std::string json;
};

// Makes a table of 80 sets, three runs each, in two to five parameters. Refuses an unknown family.
Result<CurveTableFiles> make_family_table(std::string_view family, std::uint64_t seed);

}  // namespace hone::simulate
