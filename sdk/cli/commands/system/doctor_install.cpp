#include "sdk/cli/commands/system/doctor_install.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/nearest.hpp"
#include "sdk/cli/local/programs.hpp"

namespace hone::cli {
namespace {

struct Bundle {
  std::string_view name;
  std::vector<std::string> packages;
};

// $1: the folder; the rest: packages. Uses a new virtual environment, because Debian's Python
// rejects pip install. Changes nothing else.
constexpr const char* script =
    "set -e; folder=$1; shift; "
    "[ -x \"$folder/bin/python\" ] || ${HONE_BASE_PYTHON:-python3} -m venv \"$folder\" || "
    "{ echo 'hone: python3 -m venv failed (Debian: apt install python3-venv)' >&2; "
    "exit 1; }; "
    "\"$folder/bin/python\" -m pip install --upgrade \"$@\"; "
    "echo \"hone-train finds these in $folder; elsewhere set "
    "HONE_PYTHON=$folder/bin/python\" >&2";

}  // namespace

Result<Exit> install_packages(Session& session, const std::string& what) {
  const std::array<Bundle, 2> bundles{Bundle{"gymnasium", {"gymnasium"}},
                                      Bundle{"atari", {"gymnasium", "ale-py"}}};
  for (const auto& bundle : bundles) {
    if (bundle.name != what) continue;
    const char* home = std::getenv("HOME");
    if (home == nullptr || *home == 0)
      return refuse(Code::invalid, "HOME is not set; set it to choose the folder for the packages");
    const auto folder = std::filesystem::path(home) / ".hone" / "python";
    session.note("installing for hone-train into " + folder.string());
    std::vector<std::string> arguments{"-c", script, "hone", folder.string()};
    arguments.insert(arguments.end(), bundle.packages.begin(), bundle.packages.end());
    return become("/bin/sh", arguments);
  }
  constexpr std::array<std::string_view, 2> known{"gymnasium", "atari"};
  return refuse(Code::invalid, "--install: unknown bundle '" + what + "'" +
                                   did_you_mean(what, known) +
                                   "; the bundles are gymnasium and atari");
}

}  // namespace hone::cli
