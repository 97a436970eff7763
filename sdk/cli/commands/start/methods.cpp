#include "sdk/cli/commands/start/methods.hpp"

#include <algorithm>

#include "schemas/codec/default_methods.hpp"
#include "schemas/types/methods.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/session/input.hpp"
#include "server/search/samplers/sampler.hpp"
#include "server/search/space/space.hpp"

namespace hone::cli {
namespace {

std::string method_name(const SweepSpec& spec) {
  std::string name = spec.terminator.rule;
  if (spec.search.method != drawing_method && spec.search.method != spec.terminator.rule)
    name = spec.search.method + "/" + name;
  return name;
}

// "eta=3,first_rung=2"
Status read_settings(std::string_view words, const std::string& whole, TerminatorSpec& rule) {
  while (!words.empty()) {
    const auto end = std::min(words.find(','), words.size());
    const std::string_view one = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    const auto equals = one.find('=');
    const bool named = equals != std::string_view::npos && equals > 0;
    const auto value = named ? parse_number(one.substr(equals + 1)) : std::nullopt;
    if (!value)
      return refuse(Code::invalid,
                    "method " + whole + ": '" + std::string(one) + "' is not NAME=NUMBER");
    rule.settings.emplace_back(std::string(one.substr(0, equals)), *value);
  }
  return Done{};
}

}  // namespace

Result<std::vector<Method>> read_methods(const SweepSpec& own,
                                         const std::vector<std::string>& against) {
  std::vector<Method> methods{{method_name(own), own}};
  for (const std::string& words : against) {
    SweepSpec spec = own;
    spec.search.settings.clear();
    spec.search.method = drawing_method;
    std::string_view rest = words;
    if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
      spec.search.method = rest.substr(0, slash);
      rest.remove_prefix(slash + 1);
    }
    const auto colon = std::min(rest.find(':'), rest.size());
    spec.terminator = {std::string(rest.substr(0, colon)), {}};
    // The rule hone comes with the search method hone.
    if (spec.terminator.rule == default_rule && words.find('/') == std::string::npos)
      spec.search.method = default_method;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    if (auto done = read_settings(rest, words, spec.terminator); !done) return done.error();
    choose_version(spec);
    methods.push_back({words, std::move(spec)});
  }
  return methods;
}

std::vector<std::string> leave_out_without_warm_start(std::vector<Method>& methods) {
  std::vector<std::string> remarks;
  const SweepSpec& own = methods.front().spec;
  const auto space = SearchSpace::make(own.parameters, own.constraints);
  if (!space) return remarks;  // the simulation refuses it
  const auto takes_none = [&](const Method& method) {
    SearchSpec search = method.spec.search;
    search.warm_start = {SweepId{1}};
    const auto made = make_sampler(search, *space);
    if (made || made.error().at != "/search/warm_start") return false;
    remarks.push_back("left out " + method.name + ": " + made.error().detail);
    return true;
  };
  methods.erase(std::remove_if(methods.begin() + 1, methods.end(), takes_none), methods.end());
  return remarks;
}

}  // namespace hone::cli
