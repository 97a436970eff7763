// How many slots a sweep gets, and until when.
#include "schemas/codec/parts.hpp"

namespace hone::codec {

void check(Reader& reader, const SlotsSpec& bounds) {
  if (bounds.max && *bounds.max < bounds.min)
    reader.refuse_rule("max", "max (" + std::to_string(*bounds.max) + ") is smaller than min (" +
                                  std::to_string(bounds.min) + ")");
}

void check(Reader& reader, const CpuRange& cpus) {
  if (cpus.most < cpus.least)
    reader.refuse_rule("max", "max (" + std::to_string(cpus.most) + ") is smaller than min (" +
                                  std::to_string(cpus.least) + ")");
}

template <>
CpuRange read(const Spot& spot) {
  if (!spot.json.is_object()) return {.least = read_int(spot, Integer{1, slots_max})};
  auto cpus = read_object<CpuRange>(spot);
  if (cpus.most <= cpus.least) cpus.most = 0;
  return cpus;
}

template <>
Json write(const CpuRange& cpus) {
  return cpus.most == 0 ? Json(cpus.least) : write_object(cpus);
}

// A duration after the submission, a time, or none.
template <>
Deadline read(const Spot& spot) {
  const auto* words = spot.text();
  if (words != nullptr && *words == "none") return {};
  if (words == nullptr || parse_duration(*words)) return {.after = Length{seconds(1), true}(spot)};
  if (const auto at = parse_rfc3339(*words); at && *at > Instant{}) return {.at = *at};
  spot.refuse(
      "must be a duration such as 2h, or a time with its date and zone such as "
      "2026-11-23T18:00:00Z, not " +
      described(spot.json));
  return {};
}

template <>
Json write(const Deadline& deadline) {
  if (deadline == Deadline{}) return "none";
  return deadline.at > Instant{} ? Json(rfc3339(deadline.at)) : write_seconds(deadline.after);
}

}  // namespace hone::codec
