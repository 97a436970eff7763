// The folder of one attempt: run file, socket, checkpoints, files. Removed with the object.
#pragma once

#include <string>

#include "base/result.hpp"
#include "schemas/types/wire.hpp"
#include "worker/process/environment.hpp"

namespace hone::worker {

class RunFolder {
 public:
  // Creates DATA/runs/rn_42.0#1 (rn_42.0#1-le_5 if that is in use) and writes the run file. Moves
  // the checkpoint to continue from, if any, into it, and the folders in `inputs_path` to the run's
  // files. Fails with internal if the disk does not allow it.
  static Result<RunFolder> make(const std::string& data, const LeaseGrant& grant,
                                const std::string& resume_path,
                                const std::string& inputs_path = {});

  // The folder that an earlier process of this worker created.
  static RunFolder adopt(const std::string& data, const LeaseGrant& grant);

  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();

  [[nodiscard]] const TrialPlaces& places() const { return places_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  // The absolute path of a checkpoint, given as its process named it. Fails with invalid, at
  // /checkpoint/path, if it is outside the checkpoint folder (links followed) or not a file.
  [[nodiscard]] Result<std::string> checkpoint(const std::string& name) const;

 private:
  RunFolder(std::string path, TrialPlaces places);

  std::string path_;
  TrialPlaces places_;
};

// The content of HONE_RUN_FILE.
std::string run_file_text(const LeaseGrant& grant, const std::string& resume_path);

}  // namespace hone::worker
