#include "server/api/workers/spans.hpp"

#include <algorithm>
#include <functional>

#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

double seconds_of(Duration time) { return static_cast<double>(time.us) / 1e6; }

}  // namespace

SlotTimeRow slot_time(double offered, double held) {
  SlotTimeRow row{offered, held};
  if (offered > 0) row.idle = std::clamp(1 - held / offered, 0.0, 1.0);
  return row;
}

int SlotCounts::of(const AttemptSpan& span) {
  if (span.width) return *span.width;
  auto [known, is_new] = specs_.try_emplace(span.sweep);
  if (is_new)
    if (const auto row = find_sweep(db_, span.sweep))
      if (auto spec = spec_of(*row)) known->second = *std::move(spec);
  if (!known->second || span.step >= steps_of(*known->second)) return 1;
  return std::max(1, resources_of(*known->second, span.step).cpus);
}

std::vector<int> Lanes::take(Instant from, Instant to, int count) {
  std::vector<int> taken;
  for (std::size_t lane = 0; std::ssize(taken) < count; ++lane) {
    if (lane == free_from_.size()) free_from_.emplace_back();
    if (free_from_[lane] > from) continue;
    free_from_[lane] = to;
    taken.push_back(static_cast<int>(lane));
  }
  return taken;
}

void Spans::add(const AttemptSpan& span) {
  const int cpus = counts_.of(span);
  const Instant to = span.to.value_or(std::max(now_, query_.to));
  const Duration within = std::min(to, query_.to) - std::max(span.from, query_.from);
  held_s_[span.worker] += cpus * std::max(0.0, seconds_of(within));
  const auto slots = slots_.find(span.worker);
  auto& lanes =
      lanes_.try_emplace(span.worker, slots == slots_.end() ? 0 : slots->second).first->second;
  const auto taken = lanes.take(span.from, span.to.value_or(never), cpus);
  if (items_.size() + busy_.size() >= limits::timeline_spans_max) {
    truncated_ = true;
  } else if (!span.to || *span.to - span.from >= pixel_) {
    const SpanRow row{span.worker, span.attempt, span.sweep, span.from, span.to, span.reason, cpus};
    items_.push_back(row::write(row, {Json(taken)}));
  } else {
    for (const int lane : taken) merge(span, lane);
  }
}

void Spans::merge(const AttemptSpan& span, int lane) {
  const auto key = std::pair{span.worker, lane};
  const auto known = newest_.find(key);
  const bool follows = known != newest_.end() && span.from - busy_[known->second].row.to < pixel_;
  if (!follows) {
    newest_[key] = busy_.size();
    busy_.push_back({BusyRow{span.worker, lane, span.from, span.from}, {}});
  }
  Busy& busy = busy_[newest_[key]];
  const double time_s = seconds_of(*span.to - span.from);
  busy.row.to = std::max(busy.row.to, *span.to);
  ++busy.row.attempts;
  busy.row.seconds += time_s;
  busy.sweeps[span.sweep] += time_s;
}

Json Spans::render(const Busy& busy) {
  std::vector<std::pair<SweepId, double>> parts(busy.sweeps.begin(), busy.sweeps.end());
  std::ranges::sort(parts, std::greater{}, [](const auto& one) { return one.second; });
  parts.resize(std::min(parts.size(), limits::busy_sweeps_max));
  Json sweeps = Json::array();
  for (const auto& [sweep, time_s] : parts)
    sweeps.push_back({{"sweep", text(sweep)}, {"seconds", time_s}});
  return row::write(busy.row, {std::move(sweeps)});
}

void Spans::render_into(Json& json) const {
  json["items"] = items_;
  json["busy"] = Json::array();
  for (const Busy& one : busy_) json["busy"].push_back(render(one));
  json["truncated"] = truncated_;
}

double Spans::held_s(WorkerId worker) const {
  const auto found = held_s_.find(worker);
  return found == held_s_.end() ? 0 : found->second;
}

Result<Instant> time_query(const Request& request, Query name, Instant fallback) {
  constexpr std::int64_t latest_s = never.us / 1'000'000;
  if (query_value(request, name) == nullptr) return fallback;
  const auto s = integer_query(request, name, 0, 0, latest_s);
  if (!s) return s.error();
  return Instant{*s * 1'000'000};
}

double connected_s(const TimelineQuery& query, Instant joined, std::optional<Instant> left) {
  const Instant to = left ? std::min(query.to, *left) : query.to;
  return std::max(0.0, seconds_of(to - std::max(query.from, joined)));
}

}  // namespace hone::api
