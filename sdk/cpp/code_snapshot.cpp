#include "sdk/cpp/code_snapshot.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "base/files.hpp"
#include "schemas/codec/json.hpp"
#include "sdk/cpp/code_record.hpp"
#include "sdk/cpp/git.hpp"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr int format = 1;
constexpr std::size_t path_bytes_max = 1000;
constexpr std::size_t link_bytes_max = 1000;

enum class EntryKind { file, program, link };

struct Entry {
  std::string path;
  EntryKind kind = EntryKind::file;
  std::int64_t bytes = 0;
  std::string target{};  // of a link
};

Error too_large(const std::string& what) {
  return refuse(Code::invalid,
                what + ": a snapshot has at most " + std::to_string(snapshot_files_max) +
                    " files and " + std::to_string(snapshot_bytes_max >> 20U) +
                    " MiB; take data out of the repository, or leave out code: snapshot");
}

// A relative path whose leading ".." do not leave the folder of the snapshot. None may follow a
// name: the name may be a link to a folder at another depth.
bool stays_inside(const std::string& path, const std::string& target) {
  if (target.empty() || target.size() > link_bytes_max || target.front() == '/') return false;
  auto depth = std::count(path.begin(), path.end(), '/');
  bool named = false;
  for (const fs::path& part : fs::path(target)) {
    if (part.empty() || part == ".") continue;
    if (part == ".." && (named || --depth < 0)) return false;
    named = named || part != "..";
  }
  return named;
}

// Packing ---------------------------------------------------------------------------------------

std::vector<std::string> split_names(const std::string& listed) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < listed.size();) {
    const auto end = std::min(listed.find('\0', at), listed.size());
    names.push_back(listed.substr(at, end - at));
    at = end + 1;
  }
  std::ranges::sort(names);  // an unmerged file is listed several times
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

class Packer {
 public:
  explicit Packer(const std::string& folder) : root_(fs::canonical(folder, failure_)) {}

  Status add(const std::string& name) {
    const fs::path path = root_ / name;
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return Done{};  // deleted, but tracked
    if (!is_inner_path(name) || name.size() > path_bytes_max || !is_text(name))
      return leave_out(name, "a name that is no text");
    if (!is_inside(path.parent_path())) return leave_out(name, "its folder is a link that leaves");
    if (S_ISLNK(info.st_mode)) return add_link(name, path);
    if (S_ISDIR(info.st_mode)) return leave_out(name, "a submodule");
    if (!S_ISREG(info.st_mode)) return leave_out(name, "no file");
    return add_file(name, path, (info.st_mode & S_IXUSR) != 0);
  }

  Result<PackedSnapshot> take(const WorkflowInfo& info, std::string patch) {
    if (entries_.empty())
      return refuse(Code::invalid, "git tracks no file of " + root_.string() + ": git add them");
    Json line{{"hone_snapshot", format},
              {"git_commit", info.git_commit},
              {"git_branch", info.git_branch},
              {"patch_bytes", patch.size()},
              {"files", Json::array()}};
    for (const Entry& entry : entries_) line["files"].push_back(json_of(entry));
    PackedSnapshot packed{to_text(line) + "\n", entries_.size(), std::move(patch),
                          std::move(left_out_)};
    if (packed.bytes.size() > snapshot_line_bytes_max) return too_large("the names are too long");
    packed.bytes += packed.patch + bytes_;
    if (static_cast<std::int64_t>(packed.bytes.size()) > snapshot_bytes_max)
      return too_large(root_.string() + " is too large");
    return packed;
  }

 private:
  static bool is_text(const std::string& name) {
    return Json(name).dump(-1, ' ', false, Json::error_handler_t::replace).find("\xEF\xBF\xBD") ==
           std::string::npos;
  }

  static Json json_of(const Entry& entry) {
    Json json{{"path", entry.path}};
    if (entry.kind == EntryKind::link) {
      json["link"] = entry.target;
      return json;
    }
    json["bytes"] = entry.bytes;
    if (entry.kind == EntryKind::program) json["program"] = true;
    return json;
  }

  bool is_inside(const fs::path& folder) {
    const fs::path real = fs::canonical(folder, failure_);
    return !failure_ &&
           std::mismatch(root_.begin(), root_.end(), real.begin(), real.end()).first == root_.end();
  }

  Status leave_out(const std::string& name, const char* why) {
    left_out_.push_back(name + " (" + why + ")");
    return Done{};
  }

  Status add_link(const std::string& name, const fs::path& path) {
    const std::string target = fs::read_symlink(path, failure_);
    if (failure_ || !stays_inside(name, target) || !is_text(target))
      return leave_out(name, "a link that leaves the folder");
    return add({name, EntryKind::link, 0, target});
  }

  Status add_file(const std::string& name, const fs::path& path, bool program) {
    const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat info {};
    if (!file || ::fstat(file.fd(), &info) != 0 || !S_ISREG(info.st_mode))
      return refuse(Code::invalid, path.string() + " cannot be read");
    if (info.st_size > snapshot_bytes_max - static_cast<std::int64_t>(bytes_.size()))
      return too_large(root_.string() + " with " + name + " is too large");
    const std::string content = read_to_end(file);
    bytes_ += content;
    return add({name, program ? EntryKind::program : EntryKind::file,
                static_cast<std::int64_t>(content.size())});
  }

  Status add(Entry entry) {
    entries_.push_back(std::move(entry));
    if (entries_.size() > snapshot_files_max) return too_large("git tracks too many files");
    return Done{};
  }

  std::error_code failure_{};
  fs::path root_;
  std::vector<Entry> entries_{};
  std::vector<std::string> left_out_{};
  std::string bytes_{};
};

// Unpacking -------------------------------------------------------------------------------------

Error damaged(const std::string& why) {
  return refuse(Code::invalid, "the snapshot of the code cannot be unpacked: " + why);
}

Error cannot_write(const fs::path& path) {
  return refuse(Code::internal, path.string() + " cannot be written: is the disk full?");
}

std::string snapshot_text(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t snapshot_count(const Json& json, const char* key) {
  const auto found = json.find(key);
  const bool is_count = found != json.end() && found->is_number_integer() && *found >= 0 &&
                        *found <= snapshot_bytes_max;
  return is_count ? found->get<std::int64_t>() : -1;
}

Result<Entry> entry_of(const Json& json) {
  if (!json.is_object()) return damaged("a file is described by no object");
  Entry entry{snapshot_text(json, "path")};
  if (!is_inner_path(entry.path) || entry.path.size() > path_bytes_max)
    return damaged("the name of a file leads out of its folder");
  if (json.contains("link")) {
    entry.kind = EntryKind::link;
    entry.target = snapshot_text(json, "link");
    if (stays_inside(entry.path, entry.target)) return entry;
    return damaged("the link " + entry.path + " leads out of its folder");
  }
  if (json.contains("program")) entry.kind = EntryKind::program;
  entry.bytes = snapshot_count(json, "bytes");
  if (entry.bytes < 0) return damaged("the size of " + entry.path + " is no number");
  return entry;
}

struct Manifest {
  SnapshotOrigin origin;
  std::vector<Entry> entries;
};

// `rest` becomes what follows the patch: exactly the bytes of the files.
Result<Manifest> read_manifest(std::string_view bytes, std::string_view& rest) {
  if (static_cast<std::int64_t>(bytes.size()) > snapshot_bytes_max) return damaged("its size");
  const auto end = bytes.substr(0, snapshot_line_bytes_max).find('\n');
  if (end == std::string_view::npos) return damaged("it has no first line");
  const auto line = parse_json(std::string(bytes.substr(0, end)));
  if (!line || !line->is_object() || snapshot_count(*line, "hone_snapshot") != format ||
      !line->contains("files") || !line->at("files").is_array())
    return damaged("its first line is of another form");
  if (line->at("files").size() > snapshot_files_max) return damaged("it has too many files");
  Manifest manifest{{snapshot_text(*line, "git_commit"), snapshot_text(*line, "git_branch")}, {}};
  rest = bytes.substr(end + 1);
  std::int64_t expected = snapshot_count(*line, "patch_bytes");
  if (expected < 0 || expected > static_cast<std::int64_t>(rest.size()))
    return damaged("its patch");
  manifest.origin.patch = rest.substr(0, static_cast<std::size_t>(expected));
  rest.remove_prefix(manifest.origin.patch.size());
  expected = 0;
  for (const Json& one : line->at("files")) {
    auto entry = entry_of(one);
    if (!entry) return entry.error();
    expected += entry->bytes;
    manifest.entries.push_back(*std::move(entry));
  }
  if (expected != static_cast<std::int64_t>(rest.size())) return damaged("its sizes");
  return manifest;
}

// Creates the folders of all entries: no entry is written through a link.
Status make_folders(const fs::path& root, const std::vector<Entry>& entries) {
  std::set<std::string> folders{""};
  for (const Entry& entry : entries)
    for (std::size_t at = 0; (at = entry.path.find('/', at)) != std::string::npos; ++at) {
      folders.insert(entry.path.substr(0, at));
      if (folders.size() > snapshot_files_max) return damaged("it has too many folders");
    }
  for (const std::string& folder : folders)  // each after those above it
    if (::mkdir((root / folder).c_str(), 0700) != 0) return cannot_write(root / folder);
  return Done{};
}

Status write_entry(const fs::path& path, const Entry& entry, std::string_view content) {
  if (entry.kind == EntryKind::link)
    return ::symlink(entry.target.c_str(), path.c_str()) == 0
               ? Status(Done{})
               : damaged("two files are named " + entry.path);
  const mode_t mode = entry.kind == EntryKind::program ? 0700 : 0600;
  const FileHandle file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file && errno == EEXIST) return damaged("two files are named " + entry.path);
  if (!file || !write_all(file, content)) return cannot_write(path);
  return Done{};
}

}  // namespace

Result<PackedSnapshot> pack_snapshot(const std::string& folder) {
  // As many names as a line holds, and as large a patch.
  const auto git = Git::open(folder, {30'000, std::size_t{16} << 20U});
  const auto listed = git ? git->output({"ls-files", "-z", "--cached"}) : std::nullopt;
  WorkflowInfo info;
  WorkflowTexts texts;
  if (listed) record_git(folder, info, texts);
  if (info.git_commit.empty())
    return refuse(Code::invalid,
                  "code: snapshot takes the files that git tracks: " + folder +
                      " is not in a git repository with a commit, or its changes are too large");
  Packer packer(folder);
  for (const std::string& name : split_names(*listed))
    if (auto added = packer.add(name); !added) return added.error();
  return packer.take(info, std::move(texts.patch));
}

Result<SnapshotOrigin> unpack_snapshot(std::string_view bytes, const std::string& folder) {
  std::string_view rest;
  auto manifest = read_manifest(bytes, rest);
  if (!manifest) return manifest.error();
  if (auto made = make_folders(folder, manifest->entries); !made) return made.error();
  for (const Entry& entry : manifest->entries) {
    const auto content = rest.substr(0, static_cast<std::size_t>(entry.bytes));
    rest.remove_prefix(content.size());
    if (auto written = write_entry(fs::path(folder) / entry.path, entry, content); !written)
      return written.error();
  }
  return std::move(manifest->origin);
}

}  // namespace hone
