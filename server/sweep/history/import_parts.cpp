#include "server/sweep/history/import_parts.hpp"

#include <algorithm>
#include <utility>

#include "base/expect.hpp"
#include "schemas/types/event.hpp"

namespace hone {

SweepImported ImportParts::frame(ImportPart part) const {
  SweepImported frame{.sweep = ids_.sweep, .request_id = request_->request_id, .past = {}};
  frame.confirms = confirms_;
  frame.part = part;
  if (part == ImportPart::whole || part == ImportPart::last) frame.ledger = request_->past.ledger;
  if (part == ImportPart::first) frame.ids = taken_;
  return frame;
}

void ImportParts::add_events(std::size_t most, std::vector<Event>& past) {
  const auto& events = request_->past.events;
  const std::size_t end = next_ + std::min(most, events.size() - next_);
  past.reserve(end - next_);
  for (; next_ < end; ++next_) {
    past.push_back(events[next_]);
    renumber(past.back().body, ids_);
    links_.link(past.back().body);
  }
}

Events ImportParts::whole() {
  SweepImported imported = frame(ImportPart::whole);
  add_events(request_->past.events.size(), imported.past);
  Events events = std::exchange(before_, {});
  events.emplace_back(std::move(imported));
  return events;
}

Events ImportParts::next(std::size_t most) {
  SweepImported part = frame(next_ == 0 ? ImportPart::first : ImportPart::further);
  add_events(most, part.past);
  Events events = std::exchange(before_, {});
  events.emplace_back(std::move(part));
  return events;
}

bool ImportParts::is_done() const { return next_ == request_->past.events.size(); }

EventBody ImportParts::last() const { return frame(ImportPart::last); }

// The trials of a document are numbered from 1.
RunId ImportParts::run(RunId of_document) const {
  return {TrialId{taken_.trials.after + of_document.trial.value}, of_document.replicate};
}

namespace {

void take_ids(Book& book, const SweepImported& e) {
  const ImportedIds ids = e.ids.value_or(ImportedIds{});
  auto part = std::make_unique<Book>();
  part->lease_length = book.lease_length;
  part->last_trial = ids.trials.after;
  part->last_model = ids.models.after;
  part->last_evaluation = ids.evaluations.after;
  part->last_lease = LeaseId{ids.leases.after};
  part->epochs = {{part->last_lease, 0}};
  const auto take = [](std::int64_t& last, const TakenIds& taken) {
    last = std::max(last, taken.after + taken.count);
  };
  book.last_sweep = std::max(book.last_sweep, e.sweep.value);
  take(book.last_trial, ids.trials);
  take(book.last_model, ids.models);
  take(book.last_evaluation, ids.evaluations);
  take(book.last_lease.value, ids.leases);
  book.run_of_lease.resize(book.run_of_lease.size() + static_cast<std::size_t>(ids.leases.count));
  book.worker_of_lease.resize(book.run_of_lease.size());
  book.unfinished.emplace(e.sweep, ids);
  book.importing.emplace(e.sweep, std::move(part));
}

// Only workers that joined with the import are named.
void lend_workers(const Book& book, const SweepImported& e, Book& part) {
  for (const Event& event : e.past)
    if (const auto* granted = std::get_if<LeaseGranted>(&event.body))
      if (!part.workers.contains(granted->worker))
        part.workers.emplace(granted->worker, book.workers.at(granted->worker));
}

void admit_sweep(Book& book, Book part) {
  const LeaseId first{part.epochs.begin()->first.value + 1};
  if (const auto at = lease_index(book, first); at && !part.run_of_lease.empty()) {
    expect(*at + part.run_of_lease.size() <= book.run_of_lease.size(), "an import takes its ids");
    const auto offset = static_cast<std::ptrdiff_t>(*at);
    std::ranges::copy(part.run_of_lease, book.run_of_lease.begin() + offset);
    std::ranges::copy(part.worker_of_lease, book.worker_of_lease.begin() + offset);
  }
  book.sweeps.merge(part.sweeps);
  book.trials.merge(part.trials);
  book.models.merge(part.models);
  book.models_by_content.merge(part.models_by_content);
  book.known_requests.merge(part.known_requests);
  for (auto& [id, worker] : part.workers) book.workers.insert_or_assign(id, std::move(worker));
}

}  // namespace

Book& begin_import(Book& book, const SweepImported& e) {
  if (e.part == ImportPart::whole || e.part == ImportPart::dropped) return book;
  if (e.part == ImportPart::first) take_ids(book, e);
  Book& part = *book.importing.at(e.sweep);
  lend_workers(book, e, part);
  return part;
}

bool end_import(Book& book, const SweepImported& e) {
  switch (e.part) {
    case ImportPart::first:
    case ImportPart::further:
      return false;
    case ImportPart::dropped:
      book.importing.erase(e.sweep);
      return false;
    case ImportPart::last:
      admit_sweep(book, std::move(*book.importing.extract(e.sweep).mapped()));
      book.unfinished.erase(e.sweep);
      break;
    case ImportPart::whole:
      break;
  }
  book.sweeps_by_request.emplace(e.request_id, e.sweep);
  return true;
}

}  // namespace hone
