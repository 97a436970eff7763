// Whether a program opened a file that has its parameters.
#pragma once

#include <string>
#include <vector>

#include "base/files.hpp"
#include "schemas/types/wire.hpp"
#include "worker/process/environment.hpp"

namespace hone::worker {

// Watches the files by inotify, which counts an open() by any process of this kernel, in containers
// too, whatever the options of the mount. Create it after the files are written.
class ParamsWatch {
 public:
  // Watches nothing if a word, a variable or the trainer carries every parameter.
  ParamsWatch(const LeaseGrant& grant, const TrialPlaces& places);

  // A sentence if parameters travel only in the files and no process opened one; empty otherwise,
  // and where the kernel has no watch left (fs.inotify.max_user_instances).
  [[nodiscard]] std::string unread() const;

 private:
  std::vector<std::string> unpassed_;
  FileHandle events_{};
};

}  // namespace hone::worker
