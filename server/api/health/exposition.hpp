// The text format of Prometheus: families of samples. Internal to server/api.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "db/queries/rows.hpp"
#include "server/engine/counters.hpp"

namespace hone::api {

struct Counted {
  std::string_view label;  // its value
  double count = 0;
};

class Exposition {
 public:
  // One number without labels.
  void single(std::string_view name, std::string_view type, std::string_view help, double value);
  // One number for each value of a label.
  void labelled(std::string_view name, std::string_view type, std::string_view label,
                std::string_view help, std::span<const Counted> counted);
  // One number for each sweep. Names that users gave are escaped.
  void best(std::string_view name, std::string_view help, std::span<const BestValueRow> rows);
  void histogram(std::string_view name, std::string_view help, const Lengths& lengths);

  std::string take() { return std::move(text_); }

 private:
  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(std::string_view name, std::string_view labels, double value);

  std::string text_;
};

}  // namespace hone::api
