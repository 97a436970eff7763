// Direction numbers of Sobol's sequence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hone {

inline constexpr std::size_t sobol_bits = 32;
inline constexpr std::size_t sobol_dimensions_max = 100;

// Entry k is the part of a point's coordinate, in units of 2^-32, that bit k of its index adds.
using SobolDirections = std::array<std::uint32_t, sobol_bits>;

// Precondition: dimension < sobol_dimensions_max.
SobolDirections sobol_directions(std::size_t dimension);

// One coordinate of point `index` of the sequence in the order of Gray codes, in which it is
// published: the first 2^m points are a (t, m, s)-net for every m.
std::uint32_t sobol_coordinate(const SobolDirections& directions, std::uint32_t index);

}  // namespace hone
