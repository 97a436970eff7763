// What the processes of this worker said and the server has not acknowledged, on disk: a worker
// that was killed delivers it when it is started again with the same folder.
//
// One file a lease, DATA/spool/le_5: the grant, then a line for each thing said. Everything in it
// may be said again: the server knows a report by its phase, a checkpoint by its content, a metric
// point by its step. When all is acknowledged, the file is begun anew.
//
// Written by write(2), not synced: it survives the death of the worker, not that of the machine,
// whose processes die with it and whose runs go on from the last checkpoint that the server has.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "worker/agent/limits.hpp"
#include "worker/agent/words.hpp"

namespace hone::worker {

class Spool {
 public:
  // Throws std::filesystem::filesystem_error when the folder cannot be made.
  explicit Spool(const std::string& data, std::int64_t bytes_max = limits::spool_bytes_max);

  // What earlier processes left, once; their files stay. A file that cannot be read is dropped, and
  // `dropped` says which.
  std::vector<Recovered> recover(std::vector<std::string>& dropped);

  // Each refuses with internal and a sentence when the disk does not take it; then the rest of this
  // lease is not spooled.
  Status open(const LeaseGrant& grant);
  Status append(LeaseId lease, const TrialLine& line);
  Status append(const Exited& exited);

  // All that was said so far is acknowledged.
  Status delivered(LeaseId lease, int next_phase);
  // Nothing more will be said.
  void close(LeaseId lease);

 private:
  struct File {
    FileHandle handle;
    LeaseGrant grant;
    std::int64_t bytes = 0;
  };
  Status write(File& file, const std::string& text);
  [[nodiscard]] std::string path_of(LeaseId lease) const;

  std::string folder_;
  std::int64_t bytes_max_;
  std::int64_t bytes_ = 0;  // of all files
  std::map<LeaseId, File> files_;
};

}  // namespace hone::worker
