// Pieces of bodies that several codecs share. Internal to schemas/codec.
#pragma once

#include "schemas/codec/rules.hpp"
#include "schemas/types/event.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/types/wire.hpp"

namespace hone::codec {

// Rules, to be handed to Fields::need and its siblings.
Value read_value(const Spot& spot);
Value read_setting(const Spot& spot);  // as above, but no text that was meant as a number
Params read_params(const Spot& spot);
Score read_score(const Spot& spot);
Objective read_objective(const Spot& spot);
BudgetSpec read_budget(const Spot& spot);
ResourcesSpec read_resources(const Spot& spot);
WorkflowInfo read_workflow(const Spot& spot);
DatasetInfo read_dataset(const Spot& spot);
Scopes read_scopes(const Spot& spot);
Verdict read_verdict(const Spot& spot);
Verdict read_verdict_fields(Fields& fields);                    // where it stands among others
SweepSpec read_sweep_spec(const Spot& spot);                    // spec_codec.cpp
Space read_space(const Spot& spot);                             // space_codec.cpp
CommandTrainer read_command(const Spot& spot);                  // command_codec.cpp
std::vector<std::string> read_command_words(const Spot& spot);  // a list, or one line
// What a command takes from the rest of its sweep: the columns of the objectives are called as they
// are. Refuses each "${name}" that is no parameter, and columns that are not one for each
// objective.
void settle_command(const Spot& spot, const SweepSpec& spec, CommandTrainer& trainer);

Json encode_scopes(Scopes scopes);
Json encode_scores(const std::vector<Score>& scores);
Json encode_objective(const Objective& objective);
Json encode_budget(const BudgetSpec& budget);
Json encode_resources(const ResourcesSpec& resources);
Json encode_space(const Space& space);  // space_codec.cpp
Json encode_command(const CommandTrainer& trainer);

// The id as a text, or null.
template <class Id>
Json encode_optional(const std::optional<Id>& id) {
  return id ? Json(text(*id)) : Json(nullptr);
}

// Runs a rule over a whole document. Answers its value or the first fault, placed under `at`.
template <class Read>
auto decode_with(const Json& document, Read read, std::string_view at = {},
                 Fault fault = Fault::of_request()) {
  auto value = read(Spot{document, Place(at), fault});
  return fault.settle(std::move(value));
}

// The id by which a repeated request finds its first answer. Refuses the beginnings of the ids that
// the server itself makes, or one client's id could stand for another's.
std::string read_request_id(const Spot& spot);

// The name of a file that a run left.
std::string read_artifact_name(const Spot& spot);

// Bounds that the words themselves have. per_run times phases must fit 64 bits.
inline constexpr std::int64_t per_run_max = 100'000'000'000'000;
inline constexpr int phases_max = 10'000;
inline constexpr int slots_max = 4096;
inline constexpr int concurrency_max = 1'000'000;
inline constexpr std::size_t name_max = 100;
inline constexpr int seeds_max = 1000;
inline constexpr int confirm_top_max = 100;
inline constexpr std::size_t instances_max = 1000;
inline constexpr std::size_t objectives_max = 8;  // beyond it nearly every trial is a trade-off

}  // namespace hone::codec
