// Places of the values of parameters along the axes of figures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemas/codec/json.hpp"
#include "study/report/svg.hpp"

namespace hone::cli {

// Numbers by their scale; of words, truth values, lists and null their places among the choices.
struct Coordinate {
  struct Tick {
    double share = 0;
    std::string text;
  };

  std::string name;
  study::Axis axis{};
  std::vector<Json> choices{};  // empty: numbers

  // From 0 to 1; nullopt for a value that has no place.
  [[nodiscard]] std::optional<double> share(const Json& value) const;
  // At most 12 of the choices.
  [[nodiscard]] std::vector<Tick> ticks() const;
};

// Returns the value of a parameter, null included; nullptr where its condition does not hold.
const Json* value_of(const Json& trial, const std::string& parameter);

// The parameters with more than one value among the trials, at most `most`.
std::vector<Coordinate> coordinates_of(const Json& sweep, const std::vector<Json>& trials,
                                       std::size_t most);

}  // namespace hone::cli
