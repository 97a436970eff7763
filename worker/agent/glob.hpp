// Patterns of file names. Pure.
#pragma once

#include <string_view>

namespace hone::worker {

// '*' and '?' stand for anything but '/', "**" for that, too. "plots" alone also means all that is
// in the folder of this name.
bool matches_glob(std::string_view pattern, std::string_view path);

}  // namespace hone::worker
