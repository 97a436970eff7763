#include "sdk/cli/render/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

std::string spread_text(std::vector<double> values) {
  if (values.size() < 2) return {};
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return ", least " + number_text(values.front()) + ", median " + number_text(median) + ", most " +
         number_text(values.back());
}

}  // namespace

std::string evaluation_line(const Json& evaluation) {
  std::vector<double> values;
  for (const Json& value : member(evaluation, "/values"))
    if (value.is_number()) values.push_back(value.get<double>());
  const std::string environment = printable(text_at(evaluation, "/environment"));
  std::string line = text_at(evaluation, "/id") + "  " + text_at(evaluation, "/model");
  if (!environment.empty()) line += " on " + environment;
  line += ": " + printable(text_at(evaluation, "/metric")) + " " +
          number_text(number_at(evaluation, "/mean"));
  const auto count = static_cast<double>(values.size());
  if (values.size() > 1)
    line += " +- " + number_text(number_at(evaluation, "/deviation") / std::sqrt(count));
  line += spread_text(values) + " over " + std::to_string(values.size()) +
          (values.size() == 1 ? " episode" : " episodes") + " (seed " +
          value_text(member(evaluation, "/seed"));
  if (member(evaluation, "/sample") == Json(true)) line += ", sampled actions";
  return line + ")\n";
}

}  // namespace hone::cli
