// Data that the user's program reads.
#pragma once

#include <string>

namespace hone {

// What a data set is for: runs learn from the first, and are measured on the second.
enum class DatasetRole { train, validation };

// Data that the user's program reads. hone records it and does not open it.
struct DatasetSpec {
  std::string name;
  DatasetRole role = DatasetRole::train;
  std::string version{};
  std::string digest{};    // SHA-256, where it is known
  std::string location{};  // host:/path, or an address
  friend bool operator==(const DatasetSpec&, const DatasetSpec&) = default;
};

}  // namespace hone
