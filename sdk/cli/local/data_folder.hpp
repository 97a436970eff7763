#pragma once

#include <string>

namespace hone::cli {

// $HONE_DATA, else ~/.hone.
std::string default_data_folder();

}  // namespace hone::cli
