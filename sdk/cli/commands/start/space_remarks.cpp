#include "sdk/cli/commands/start/space_remarks.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/methods.hpp"
#include "schemas/types/search_spec.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/commands/look/fitting.hpp"
#include "server/search/space/search_space.hpp"

namespace hone::cli {
namespace {

// The number of parameter sets, if every parameter has few values: conditions and constraints make
// it smaller. nullopt: more than `most`.
std::optional<std::int64_t> sets_of(const SearchSpace& space, std::int64_t most) {
  std::int64_t sets = 1;
  for (const Dimension& dimension : space.dimensions()) {
    if (dimension.levels == 0 || dimension.levels > most / sets) return std::nullopt;
    sets *= dimension.levels;
  }
  return sets;
}

// As a program's arguments and variables hold it.
std::string word_of(const Value& value) {
  const Json json = encode(value);
  return json.is_string() ? json.get<std::string>() : to_text(json);
}

void remark_one_word(const Parameter& parameter, std::vector<std::string>& remarks) {
  const auto* choice = std::get_if<ChoiceDomain>(&parameter.domain);
  if (choice == nullptr) return;
  std::map<std::string, const Value*> known;
  for (const Value& value : choice->values)
    if (const auto [other, is_new] = known.emplace(word_of(value), &value); !is_new)
      remarks.push_back("the values " + to_text(encode(*other->second)) + " and " +
                        to_text(encode(value)) + " of '" + parameter.name +
                        "' are one word for a program: write one of them otherwise");
}

}  // namespace

std::vector<std::string> space_remarks(const SweepSpec& spec) {
  std::vector<std::string> remarks;
  for (const Parameter& parameter : spec.parameters) remark_one_word(parameter, remarks);
  const auto space = SearchSpace::make(spec.parameters, spec.constraints, WitnessSearch::brief);
  if (!space || is_population_method(spec.search.method)) return remarks;
  const auto sets = sets_of(*space, spec.search.trials);
  if (sets && *sets < spec.search.trials)
    remarks.push_back(counted(spec.search.trials, "trial") + " of " +
                      counted(*sets, "parameter set") +
                      ": sets are trained several times; write trials: " + std::to_string(*sets) +
                      ", or replicates: {seeds: N} for several seeds of each");
  return remarks;
}

std::int64_t useful_trials(const SweepSpec& spec, std::int64_t usual) {
  const auto space = SearchSpace::make(spec.parameters, spec.constraints, WitnessSearch::brief);
  return space ? sets_of(*space, usual).value_or(usual) : usual;
}

Result<std::vector<std::string>> warm_start_remarks(Session& session, const SweepSpec& spec) {
  std::vector<std::string> remarks;
  for (std::size_t i = 0; i < spec.search.warm_start.size(); ++i) {
    const std::string id = text(spec.search.warm_start[i]);
    const std::string at = "/search/warm_start/" + std::to_string(i);
    const auto row = session.get("/v1/sweeps/" + id);
    if (!row && row.error().code == Code::not_found)
      return refuse(Code::not_found, row.error().detail, at);
    const auto found = row ? count_fitting(session, id, spec) : std::nullopt;
    if (!found) continue;
    if (found->fits_none())
      return refuse(Code::invalid, fitting_text(*found, id) + ": nothing would be learned", at);
    remarks.push_back("warm start: " + fitting_text(*found, id));
  }
  return remarks;
}

}  // namespace hone::cli
