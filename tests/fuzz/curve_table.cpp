// A curve table: its JSON, a line of three dashes, its CSV.
#include "server/simulate/curve_table.hpp"

#include <cmath>

#include "tests/fuzz/fuzz.hpp"

namespace hone::fuzz {

void feed(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  const auto middle = text.find("\n---\n");
  if (middle == std::string_view::npos) return;
  const auto table =
      simulate::CurveTable::parse("table", text.substr(middle + 5), text.substr(0, middle));
  if (!table) {
    expect(!table.error().detail.empty(), "a refusal says why");
    return;
  }
  for (std::size_t i = 0; i < table->configurations().size(); ++i) {
    expect(!std::isnan(table->regret(i)), "every recorded parameter set has a regret");
    const auto params = table->space().params_at(table->configurations()[i].point);
    const auto nearest = table->nearest(params);
    expect(nearest.ok(), "a recorded parameter set is near itself");
  }
}

}  // namespace hone::fuzz
