// The one reader of numbers that programs print and people type. Pure; independent of the locale.
#pragma once

#include <optional>
#include <string_view>

namespace hone {

// Returns the number that a text stands for; nullopt if it is none or can be read in two ways.
//
//   12  +12  -.5  5.  1.5E-1  1.5d-1     d is Fortran's exponent
//   1e400 = inf, 1e-400 = 0              as the nearest double
//   nan  NaN  -inf  Infinity             in any case
//   1_000  1,234.5  1,234,567            separators of thousands, where nothing else is meant
//   np.float64(0.25)  tensor(0.25, device='cuda:0')  array([0.25])  Decimal('0.25')  [0.25]  '0.25'
//   U+2212 is a minus
//
// No numbers are: 1,234 and 0,5 (a comma may be a decimal point), 12.5% (1/8 or 12.5?), 0x1p3, 1 2,
// True, None, and lists of several numbers.
std::optional<double> read_number(std::string_view text);

// As read_number, but nullopt for NaN and infinities.
std::optional<double> read_finite_number(std::string_view text);

// Whether a text states that there is no value: it is blank, None, null, NA, N/A, - or --.
bool is_no_value(std::string_view text);

}  // namespace hone
