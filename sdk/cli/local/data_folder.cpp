#include "sdk/cli/local/data_folder.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace hone::cli {
namespace {

std::string home() {
  if (const char* folder = std::getenv("HOME"); folder != nullptr && *folder != '\0') return folder;
  const passwd* entry = getpwuid(geteuid());
  return entry != nullptr ? entry->pw_dir : ".";
}

}  // namespace

std::string default_data_folder() {
  if (const char* folder = std::getenv("HONE_DATA"); folder != nullptr && *folder != '\0')
    return folder;
  return home() + "/.hone";
}

}  // namespace hone::cli
