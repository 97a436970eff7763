#include "schemas/types/methods.hpp"

#include <algorithm>
#include <array>

namespace hone {
namespace {

constexpr std::array traits{
    MethodTraits{.name = "pbt",
                 .own_rule = "pbt",
                 .trials_by = "population",
                 .population = true,
                 .takes_factors = true},
    MethodTraits{.name = "pb2",
                 .own_rule = "pbt",
                 .trials_by = "population",
                 .population = true,
                 .models_forks = true},
    MethodTraits{.name = "dehb", .own_rule = "dehb", .shared = "eta", .shared_default = 3},
    MethodTraits{.name = enqueued_method, .takes_command = true},
};

}  // namespace

std::span<const MethodTraits> method_traits() { return traits; }

MethodTraits traits_of(std::string_view method) {
  const auto row = std::ranges::find(traits, method, &MethodTraits::name);
  return row == traits.end() ? MethodTraits{.name = method} : *row;
}

}  // namespace hone
