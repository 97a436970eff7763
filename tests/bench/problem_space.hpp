// Spaces of the functions on which methods are compared, and points of them as their arguments.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "schemas/types/space.hpp"
#include "server/search/space/search_space.hpp"

namespace hone::bench {

// One value a parameter, in file order: a choice as its index, an inactive one as NaN.
using Values = std::span<const double>;

double squared(double x);

FloatDomain real(double min, double max, Scale scale = Scale::linear);
IntDomain whole(std::int64_t min, std::int64_t max, Scale scale = Scale::linear);
// Choices 0, 1, ...
ChoiceDomain among(std::int64_t size);

// Parameters x0, x1, ...; `when` may be shorter than `domains`.
Space space_of(const std::vector<Domain>& domains, const std::vector<std::string>& when = {});

// Precondition: all values are numbers.
std::vector<double> values_of(const SearchSpace& space, std::span<const double> point);

}  // namespace hone::bench
