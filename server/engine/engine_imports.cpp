// Imports by the engine. A small one is one event. A large one is written in parts, one with each
// step, and exists with its last part; what a start finds without a last part is dropped.
#include <algorithm>
#include <utility>

#include "base/expect.hpp"
#include "schemas/types/event.hpp"
#include "server/engine/engine.hpp"
#include "server/limits.hpp"

namespace hone {

bool Engine::is_in_parts(const Command& command) {
  const auto* import = std::get_if<Import>(&command);
  if (import == nullptr) return false;
  const SweepPast& past = import->request->past;
  std::size_t points = 0;
  for (const Series& series : past.metrics) points += series.points.size();
  return past.events.size() > limits::import_part_events || points > limits::import_part_points;
}

// The trials of the document count from 1, those of the imported events from the first free id.
void Engine::add_series(const Import& import, const SweepImported& imported, Writes& writes) {
  std::int64_t before = 0;
  for (const Event& event : imported.past)
    if (const auto* first = std::get_if<TrialProposed>(&event.body); first != nullptr) {
      before = first->trial.value - 1;
      break;
    }
  for (const Series& series : import.request->past.metrics)
    writes.push_back(AppendSeries{{TrialId{before + series.run.trial.value}, series.run.replicate},
                                  import.request,
                                  &series,
                                  series.points});
}

void Engine::import_part(Instant now, std::vector<Answer>& answers) {
  while (!importing_ && !imports_.empty()) {
    Envelope next = std::move(imports_.front());
    imports_.pop_front();
    begin_import(std::move(next), now, answers);
  }
  if (!importing_) return;
  const bool was_done = importing_->parts.is_done() &&
                        importing_->series == importing_->parts.request()->past.metrics.size();
  auto writes = next_part(now);
  const Status written = writes ? write_part(*std::move(writes)) : Status(writes.error());
  if (written && !was_done) return;
  auto [envelope, parts, keep, series, point] = *std::exchange(importing_, std::nullopt);
  if (!written) drop_unfinished(now);
  auto reply = written ? Result<Reply>(answer(book_, envelope.command))
                       : Result<Reply>(fault(written.error().detail));
  answers.push_back({std::move(envelope), std::move(reply)});
}

// Answers an import that is refused, or known.
void Engine::begin_import(Envelope envelope, Instant now, std::vector<Answer>& answers) {
  const auto& import = std::get<Import>(envelope.command);
  auto keep = keep_of(envelope);
  const bool is_new =
      keep && import.fits && !book_.sweeps_by_request.contains(import.request->request_id);
  if (!is_new) {
    auto reply = perform_once(envelope, now);
    return answers.push_back({std::move(envelope), std::move(reply)});
  }
  enter(Part::decide);
  auto parts = prepared<ImportParts>(envelope.command, now, envelope.by,
                                     [&] { return ImportParts::plan(book_, import); });
  if (!parts) return answers.push_back({std::move(envelope), parts.error()});
  importing_.emplace(Importing{std::move(envelope), *std::move(parts), *std::move(keep)});
}

Result<Writes> Engine::next_part(Instant now) {
  Importing& importing = *importing_;
  Writes writes{Flush{}};
  enter(Part::decide);
  if (!importing.parts.is_done()) {
    auto added = add_events(importing.parts.next(limits::import_part_events), now, writes);
    if (!added) return added.error();
    // From here on no other request may use its id.
    if (const auto keep = std::exchange(importing.keep, {})) writes.emplace_back(*keep);
  } else if (importing.series < importing.parts.request()->past.metrics.size()) {
    next_series(importing, writes);
  } else {
    Events last{importing.parts.last()};
    ended_.load(touched_by(last.front()), seq_);
    if (auto added = add_events(std::move(last), now, writes); !added) return added.error();
  }
  writes.emplace_back(Flush{});
  return writes;
}

void Engine::next_series(Importing& importing, Writes& writes) {
  const auto& request = importing.parts.request();
  const auto& all = request->past.metrics;
  std::size_t left = limits::import_part_points;
  while (left > 0 && importing.series < all.size()) {
    const Series& series = all[importing.series];
    const std::span points = std::span(series.points).subspan(importing.point);
    const auto part = points.first(std::min(left, points.size()));
    writes.push_back(AppendSeries{importing.parts.run(series.run), request, &series, part});
    left -= std::max<std::size_t>(part.size(), 1);
    importing.point += part.size();
    if (importing.point < series.points.size()) continue;
    ++importing.series;
    importing.point = 0;
  }
}

Status Engine::write_part(Writes writes) {
  enter(Part::append);
  const auto written = batch_.write(std::move(writes));
  if (!written) return written.error();
  fold(**written);
  return Done{};
}

void Engine::drop_unfinished(Instant now) {
  while (!book_.importing.empty()) {
    Events dropped{SweepImported{.sweep = book_.importing.begin()->first,
                                 .request_id = {},
                                 .past = {},
                                 .part = ImportPart::dropped}};
    Writes writes;
    const auto added = add_events(std::move(dropped), now, writes);
    const auto written = added ? write_part(std::move(writes)) : added;
    expect(written.ok(), "an import may always be dropped");
  }
}

}  // namespace hone
