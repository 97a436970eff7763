// The sweeps of a study on its server: found by name, submitted, read.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "schemas/types/info.hpp"
#include "sdk/cli/session/session.hpp"
#include "study/results/outcome.hpp"

namespace hone::cli {

class StudyLedger {
 public:
  // `patience`: for how long requests are repeated while the server does not answer.
  StudyLedger(Session& session, const study::Study& study, Duration patience = {})
      : session_(session), study_(study), patience_(patience) {}

  // Lists the sweeps of the study that exist. Call first.
  Status refresh();
  // What the program that runs the study is recorded as; without it nothing can be submitted.
  void record_code();

  // The id of the sweep that has the name of this document.
  [[nodiscard]] std::optional<std::string> find(const Json& sweep) const;
  // Submits it unless it exists, and tags it: a study may have been killed in between.
  Result<std::string> submit(const Json& sweep, const study::Unit& unit, const char* role,
                             const std::string& origin);
  // The row of a sweep.
  Result<Json> row(const std::string& id);
  Status stop(const std::string& id);

  // What the tuning sweep, which has ended, gave; without the value of the test.
  Result<study::Outcome> tuned(const study::Unit& unit, const Json& row);
  // The mean of the new seeds; nullopt if one has none.
  Result<std::optional<double>> fresh(const std::string& id);
  // The whole outcome of a unit, if its sweeps have ended.
  Result<std::optional<study::Outcome>> outcome(const study::Unit& unit);

 private:
  Result<Json> patiently(const std::function<Result<Json>()>& call);
  Result<Json> get(const std::string& path);
  Result<Json> post(const std::string& path, const Json& body);

  Session& session_;
  const study::Study& study_;
  Duration patience_;
  WorkflowInfo workflow_;
  std::map<std::string, std::string> ids_;  // by name
};

}  // namespace hone::cli
