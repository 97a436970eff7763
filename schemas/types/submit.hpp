// The request that submits a sweep: the only one that holds a whole SweepSpec.
#pragma once

#include <optional>
#include <string>

#include "schemas/types/ids.hpp"
#include "schemas/types/info.hpp"
#include "schemas/types/spec.hpp"

namespace hone {

struct SubmitRequest {
  std::string request_id;  // the same id again returns the same sweep
  SweepSpec spec;
  WorkflowInfo workflow;
  std::optional<SweepId> forked_from{};
  std::optional<DatasetInfo> dataset{};  // absent: the trainer's environment, where it has one
};

}  // namespace hone
