// The lines of trial processes that the server has not acknowledged, on disk: a worker that was
// killed delivers them when it is started again with the same folder.
//
// One file per lease, DATA/spool/le_5: the grant, then the lines, then the exit. Delivery is
// idempotent: the server identifies a report by its phase, a checkpoint by its content, a metric
// point by its step. The file is written from the start again when everything is acknowledged.
//
// Written by write(2) without fsync: it survives the death of the worker, not of the machine. Then
// the processes are dead, too, and the runs continue from the last checkpoint on the server.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "worker/agent/limits.hpp"
#include "worker/agent/messages.hpp"

namespace hone::worker {

class Spool {
 public:
  // Throws std::filesystem::filesystem_error if the folder cannot be created.
  explicit Spool(const std::string& data, std::int64_t bytes_max = limits::spool_bytes_max);

  // Reads what earlier processes left; their files stay. Removes files that cannot be read and adds
  // their paths to `dropped`.
  std::vector<Recovered> recover(std::vector<std::string>& dropped);

  // These fail with internal if the file cannot be written. Without open(), they do nothing.
  Status open(const LeaseGrant& grant);
  Status append(LeaseId lease, const TrialLine& line);
  Status append(const Exited& exited);

  // The server has acknowledged every line so far.
  Status delivered(LeaseId lease, int next_phase);
  // Removes the file: the lease is over.
  void close(LeaseId lease);
  // Instead of close(): moves the file to DATA/refused and returns its path, or removes it and
  // returns nothing if it holds no line. Fails with internal if it cannot be moved or
  // limits::refused_bytes_max are kept there already.
  Result<std::optional<std::string>> close_refused(LeaseId lease);

 private:
  struct File {
    FileHandle handle;
    LeaseGrant grant;
    std::int64_t bytes = 0;
  };
  Status write(File& file, const std::string& text);
  [[nodiscard]] std::string path_of(LeaseId lease) const;

  std::string folder_;
  std::string refused_;  // the folder of close_refused
  std::int64_t bytes_max_;
  std::int64_t bytes_ = 0;  // of all files
  std::map<LeaseId, File> files_;
};

}  // namespace hone::worker
