// Makes a data folder whole again of which a start quarantines sweeps.
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "db/file/backup.hpp"
#include "db/file/database.hpp"
#include "db/file/high_water.hpp"
#include "db/ledger/chain.hpp"
#include "db/ledger/leave_out.hpp"
#include "db/ledger/ledger.hpp"
#include "db/queries/queries.hpp"
#include "schemas/codec/event_codec.hpp"
#include "server/sweep/decide.hpp"
#include "server/sweep/submit/check.hpp"
#include "server/sweep/submit/past_fits.hpp"
#include "server/upkeep/parts.hpp"

namespace hone::upkeep {
namespace {

// Chooses the events that cannot stay: those that cannot be read, an edit that leaves a domain in
// which nothing can be proposed, and the later events of the same sweep that need one of them.
class Choice {
 public:
  explicit Choice(RepairReport& report) : report_(report) {}

  // Refuses an event of no sweep that cannot be read: the others may all need it.
  Status add(const Event& event, SweepId sweep) {
    const std::string why = check_event(event.body, sweep);
    if (!why.empty()) return leave_out(event.seq, sweep, why);
    evolve(book_, event);
    return Done{};
  }
  Status leave_out(std::int64_t seq, SweepId sweep, const std::string& why) {
    if (!sweep)
      return refuse(Code::invalid, "event " + std::to_string(seq) + " is of no sweep and " + why +
                                       ": restore a backup");
    const auto known = std::ranges::find(report_.sweeps, sweep, &RepairedSweep::sweep);
    if (known == report_.sweeps.end())
      report_.sweeps.push_back({sweep, seq, 1, why});
    else
      ++known->events;
    left_out_.insert(seq);
    return Done{};
  }
  [[nodiscard]] const std::set<std::int64_t>& left_out() const { return left_out_; }

 private:
  [[nodiscard]] std::string check_event(const EventBody& body, SweepId sweep) const {
    if (const auto* edited = std::get_if<SweepEdited>(&body))
      if (const Sweep* edits = find_sweep(book_, edited->sweep))
        if (auto wider = check_widenings(edits->spec, edited->widened); !wider)
          return "is an edit that is not allowed: " + wider.error().detail;
    const bool damaged =
        std::ranges::find(report_.sweeps, sweep, &RepairedSweep::sweep) != report_.sweeps.end();
    if (!damaged) return {};
    // Its id may be given again: a note on it would then be on another sweep.
    if (!std::holds_alternative<SweepSubmitted>(body) && find_sweep(book_, sweep) == nullptr)
      return "is of a sweep that is left out";
    const auto fit = fits(book_, body);
    return fit ? std::string() : fit.error().detail;
  }

  RepairReport& report_;
  Book book_;
  std::set<std::int64_t> left_out_;
};

Result<std::set<std::int64_t>> choose(SQLite::Database& db, const Progress& progress,
                                      RepairReport& report) {
  Choice choice(report);
  const std::int64_t total = last_seq(db);
  SQLite::Statement rows(db, "SELECT seq, at, kind, body, sweep FROM event ORDER BY seq");
  while (rows.executeStep()) {
    const std::int64_t seq = rows.getColumn(0).getInt64();
    const SweepId sweep{rows.getColumn(4).getInt64()};
    progress("events", seq, total);
    const auto document = parse_json(rows.getColumn(3).getString());
    auto body = document ? decode_event(rows.getColumn(2).getString(), *document)
                         : Result<EventBody>(document.error());
    auto added =
        body ? choice.add({seq, {rows.getColumn(1).getInt64()}, *std::move(body)}, sweep)
             : choice.leave_out(seq, sweep,
                                "cannot be read: " + body.error().detail + " " + body.error().at);
    if (!added) return added.error();
  }
  report.events = total;
  return choice.left_out();
}

}  // namespace

void forget_earlier(const DataFolder& folder, std::int64_t last) {
  std::error_code ignored;
  std::filesystem::remove(folder.snapshot(), ignored);
  std::filesystem::remove(folder.path() / head_file, ignored);
  if (const auto mark = HighWater::open(folder.path())) mark->advance(last);
}

Result<RepairReport> repair(const std::filesystem::path& folder, const Progress& progress) {
  if (const auto readable = open_folder(folder); !readable) return readable.error();
  const auto held = DataFolder::open(folder);
  if (!held) return held.error();
  const auto db = open_for_writing(held->database().string());
  if (!db) return db.error();
  RepairReport report;
  try {
    const auto removed = choose(**db, progress, report);
    if (!removed) return removed.error();
    if (removed->empty()) return report;
    auto copy = back_up_beside(**db, held->database().string());
    if (!copy) return copy.error();
    report.backup = *std::move(copy);
    report.removed = static_cast<std::int64_t>(removed->size());
    leave_out(**db, *removed);
    forget_earlier(*held, last_seq(**db));
    return report;
  } catch (const std::exception& trouble) {
    return refuse(Code::internal, std::string("the ledger cannot be repaired: ") + trouble.what() +
                                      ". Nothing was changed: restore a backup");
  }
}

}  // namespace hone::upkeep
