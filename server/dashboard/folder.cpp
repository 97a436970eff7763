#include "server/dashboard/folder.hpp"

#include <fstream>
#include <sstream>
#include <system_error>

namespace hone::dashboard {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<SourceFile> files_of(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::vector<SourceFile> files;
  std::error_code trouble;
  for (fs::recursive_directory_iterator at(folder, trouble), end; !trouble && at != end;
       at.increment(trouble)) {
    std::error_code no_file;
    const auto bytes = at->file_size(no_file);
    if (!no_file && bytes <= file_bytes_max)
      files.push_back(
          {at->path().lexically_relative(folder).generic_string(), text_of(at->path())});
  }
  return files;
}

}  // namespace hone::dashboard
