// The folder of one attempt: run file, socket, checkpoints. Removed with the object.
#pragma once

#include <string>

#include "base/result.hpp"
#include "schemas/types/wire.hpp"
#include "worker/process/environment.hpp"

namespace hone::worker {

class RunFolder {
 public:
  // Makes DATA/runs/rn_42.0#1 and writes the run file. The checkpoint to continue from, if any, is
  // linked into it, so that the cache may forget it. Refuses with internal and a sentence when the
  // disk does not allow it.
  static Result<RunFolder> make(const std::string& data, const LeaseGrant& grant,
                                const std::string& resume_path);

  // The one that an earlier process of this worker made.
  static RunFolder adopt(const std::string& data, const LeaseGrant& grant);

  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();

  [[nodiscard]] const TrialPlaces& places() const { return places_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  // The absolute path of a checkpoint as its process named it. Refuses with invalid, at
  // /checkpoint/path, what is outside the checkpoint folder (links followed) or no file.
  [[nodiscard]] Result<std::string> checkpoint(const std::string& name) const;

 private:
  RunFolder(std::string path, TrialPlaces places);

  std::string path_;
  TrialPlaces places_;
};

// The JSON of HONE_RUN_FILE.
std::string run_file_text(const LeaseGrant& grant, const std::string& resume_path);

}  // namespace hone::worker
