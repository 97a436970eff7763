// The keys of a lineage as text: ids, and names for reports and metrics.
#include <charconv>

#include "db/queries/paging.hpp"
#include "db/queries/rows.hpp"

namespace hone {
namespace {

struct KeyText {
  std::string operator()(const ReportKey& key) const {
    return text(key.run) + "@" + std::to_string(key.phase);
  }
  std::string operator()(const MetricKey& key) const {
    const std::string name = text(key.run) + "/" + key.name;
    return key.step ? name + "@" + std::to_string(*key.step) : name;
  }
  template <class Id>
  std::string operator()(const Id& id) const {
    return text(id);
  }
};

std::optional<LineageKey> parse_metric(RunId run, std::string_view rest) {
  const auto at = rest.rfind('@');
  if (rest.empty() || at == 0) return std::nullopt;
  if (at == std::string_view::npos) return MetricKey{run, std::string(rest)};
  if (const auto step = parse_number<std::int64_t>(rest.substr(at + 1)))
    return MetricKey{run, std::string(rest.substr(0, at)), step};
  return MetricKey{run, std::string(rest)};
}

}  // namespace

std::string text(const LineageKey& key) { return std::visit(KeyText{}, key); }

std::optional<LineageKey> parse_lineage_key(std::string_view words) {
  if (const auto id = parse_object_id(words))
    return std::visit([](const auto& one) { return LineageKey(one); }, *id);
  const auto end = words.find_first_of("@/");
  const auto run = parse_id<RunId>(words.substr(0, end));
  if (!run || end == std::string_view::npos) return std::nullopt;
  const auto rest = words.substr(end + 1);
  if (words[end] == '/') return parse_metric(*run, rest);
  const auto phase = parse_number<int>(rest);
  if (!phase || *phase < 0) return std::nullopt;
  return ReportKey{*run, *phase};
}

}  // namespace hone
