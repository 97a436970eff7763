#include "tests/sim/neighbours.hpp"

#include <variant>

#include "db/ledger/ledger.hpp"
#include "schemas/types/event.hpp"
#include "server/sweep/decide.hpp"

namespace hone::sim {
namespace {

std::string fault_of(const Book& book, const RunReturned& e, Instant at) {
  const Run& run = *find_run(book, e.run);
  if (sweep_of(book, e.run).live_leases < 2)
    return text(e.run) + " left its neighbours and was the only run of its sweep";
  if (run.separated_at > Instant{} && at - run.separated_at < seconds(600))
    return text(e.run) + " left its neighbours twice in ten minutes";
  return {};
}

std::string fault_of(const Book& book, const WorkerSeen& e) {
  if (book.workers.at(e.worker).runs.empty())
    return text(e.worker) + " keeps a slot free without a run";
  if (book.sweeps.at(e.kept_free->sweep).live_leases == 0)
    return text(e.worker) + " keeps a slot free from a sweep without a run";
  return {};
}

}  // namespace

std::string unfair_neighbours(SQLite::Database& db, NeighbourTally& tally) {
  Book book;
  std::string fault;
  Ledger(db).replay(0, [&](const Event& event) {
    const auto note = [&](const std::string& one) { fault = fault.empty() ? one : fault; };
    if (const auto* e = std::get_if<RunReturned>(&event.body); e && e->separated)
      ++tally.separated, note(fault_of(book, *e, event.at));
    const auto* seen = std::get_if<WorkerSeen>(&event.body);
    if (seen != nullptr && seen->kept_free && !book.workers.at(seen->worker).kept_free)
      ++tally.kept, note(fault_of(book, *seen));
    if (const auto* e = std::get_if<LeaseGranted>(&event.body); e && e->neighbours)
      ++tally.forecast;
    evolve(book, event);
  });
  return fault;
}

}  // namespace hone::sim
