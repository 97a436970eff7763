#include "sdk/cli/render/spark.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace hone::cli {

std::string spark(const std::vector<std::optional<double>>& shares, bool unicode) {
  static constexpr std::array<std::string_view, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string line;
  for (const auto& share : shares) {
    const bool known = share && !std::isnan(*share);
    const double height = known ? std::clamp(*share, 0.0, 1.0) : 0;
    if (!known)
      line += ' ';
    else if (unicode)
      line += blocks[static_cast<std::size_t>(std::lround(height * 7))];
    else
      line += static_cast<char>('0' + std::lround(height * 9));
  }
  return line;
}

}  // namespace hone::cli
