// The code of a run as lineage names it. Thread-safe.
#pragma once

#include "sdk/cpp/client.hpp"
#include "sdk/cpp/code_record.hpp"
#include "worker/agent/messages.hpp"

namespace hone::worker {

class CodeRecorder {
 public:
  // Finds the code and sends it, and the texts behind its digests, to the server; after the end of
  // an attempt only if it has changed. Returns it.
  Result<WorkflowInfo> record(Client& client, const RecordCode& call);

  // What `record` sends. Of a trainer of hone: its build, not the folder that it runs in.
  std::pair<WorkflowInfo, WorkflowTexts> find(const RecordCode& call);

 private:
  EnvironmentRecorder environments_;
};

}  // namespace hone::worker
