#include "worker/process/artifacts.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/wire.hpp"
#include "worker/agent/glob.hpp"
#include "worker/agent/limits.hpp"

namespace hone::worker {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t files_max = 1'000'000;

// Calls each(path) until it returns false. Skips what is removed meanwhile.
template <class Each>
void walk(const std::string& folder, Each each) {
  std::error_code failure;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                      failure);
  for (std::int64_t seen = 0; !failure && at != fs::recursive_directory_iterator();
       at.increment(failure))
    if (++seen > files_max || !each(at->path())) return;
}

// Whether the server takes a file of this name. It refused the others together with one that it
// does not take, such as one with a line end.
bool is_taken(const std::string& name) {
  const Json document{{"name", name}, {"sha256", std::string(64, '0')}, {"bytes", 0}};
  const auto sent = parse_json(to_text(document));  // what is no UTF-8 would be replaced
  return sent && *sent == document && decode_request<SaveArtifactRequest>(document).ok();
}

}  // namespace

std::int64_t folder_bytes(const std::string& folder, std::int64_t enough) {
  constexpr std::int64_t block_bytes = 512;
  std::int64_t bytes = 0;
  std::int64_t files = 0;
  walk(folder, [&](const fs::path& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) == 0) bytes += info.st_blocks * block_bytes;
    if (++files == files_max) bytes = enough + 1;
    return bytes <= enough;
  });
  return bytes;
}

Artifacts find_artifacts(const std::string& folder, const std::vector<std::string>& patterns,
                         const std::vector<std::string>& except) {
  std::vector<Artifact> found;
  std::size_t left_out = 0;
  walk(folder, [&](const fs::path& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return true;
    const std::string name = path.string().substr(folder.size() + 1);
    if (std::ranges::any_of(except, [&](const auto& one) { return name.starts_with(one + "/"); }))
      return true;
    const bool wanted = std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) {
      return matches_glob(pattern, name);
    });
    if (wanted && S_ISREG(info.st_mode))
      found.push_back({path.string(), name});
    else if (wanted && S_ISLNK(info.st_mode))
      ++left_out;
    return true;
  });
  std::sort(found.begin(), found.end(),
            [](const Artifact& a, const Artifact& b) { return a.name < b.name; });
  Artifacts files;
  std::int64_t bytes = 0;
  for (auto& one : found) {
    std::error_code failure;
    const auto size = static_cast<std::int64_t>(fs::file_size(one.path, failure));
    const bool fits = !failure && files.kept.size() < limits::artifacts_max &&
                      bytes + size <= limits::artifact_bytes_max &&
                      one.name.size() <= limits::artifact_name_bytes_max && is_taken(one.name);
    if (!fits) {
      ++left_out;
      continue;
    }
    bytes += size;
    files.kept.push_back(std::move(one));
  }
  if (left_out > 0)
    files.left_out = counted(left_out, "file") +
                     " of its artifacts not kept: at most 100 of 1 GiB together are, no links, and "
                     "no names with control characters";
  return files;
}

}  // namespace hone::worker
