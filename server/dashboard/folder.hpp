// Files of the dashboard from a folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "server/dashboard/report.hpp"

namespace hone::dashboard {

inline constexpr std::size_t file_bytes_max = 1024 * 1024;  // ours are below 20 kB

// The bytes of a file; empty where it cannot be read.
std::string text_of(const std::filesystem::path& file);

// The files in and below a folder, with paths relative to it, without those of more than
// file_bytes_max.
std::vector<SourceFile> files_of(const std::filesystem::path& folder);

}  // namespace hone::dashboard
