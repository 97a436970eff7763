// The space of an Optuna study: the distributions of its trials, joined, with the conditions that
// the trials show.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sdk/cpp/import/import.hpp"
#include "server/search/space/search_space.hpp"
#include "server/upkeep/optuna_study.hpp"

namespace hone::cli {

class StudySpace {
 public:
  // Refuses a study without parameters, and distributions that hone does not know. `study` must
  // outlive the space.
  static Result<StudySpace> make(const upkeep::OptunaStudy& study);

  // The parameters of a sweep file.
  [[nodiscard]] const Json& parameters() const { return parameters_; }
  // The rest of the sweep file that the translation of the distributions gives.
  [[nodiscard]] const Json& sweep() const { return import_.sweep; }
  // Sentences on what has another meaning in hone.
  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }

  // The parameters of a trial in the order of the space, each with the member that it means.
  [[nodiscard]] Json params_of(const upkeep::OptunaTrial& trial) const;
  // Empty if the parameters lie in the space.
  [[nodiscard]] std::string why_outside(const Json& params) const;

 private:
  explicit StudySpace(const upkeep::OptunaStudy& study) : study_(&study) {}
  Status join_distributions();
  Status infer_conditions();
  void note_translation();
  [[nodiscard]] Json value_of(const upkeep::OptunaParam& param) const;
  [[nodiscard]] Json as_members(Json given) const;

  const upkeep::OptunaStudy* study_;
  ImportedSpec import_;
  Json parameters_ = Json::object();
  SearchSpace space_;
  std::map<std::string, std::string> names_;  // theirs -> hone's
  std::vector<std::string> remarks_;
};

}  // namespace hone::cli
