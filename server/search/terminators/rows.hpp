// The makers that terminators/table.cpp lists, and what several rules need.
#pragma once

#include <optional>
#include <string_view>

#include "server/search/terminator.hpp"

namespace hone {

Result<std::unique_ptr<Terminator>> make_none(const TerminatorSpec& spec, const Plan& plan);
Result<std::unique_ptr<Terminator>> make_hypertrick(const TerminatorSpec& spec, const Plan& plan);

// nullopt where the sweep file does not set it.
std::optional<double> setting(const TerminatorSpec& spec, std::string_view name);
// Refuses a setting that is not among `known`.
Status only_settings(const TerminatorSpec& spec, std::span<const std::string_view> known);
// The recorded input of that name. Precondition: the rule records it.
double input(const std::vector<VerdictInput>& inputs, std::string_view name);

}  // namespace hone
