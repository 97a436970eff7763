// One parameter of a sweeper of Hydra: an override as on the command line
// ("tag(log, interval(1e-5, 1))"), a list, or an object.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/import/draft.hpp"

namespace hone {

enum class HydraSweeper { basic, optuna, ax, nevergrad };

// The stop of range() is left out, except by the Optuna sweeper; an interval between two ints has
// ints only. `at` is the pointer of the entry. Returns nothing for an entry without a translation.
std::optional<Translated> hydra_parameter(const Json& entry, const std::string& at,
                                          HydraSweeper sweeper, std::vector<Untranslated>& lost);

}  // namespace hone
