// Patterns of file names. Pure.
#pragma once

#include <string_view>

namespace hone::worker {

// '*' and '?' match anything but '/'; "**" also matches '/'. A pattern that matches a folder
// matches every file below it.
bool matches_glob(std::string_view pattern, std::string_view path);

}  // namespace hone::worker
