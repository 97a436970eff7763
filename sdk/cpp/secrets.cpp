#include "sdk/cpp/secrets.hpp"

#include <unistd.h>

#include <algorithm>

namespace hone {

std::vector<std::string> environment_without_secrets() {
  std::vector<std::string> kept;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view variable(*one);
    const auto name = variable.substr(0, variable.find('='));
    if (std::ranges::find(secret_variables, name) == secret_variables.end())
      kept.emplace_back(variable);
  }
  return kept;
}

}  // namespace hone
