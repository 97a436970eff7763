// A quadratic by least squares, and where it is least.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace hone {

// 1, every coordinate, and every product of two or only the squares.
enum class Terms { products, squares };

std::size_t term_count(std::size_t size, Terms kind);

double length_of(std::span<const double> step);

// Returns the minimum within the unit ball of the quadratic that has these losses at these steps,
// which are equally long and more than it has terms. Returns nullopt if a larger share than
// `unexplained_max` of the variance of the losses is left.
std::optional<std::vector<double>> least_step(const std::vector<std::vector<double>>& steps,
                                              std::span<const double> losses, Terms kind,
                                              double unexplained_max);

}  // namespace hone
