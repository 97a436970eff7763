// What authenticates this process stays out of the programs that it starts for others.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

inline constexpr std::array<std::string_view, 4> secret_variables{"HONE_TOKEN", "HONE_TOKEN_FILE",
                                                                  "HONE_TLS_CERT", "HONE_TLS_KEY"};

// The environment of this process without them: "NAME=value".
std::vector<std::string> environment_without_secrets();

}  // namespace hone
