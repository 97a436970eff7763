// What every room must know of a search method without running it. What it does is a row of
// server/search/samplers/table.cpp, and what a rule does one of terminators/table.cpp; a method
// without traits has no row here.
#pragma once

#include <span>
#include <string_view>

namespace hone {

struct MethodTraits {
  std::string_view name;
  // The rule that belongs to it: it takes no other, and no other method takes this rule.
  std::string_view own_rule{};
  std::string_view trials_by{};  // its setting that counts the trials
  std::string_view shared{};     // its setting that the rule has as well, with the same value
  double shared_default = 0;     // where the sweep file does not set it
  // Trials are members, which continue from each other's checkpoints.
  bool population = false;
  bool models_forks = false;   // a model of the members' gains chooses what a fork trains with
  bool takes_factors = false;  // search.perturb
  bool takes_command = false;  // search.command: a program of the user proposes
};

std::span<const MethodTraits> method_traits();
// Returns the row of the method; one without traits where it has none.
MethodTraits traits_of(std::string_view method);
inline bool is_population_method(std::string_view method) { return traits_of(method).population; }

// The rule under which every run trains to the end of its budget.
inline constexpr std::string_view rule_none = "none";
// What a sweep file that names neither method nor rule means, and one of several objectives.
inline constexpr std::string_view default_method = "hone";
inline constexpr std::string_view default_rule = "hone";
inline constexpr std::string_view default_method_of_several = "tpe";
// Independent draws: the method of sweeps whose parameter sets are given.
inline constexpr std::string_view drawing_method = "random";
// The method that proposes nothing by itself: its parameter sets are enqueued.
inline constexpr std::string_view enqueued_method = "external";

}  // namespace hone
