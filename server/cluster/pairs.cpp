#include "server/cluster/pairs.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/cluster/setup.hpp"

namespace hone::cluster {
namespace {

std::string key_of(const std::string& type) { return "('" + type + "', 1)"; }

// "('A3C', 1)" -> "A3C"; empty for jobs of several GPUs.
std::string type_of(std::string_view key) {
  constexpr std::string_view before = "('", after = "', 1)";
  if (!key.starts_with(before) || !key.ends_with(after) ||
      key.size() <= before.size() + after.size())
    return "";
  key.remove_prefix(before.size());
  key.remove_suffix(after.size());
  return std::string(key);
}

// 0: there is none, or none whose ratios are numbers.
double speed_in(const Json& row, const std::string& key, std::size_t place) {
  constexpr double least = 1e-9, most = 1e9;
  const auto found = row.find(key);
  if (found == row.end()) return 0;
  const bool pair = found->is_array() && found->size() == 2;
  const Json& number = pair ? (*found)[place] : *found;
  const double speed = number.is_number() ? number.get<double>() : 0;
  return speed >= least && speed <= most ? speed : 0;
}

}  // namespace

Result<PairTable> PairTable::read(const Json& table, const std::vector<std::string>& kinds,
                                  std::string_view reference) {
  const auto rows_of = [&](std::string_view kind) -> const Json* {
    const auto found = table.is_object() ? table.find(kind) : table.end();
    return found != table.end() && found->is_object() ? &*found : nullptr;
  };
  const Json* normal = rows_of(reference);
  for (const std::string& kind : kinds)
    if (rows_of(kind) == nullptr)
      return refuse(Code::invalid, "the table of throughputs has no GPU '" + kind + "'");
  if (normal == nullptr)
    return refuse(Code::invalid,
                  "the table of throughputs has no GPU '" + std::string(reference) + "'");
  const auto speed = [](const Json& rows, const std::string& type) {
    const auto row = rows.find(key_of(type));
    return row != rows.end() && row->is_object() ? speed_in(*row, "null", 0) : 0;
  };
  PairTable read;
  for (const auto& [key, row] : normal->items()) {
    const std::string type = type_of(key);
    const bool everywhere = !type.empty() && speed(*normal, type) > 0 &&
                            std::ranges::all_of(kinds, [&](const auto& kind) {
                              return speed(*rows_of(kind), type) > 0;
                            });
    if (everywhere && read.types_.size() < types_max) read.types_.push_back(type);
  }
  if (read.types_.empty())
    return refuse(Code::invalid, "the table of throughputs has no jobs of one GPU");
  const auto count = static_cast<int>(read.types_.size());
  for (int kind = 0; kind < static_cast<int>(kinds.size()); ++kind) {
    const Json& rows = *rows_of(kinds[static_cast<std::size_t>(kind)]);
    auto& alone = read.alone_.emplace_back();
    for (int a = 0; a < count; ++a) {
      const std::string& type = read.types_[static_cast<std::size_t>(a)];
      alone.push_back(speed(rows, type) / speed(*normal, type));
      for (int b = 0; b < count; ++b) {
        const auto key = key_of(read.types_[static_cast<std::size_t>(b)]);
        const double both = speed_in(rows[key_of(type)], key, 0);
        if (both > 0 && speed_in(rows[key_of(type)], key, 1) > 0)
          read.shares_[{kind, a, b}] = std::min(both / speed(rows, type), 1.0);
      }
    }
  }
  return read;
}

double PairTable::share(const PairKey& key) const {
  const auto found = shares_.find(key);
  return found == shares_.end() ? 0 : found->second;
}

bool useless(const PairEstimate& estimate, const PairKey& key) {
  const auto one = estimate.measured(key), two = estimate.measured(turned(key));
  return std::min(one.count, two.count) >= forecast::judged_after &&
         one.mean() + two.mean() < pair_gain_min;
}

}  // namespace hone::cluster
