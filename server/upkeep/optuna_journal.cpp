#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "server/upkeep/optuna_study.hpp"

namespace hone::upkeep {
namespace {

constexpr std::size_t line_bytes_max = 16 * 1024 * 1024;  // attributes may hold long texts

// The operations of a journal, by their op_code.
enum Operation {
  create_study = 0,
  delete_study = 1,
  create_trial = 4,
  set_trial_param = 5,
  set_trial_state_values = 6,
  set_trial_intermediate_value = 7,
  set_trial_user_attr = 8,
  set_trial_system_attr = 9,
  discard_trials = 10,
};

std::optional<double> finite(const Json& json) {
  if (!json.is_number() || !std::isfinite(json.get<double>())) return std::nullopt;
  return json.get<double>();
}

const Json& field(const Json& object, const char* name) {
  static const Json none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

std::optional<Instant> time_in(const Json& json) {
  return json.is_string() ? optuna_time(json.get<std::string>()) : std::nullopt;
}

class JournalReader {
 public:
  Status apply(const Json& line) {
    const Json& code = field(line, "op_code");
    if (!line.is_object() || !code.is_number_integer())
      return refuse(Code::invalid, "a line of a journal has an op_code");
    switch (code.get<std::int64_t>()) {
      case create_study:
        return add_study(line);
      case delete_study:
        return remove_study(line);
      case create_trial:
        return add_trial(line);
      case discard_trials:
        return refuse(Code::invalid, "the journal discards trials, which hone does not read");
      case set_trial_param:
      case set_trial_state_values:
      case set_trial_intermediate_value:
      case set_trial_user_attr:
      case set_trial_system_attr:
        return change_trial(line, code.get<std::int64_t>());
      default:
        return Done{};  // attributes of studies
    }
  }

  std::vector<OptunaStudy> studies() && {
    std::vector<OptunaStudy> kept;
    for (std::size_t i = 0; i < studies_.size(); ++i)
      if (!removed_[i]) kept.push_back(std::move(studies_[i]));
    for (OptunaStudy& study : kept)
      for (OptunaTrial& trial : study.trials) sort_steps(trial);
    return kept;
  }

 private:
  struct Place {
    std::size_t study;
    std::size_t trial;
  };

  // A later value of a step replaces an earlier one.
  static void sort_steps(OptunaTrial& trial) {
    auto& points = trial.intermediate;
    std::stable_sort(points.begin(), points.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto last = std::unique(points.rbegin(), points.rend(), [](const auto& a, const auto& b) {
                        return a.first == b.first;
                      }).base();
    points.erase(points.begin(), last);
  }

  Status add_study(const Json& line) {
    if (studies_.size() >= optuna_studies_max)
      return refuse(Code::too_large, "the journal has more than 1,000 studies");
    const Json& name = field(line, "study_name");
    OptunaStudy study{.name = name.is_string() ? name.get<std::string>() : ""};
    for (const Json& direction : field(line, "directions"))
      study.maximize.push_back(direction == 2);
    studies_.push_back(std::move(study));
    distributions_.emplace_back();
    removed_.push_back(false);
    return Done{};
  }

  Status remove_study(const Json& line) {
    const auto study = place(field(line, "study_id"), studies_.size());
    if (!study) return refuse(Code::invalid, "deletes a study that is not there");
    removed_[*study] = true;
    return Done{};
  }

  static std::optional<std::size_t> place(const Json& id, std::size_t size) {
    if (!id.is_number_unsigned() || id.get<std::size_t>() >= size) return std::nullopt;
    return id.get<std::size_t>();
  }

  Status add_trial(const Json& line) {
    const auto study = place(field(line, "study_id"), studies_.size());
    if (!study) return refuse(Code::invalid, "adds a trial to a study that is not there");
    if (places_.size() >= optuna_trials_max)
      return refuse(Code::too_large, "the journal has more than a million trials");
    auto& trials = studies_[*study].trials;
    places_.push_back({*study, trials.size()});
    trials.emplace_back();
    OptunaTrial& trial = trials.back();
    if (auto set = set_state(trial, line); !set) return set;
    if (const auto value = finite(field(line, "value"))) trial.values = {value};
    const Json& distributions = field(line, "distributions");
    for (const auto& [name, value] : field(line, "params").items())
      if (auto added = add_param(*study, trial, name, value, field(distributions, name.c_str()));
          !added)
        return added;
    for (const auto& [step, value] : field(line, "intermediate_values").items())
      add_point(*study, trial, std::atoll(step.c_str()), value);
    return Done{};
  }

  Status change_trial(const Json& line, std::int64_t code) {
    const auto found = place(field(line, "trial_id"), places_.size());
    if (!found) return refuse(Code::invalid, "changes a trial that is not there");
    const auto [study, number] = places_[*found];
    OptunaTrial& trial = studies_[study].trials[number];
    if (code == set_trial_state_values) return set_state(trial, line);
    if (code == set_trial_param) {
      const Json& name = field(line, "param_name");
      if (!name.is_string()) return refuse(Code::invalid, "a parameter has no name");
      return add_param(study, trial, name.get<std::string>(), field(line, "param_value_internal"),
                       field(line, "distribution"));
    }
    if (code == set_trial_intermediate_value) {
      const Json& step = field(line, "step");
      if (step.is_number_integer())
        add_point(study, trial, step.get<std::int64_t>(), field(line, "intermediate_value"));
      return Done{};
    }
    ++studies_[study].attributes;
    return Done{};
  }

  Status set_state(OptunaTrial& trial, const Json& line) {
    const Json& state = field(line, "state");
    if (!state.is_null()) {
      const auto number = place(state, 5);
      if (!number) return refuse(Code::invalid, "a trial has no state " + to_text(state));
      trial.state = static_cast<OptunaState>(*number);
    }
    if (const auto at = time_in(field(line, "datetime_start"))) trial.started = at;
    if (const auto at = time_in(field(line, "datetime_complete"))) trial.ended = at;
    if (const Json& values = field(line, "values"); values.is_array()) {
      trial.values.clear();
      for (const Json& value : values) trial.values.push_back(finite(value));
    }
    return Done{};
  }

  Status add_param(std::size_t study, OptunaTrial& trial, const std::string& name,
                   const Json& value, const Json& distribution) {
    const auto number = finite(value);
    if (!number || !distribution.is_string())
      return refuse(Code::invalid, "the parameter '" + name + "' has no number or distribution");
    const auto added = distributions_[study].add(studies_[study], distribution.get<std::string>());
    if (!added) return added.error();
    if (trial.params.size() >= optuna_params_max)
      return refuse(Code::too_large, "a trial has more than 1,000 parameters");
    trial.params.push_back({name, *number, *added});
    return Done{};
  }

  void add_point(std::size_t study, OptunaTrial& trial, std::int64_t step, const Json& json) {
    if (const auto value = finite(json))
      trial.intermediate.emplace_back(step, *value);
    else
      ++studies_[study].infinite;
  }

  std::vector<OptunaStudy> studies_;
  std::vector<bool> removed_;
  std::vector<Distributions> distributions_;
  std::vector<Place> places_;  // by trial_id
};

// Reads the next line without its end, and of a line that is too long only the first byte too many.
// Returns false at the end of the file.
bool read_line(std::istream& stream, std::string& line) {
  using Traits = std::istream::traits_type;
  line.clear();
  for (auto next = stream.rdbuf()->sbumpc(); next != Traits::eof();
       next = stream.rdbuf()->sbumpc()) {
    if (next == '\n') return true;
    line += Traits::to_char_type(next);
    if (line.size() > line_bytes_max) return true;
  }
  return !line.empty();
}

}  // namespace

Result<std::vector<OptunaStudy>> read_optuna_journal(const std::string& file) {
  std::ifstream stream(file);
  JournalReader reader;
  std::string line;
  for (std::size_t number = 1; read_line(stream, line); ++number) {
    const std::string at = "line " + std::to_string(number) + ": ";
    if (line.size() > line_bytes_max) return refuse(Code::too_large, at + "is longer than 16 MiB");
    auto json = parse_program_json(line);
    if (!json && stream.peek() == std::ifstream::traits_type::eof()) break;
    if (!json) return refuse(Code::invalid, at + json.error().detail);
    if (auto applied = reader.apply(*json); !applied)
      return refuse(applied.error().code, at + applied.error().detail);
  }
  return std::move(reader).studies();
}

}  // namespace hone::upkeep
