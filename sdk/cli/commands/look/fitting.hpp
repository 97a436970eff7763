// How many trials of a sweep lie in a space: those that a search can learn from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sdk/cli/session/session.hpp"

namespace hone {
struct SweepSpec;
}

namespace hone::cli {

struct Fitting {
  std::int64_t valued = 0;  // trials with a value
  std::int64_t fitting = 0;
  std::string why;  // the reason of one that does not

  [[nodiscard]] bool fits_none() const { return fitting == 0 && valued > 0; }
};

// nullopt if the server does not answer.
std::optional<Fitting> count_fitting(Session& session, const std::string& sweep,
                                     const SweepSpec& spec);

// "78 of 78 trials with a value of sw_8 lie in the space", with the reason where none does.
std::string fitting_text(const Fitting& found, const std::string& sweep);

}  // namespace hone::cli
