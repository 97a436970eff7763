// A folder of this machine that is removed with the object, or with this process if a signal ends
// it. Only the user's own account can read it.
#pragma once

#include <filesystem>
#include <string>

#include "base/files.hpp"
#include "base/result.hpp"

namespace hone::cli {

class TemporaryFolder {
 public:
  // `name` begins the folder's name, for users who find one that was left: "hone-reproduce".
  // It is made in `parent`; empty: where temporary files belong.
  static Result<TemporaryFolder> make(const std::string& name, std::filesystem::path parent = {});
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder(std::string path, FileHandle life);

  std::filesystem::path path_;
  FileHandle life_;  // closed by the end of this process, whatever ends it
};

}  // namespace hone::cli
