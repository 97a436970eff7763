#include "server/api/health/exposition.hpp"

#include "base/text.hpp"

namespace hone::api {
namespace {

// As the format wants it between quotes.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '\\' || letter == '"') safe += '\\';
    if (letter == '\n')
      safe += "\\n";
    else
      safe += letter;
  }
  return safe;
}

}  // namespace

void Exposition::family(std::string_view name, std::string_view type, std::string_view help) {
  text_.append("# HELP ").append(name).append(" ").append(help);
  text_.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
}

void Exposition::sample(std::string_view name, std::string_view labels, double value) {
  text_.append(name);
  if (!labels.empty()) text_.append("{").append(labels).append("}");
  text_.append(" ").append(plain_number_text(value)).append("\n");
}

void Exposition::single(std::string_view name, std::string_view type, std::string_view help,
                        double value) {
  family(name, type, help);
  sample(name, {}, value);
}

void Exposition::labelled(std::string_view name, std::string_view type, std::string_view label,
                          std::string_view help, std::span<const Counted> counted) {
  family(name, type, help);
  for (const auto& [word, count] : counted)
    sample(name, std::string(label) + "=\"" + std::string(word) + "\"", count);
}

void Exposition::best(std::string_view name, std::string_view help,
                      std::span<const BestValueRow> rows) {
  family(name, "gauge", help);
  for (const auto& row : rows)
    sample(name, "sweep=\"" + text(row.sweep) + "\",metric=\"" + escaped(row.metric) + "\"",
           row.value.value());
}

void Exposition::histogram(std::string_view name, std::string_view help, const Lengths& lengths) {
  family(name, "histogram", help);
  const std::string base(name);
  const std::size_t slots = Lengths::bounds_us.size();
  for (std::size_t slot = 0; slot < slots; ++slot)
    sample(base + "_bucket",
           "le=\"" + plain_number_text(static_cast<double>(Lengths::bounds_us[slot]) / 1e6) + "\"",
           static_cast<double>(lengths.up_to(slot)));
  const auto all = static_cast<double>(lengths.up_to(slots));
  sample(base + "_bucket", "le=\"+Inf\"", all);
  sample(base + "_sum", {}, lengths.sum_s());
  sample(base + "_count", {}, all);
}

}  // namespace hone::api
