#include "server/engine/ended_sweeps.hpp"

#include <SQLiteCpp/Transaction.h>

#include <algorithm>
#include <stdexcept>

#include "db/queries/past.hpp"
#include "schemas/types/event.hpp"
#include "server/engine/book_archive.hpp"

namespace hone {
namespace {

// Returns why the row cannot be used, or an empty text.
std::string read_row(Book& book, const std::optional<EndedRow>& row) {
  if (!row) return "it is missing";
  if (row->stamp != book_stamp()) return "another build of hone wrote it";
  if (static_cast<std::uint64_t>(row->checksum) != checksum(row->state)) return "it is damaged";
  try {
    insert_sweep(book, row->state);
    return {};
  } catch (const std::runtime_error& trouble) {
    return std::string("it is damaged: ") + trouble.what();
  }
}

}  // namespace

EndedSweeps::EndedSweeps(SQLite::Database& db, Book& book, EndedBounds bounds,
                         const Quarantine& left_out)
    : db_(db), book_(book), bounds_(bounds), left_out_(left_out), rows_(db) {}

std::optional<SweepId> EndedSweeps::sweep_of(TrialId trial) const { return rows_.sweep_of(trial); }

void EndedSweeps::begin(std::int64_t seq) {
  if (seq == 0)
    rows_.clear();
  else
    rows_.prune(seq);
  kept_.clear();
  for (const auto& [id, sweep] : book_.sweeps)
    if (is_end(sweep.state)) kept_.push_back(id);
  grown_ = true;
}

void EndedSweeps::load(const Touched& touched, std::int64_t seq) {
  for (const SweepId id : touched.sweeps) load(id, seq);
  for (const TrialId id : touched.trials) {
    if (const auto known = book_.trials.find(id); known != book_.trials.end())
      use(known->second.first);
    else if (id.value >= 1 && id.value <= book_.last_trial)
      if (const auto sweep = rows_.sweep_of(id)) load(*sweep, seq);
  }
}

void EndedSweeps::load(SweepId id, std::int64_t seq) {
  if (id.value < 1 || id.value > book_.last_sweep || left_out_.contains(id)) return;
  if (book_.unfinished.contains(id)) return;
  if (!book_.sweeps.contains(id)) {
    const auto row = rows_.find(id, seq);
    if (!row && !rows_.knows(id)) return;  // hone db rm or hone db repair left it out
    if (const auto why = read_row(book_, row); !why.empty()) give_up(id, why);
    kept_.push_back(id);
    grown_ = true;
  }
  use(id);
}

void EndedSweeps::load_all(std::int64_t seq) {
  for (const SweepId id : rows_.list(seq, book_stamp())) load(id, seq);
}

void EndedSweeps::load(const SweepPast& past, std::int64_t seq) {
  if (!past.confirms || past.events.empty()) return;
  const auto* submitted = std::get_if<SweepSubmitted>(&past.events.front().body);
  const auto id = sweep_submitted(db_, past.confirms->submitted_at, past.confirms->seed);
  if (submitted == nullptr || !id) return;
  load(*id, seq);
  for (const SweepId confirmation : confirmations_of(db_, *id, submitted->spec->seed))
    load(confirmation, seq);
}

void EndedSweeps::load_confirmed(SweepId confirmation, std::int64_t seq) {
  const Sweep* sweep = find_sweep(book_, confirmation);
  if (sweep == nullptr || !sweep->spec.confirms) return;
  if (const auto confirmed = confirmed_by(db_, confirmation)) load(*confirmed, seq);
}

// The sweep used last is at the end. Few are kept.
void EndedSweeps::use(SweepId id) {
  if (kept_.empty() || kept_.back() == id) return;
  if (const auto at = std::ranges::find(kept_, id); at != kept_.end())
    std::rotate(at, at + 1, kept_.end());
}

void EndedSweeps::folded(const EventBody& event) {
  SweepId id{};
  if (const auto* ended = std::get_if<SweepEnded>(&event)) id = ended->sweep;
  const auto* imported = std::get_if<SweepImported>(&event);
  if (imported != nullptr && book_.sweeps.contains(imported->sweep)) id = imported->sweep;
  if (!id) return;
  std::erase(kept_, id);
  kept_.push_back(id);
  grown_ = true;
}

std::vector<SweepId> EndedSweeps::choose() {
  std::erase_if(kept_, [&](SweepId id) { return !may_leave(book_.sweeps.at(id)); });
  std::size_t trials = 0;
  for (const SweepId id : kept_) trials += book_.sweeps.at(id).trials.size();
  std::size_t left = kept_.size();
  if (left <= bounds_.sweeps && trials <= bounds_.trials) return {};
  std::vector<SweepId> leaving;
  for (const SweepId id : kept_) {
    if (left <= bounds_.sweeps / 2 && trials <= bounds_.trials / 2) break;
    if (left == 1 && bounds_.sweeps > 0) break;
    leaving.push_back(id);
    trials -= book_.sweeps.at(id).trials.size();
    --left;
  }
  return leaving;
}

void EndedSweeps::leave(std::int64_t seq) {
  if (!std::exchange(grown_, false)) return;
  const auto leaving = choose();
  if (leaving.empty()) return;
  SQLite::Transaction transaction(db_, SQLite::TransactionBehavior::IMMEDIATE);
  for (const SweepId id : leaving) store(id, seq);
  transaction.commit();
  for (const SweepId id : leaving) {
    remove_sweep(book_, id);
    std::erase(kept_, id);
  }
}

// Most sweeps that were loaded were only read: their row is right already.
void EndedSweeps::store(SweepId id, std::int64_t seq) {
  EndedRow row{std::string(book_stamp()), 0, archive_sweep(book_, id)};
  if (const auto known = rows_.find(id, seq); known && known->state == row.state) return;
  row.checksum = static_cast<std::int64_t>(checksum(row.state));
  rows_.put(id, seq, row);
}

void EndedSweeps::give_up(SweepId id, const std::string& why) {
  throw std::runtime_error("the stored state of " + text(id) + " cannot be used: " + why +
                           "; remove book.snapshot, and the next start makes it from the ledger");
}

void load_ended(SQLite::Database& db, Book& book, std::int64_t seq) {
  EndedSweeps(db, book, {}).load_all(seq);
}

bool holds_ended(SQLite::Database& db, const Book& book, std::int64_t seq, std::string_view stamp) {
  EndedRows rows(db);
  const auto held = rows.list(seq, stamp);
  return std::ranges::all_of(rows.recorded(SweepId{book.last_sweep}), [&](SweepId id) {
    return book.sweeps.contains(id) || book.unfinished.contains(id) ||
           std::ranges::binary_search(held, id);
  });
}

}  // namespace hone
