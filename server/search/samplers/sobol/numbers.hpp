// Sobol's sequence: its direction numbers and its coordinates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hone {

inline constexpr std::size_t sobol_bits = 32;
inline constexpr std::size_t sobol_dimensions_max = 100;

// Entry k is what bit k of a point's index adds (XOR) to its coordinate, in units of 2^-32.
using SobolDirections = std::array<std::uint32_t, sobol_bits>;

// Returns the direction numbers of a dimension. Precondition: dimension < sobol_dimensions_max.
SobolDirections sobol_directions(std::size_t dimension);

// Returns one coordinate of point `index`, in units of 2^-32. Points come in Gray-code order, as
// published: the first 2^m points are a (t, m, s)-net for every m.
std::uint32_t sobol_coordinate(const SobolDirections& directions, std::uint32_t index);

}  // namespace hone
