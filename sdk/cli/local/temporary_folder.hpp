// A folder of this machine that is removed with the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/result.hpp"

namespace hone::cli {

class TemporaryFolder {
 public:
  // `name` begins the folder's name, for users who find one that was left: "hone-reproduce".
  // It is made in `parent`; empty: where temporary files belong.
  static Result<TemporaryFolder> make(const std::string& name, std::filesystem::path parent = {}) {
    std::error_code failure;
    if (parent.empty()) parent = std::filesystem::temp_directory_path(failure);
    std::string path = (parent / (name + "-XXXXXX")).string();
    if (failure || ::mkdtemp(path.data()) == nullptr)
      return refuse(Code::internal, "cannot make a temporary folder, " + path +
                                        "; set TMPDIR to a folder that can be written");
    return TemporaryFolder(std::move(path));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace hone::cli
