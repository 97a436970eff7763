#include "sdk/cli/local/dataset.hpp"

#include <filesystem>
#include <map>

#include "base/sha256.hpp"
#include "sdk/cli/local/workflow.hpp"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

Error unreadable(const std::string& word, const std::string& why) {
  return refuse(Code::invalid, "--dataset " + word + ": " + why);
}

std::string name_of(const fs::path& path) {
  const auto whole = fs::absolute(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

std::string location_of(const std::string& word) {
  return host_name() + ":" + fs::absolute(word).lexically_normal().string();
}

// Does not follow links: their targets may differ between machines.
Result<std::string> digest_of_folder(const std::string& word) {
  std::map<std::string, fs::path> files;
  std::error_code trouble;
  for (fs::recursive_directory_iterator at(word, trouble), end; !trouble && at != end;
       at.increment(trouble))
    if (at->is_regular_file(trouble) && !at->is_symlink(trouble))
      files.emplace(at->path().lexically_relative(word).generic_string(), at->path());
  if (trouble) return unreadable(word, "cannot be read: " + trouble.message());
  if (files.empty()) return unreadable(word, "this folder holds no files");
  std::string sums;
  for (const auto& [name, path] : files) {
    const auto digest = digest_of_file(path.string());
    if (!digest) return unreadable(word, digest.error().detail);
    sums += digest->sha256 + "  " + name + "\n";
  }
  return sha256_hex(sums);
}

Result<DatasetInfo> named_dataset(const std::string& word) {
  const auto equals = word.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
    return unreadable(word, "no such file or folder; or write NAME=DIGEST");
  const std::string name = word.substr(0, equals);
  const auto at = name.rfind('@');
  if (at == std::string::npos || at == 0) return DatasetInfo{name, "", word.substr(equals + 1)};
  return DatasetInfo{name.substr(0, at), name.substr(at + 1), word.substr(equals + 1)};
}

}  // namespace

Result<DatasetInfo> dataset_of(const std::string& word) {
  std::error_code absent;
  if (fs::is_directory(word, absent)) {
    auto digest = digest_of_folder(word);
    if (!digest) return digest.error();
    return DatasetInfo{name_of(word), "", *std::move(digest), location_of(word)};
  }
  if (!fs::is_regular_file(word, absent)) return named_dataset(word);
  auto digest = digest_of_file(word);
  if (!digest) return unreadable(word, digest.error().detail);
  return DatasetInfo{name_of(word), "", std::move(digest->sha256), location_of(word)};
}

}  // namespace hone::cli
