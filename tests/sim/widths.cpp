#include "tests/sim/widths.hpp"

#include <algorithm>
#include <variant>

#include "db/ledger/ledger.hpp"
#include "schemas/types/event.hpp"
#include "server/sweep/decide.hpp"

namespace hone::sim {
namespace {

bool grants(const Book& book, const Acquire& offer, Instant now) {
  const auto events = decide(book, offer, now);
  return events.ok() && std::ranges::any_of(*events, [](const EventBody& body) {
           return std::holds_alternative<LeaseGranted>(body);
         });
}

// Whether the worker would get another run for the slots of the lease beyond the least.
bool another_waits(Book& book, const Lease& lease, int further, Instant now) {
  WorkerState& worker = book.workers.at(lease.worker);
  worker.leased.cpus -= further;
  Acquire offer{{"further", lease.worker, further, worker.gpus - worker.leased.gpus, Duration{}}};
  offer.request.gpu_free = worker.gpu_free;
  offer.request.epoch = worker.epoch;
  const bool waits = grants(book, offer, now);
  worker.leased.cpus += further;
  return waits;
}

std::string fault_of(Book& book, const LeaseGranted& e, Instant now, WidthTally& tally) {
  const Lease& lease = book.leases.at(e.lease);
  const ResourcesSpec& needs = book.sweeps.at(lease.sweep).spec.resources;
  if (!e.width != (needs.cpus_max == 0)) return "records its slots without a range, or none";
  if (!e.width) return {};
  ++tally.ranges;
  const WorkerState& worker = book.workers.at(lease.worker);
  if (e.width->cpus < needs.cpus || e.width->cpus > needs.cpus_max)
    return "has " + std::to_string(e.width->cpus) + " slots of " + std::to_string(needs.cpus) +
           " to " + std::to_string(needs.cpus_max);
  if (worker.leased.cpus > worker.cpus) return "takes more slots than its worker has";
  const auto& most = book.sweeps.at(lease.sweep).spec.slots.max;
  if (most && book.sweeps.at(lease.sweep).service.held > *most) return "exceeds slots.max";
  if (e.width->cpus == needs.cpus) return {};
  ++tally.wide;
  return another_waits(book, lease, e.width->cpus - needs.cpus, now)
             ? "has more slots than it needs while another run waits for them"
             : "";
}

}  // namespace

std::string greedy_width(SQLite::Database& db, WidthTally& tally) {
  Book book;
  std::string fault;
  Ledger(db).replay(0, [&](const Event& event) {
    evolve(book, event);
    if (const auto* e = std::get_if<RunReturned>(&event.body); e && e->keep) ++tally.changed;
    const auto* e = std::get_if<LeaseGranted>(&event.body);
    if (e == nullptr || !fault.empty()) return;
    fault = fault_of(book, *e, event.at, tally);
    if (!fault.empty()) fault = text(e->lease) + " " + fault;
  });
  return fault;
}

}  // namespace hone::sim
