// The sweeps of a study on its server: found by name, submitted, read.
#pragma once

#include <functional>
#include <string>

#include "schemas/types/info.hpp"
#include "sdk/cli/session/session.hpp"
#include "study/results/recorded.hpp"

namespace hone::cli {

class StudyLedger : public study::RecordedStudy {
 public:
  // `patience`: for how long requests are repeated while the server does not answer.
  StudyLedger(Session& session, const study::Study& study, Duration patience = {});
  StudyLedger(const StudyLedger&) = delete;
  StudyLedger& operator=(const StudyLedger&) = delete;

  // What the program that runs the study is recorded as; without it nothing can be submitted.
  void record_code();
  // Records the study's document with its first sweep, for the server's page of the study.
  Status record_file(const Json& document);

  // Submits it unless it exists, and tags it: a study may have been killed in between.
  Result<std::string> submit(const Json& sweep, const study::Unit& unit, const char* role,
                             const std::string& origin);
  Status stop(const std::string& id);

 private:
  Result<Json> patiently(const std::function<Result<Json>()>& call);
  Result<Json> get(const std::string& path);
  Result<Json> post(const std::string& path, const Json& body);

  Session& session_;
  const study::Study& study_;
  Duration patience_;
  WorkflowInfo workflow_;
};

}  // namespace hone::cli
