#include "sdk/cli/local/worktree.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include "sdk/cpp/git.hpp"

namespace hone::cli {
namespace {

constexpr Git::Bounds bounds{120'000, std::size_t{1} << 20U};  // a checkout of a large repository

std::optional<std::string> git(const std::string& folder, std::vector<std::string> arguments) {
  const auto git = Git::open(folder, bounds);
  return git ? git->output(std::move(arguments)) : std::nullopt;
}

}  // namespace

Result<Worktree> Worktree::add(const std::string& repository, const std::string& commit,
                               const std::string& place) {
  const auto there = Git::open(repository, bounds);
  auto prefix = there ? there->output({"rev-parse", "--show-prefix"}) : std::nullopt;
  if (!prefix)
    return refuse(Code::not_found, repository +
                                       " is not in a git repository: name a clone of the run's "
                                       "repository with --repository DIR");
  if (!there->output({"cat-file", "-e", commit + "^{commit}"}))
    return refuse(Code::not_found, "the repository of " + repository + " has no commit " + commit +
                                       ": fetch it, or name another clone with --repository DIR");
  if (!there->output({"worktree", "add", "--detach", "--quiet", place, commit}))
    return refuse(Code::internal, "git cannot check out " + commit + " to " + place);
  while (!prefix->empty() && prefix->back() == '\n') prefix->pop_back();
  auto folder = (std::filesystem::path(place) / *prefix).string();
  std::error_code absent;
  if (!std::filesystem::is_directory(folder, absent)) folder = place;
  return Worktree(repository, place, std::move(folder));
}

Worktree::Worktree(std::string repository, std::string place, std::string folder)
    : repository_(std::move(repository)), place_(std::move(place)), folder_(std::move(folder)) {}

Worktree::Worktree(Worktree&& other) noexcept
    : repository_(std::move(other.repository_)),
      place_(std::exchange(other.place_, {})),
      folder_(std::move(other.folder_)) {}

Worktree::~Worktree() {
  if (!place_.empty()) git(repository_, {"worktree", "remove", "--force", place_});
}

Status Worktree::apply(const std::string& patch_file) const {
  if (git(place_, {"apply", "--binary", "--whitespace=nowarn", patch_file})) return Done{};
  return refuse(Code::internal,
                "git cannot apply the uncommitted changes of the run to its commit");
}

}  // namespace hone::cli
