#include "tests/sim/server_host.hpp"

#include <SQLiteCpp/Exception.h>

#include <algorithm>
#include <iterator>

#include "base/expect.hpp"
#include "db/file/database.hpp"
#include "db/ledger/ledger.hpp"
#include "db/queries/queries.hpp"
#include "server/api/router.hpp"
#include "server/engine/book_archive.hpp"
#include "server/engine/book_snapshot.hpp"
#include "tests/sim/honest.hpp"

namespace hone::sim {

using faultfs::Fault;

Book replayed(SQLite::Database& db) {
  Book book;
  Ledger(db).replay(0, [&](const Event& event) { evolve(book, event); });
  return book;
}

ServerHost::ServerHost(Agenda& agenda, const FaultPlan& faults, Rng& rng, std::uint64_t seed)
    : agenda_(agenda),
      faults_(faults),
      rng_(rng),
      ended_{seed % 3, seed % 3 * 8},  // every ended sweep leaves at once, or all but one, or two
      disk_(seed) {
  disk_.ask_before([this] { return draw_fault(); });
  boot();
}

ServerHost::~ServerHost() {
  disk_.ask_before({});
  engine_.reset();
  reader_.reset();
  told_.reset();
  db_.reset();
}

Fault ServerHost::draw_fault() {
  if (rng_.uniform() >= faults_.disk) return Fault::none;
  static constexpr Fault all[] = {Fault::kill, Fault::power_cut, Fault::write_error,
                                  Fault::disk_full, Fault::sync_error};
  return all[rng_.below(std::size(all))];
}

void ServerHost::heal() { disk_.free_space(); }

// Requests are parsed before the engine, as on the network thread.
bool ServerHost::push(const Message& message, Answer answer) {
  if (!up()) return false;
  auto request = api::parse_target(message.method, message.target);
  expect(request.ok(), "a worker's target parses");
  request->body = message.body;
  auto match = api::find_route(request->method, request->path);
  expect(match.route != nullptr, "a worker asks where something is");
  request->ids = std::move(match.ids);
  expect(api::check_query(*match.route, *request).ok(), "a worker's query is known");
  const auto& write = std::get<api::Write>(match.route->handler);
  // write.check is not called: it only checks blobs, which the simulation does not have.
  const auto command = write.parse(*request);
  if (!command) {
    answer(api::problem(command.error()));
    return true;
  }
  const std::int64_t number = ++arrivals_;
  unanswered_.emplace(number, *command);
  inbox_.push_back(
      {*command, [this, number, &write, answer = std::move(answer)](const Result<Reply>& reply) {
         unanswered_.erase(number);
         answer(api::render_write(write, reply));
       }});
  schedule_step();
  return true;
}

Restored ServerHost::restored() {
  // A start without it stores the ended sweeps again, so that it may lack some from then on.
  if (!snapshot_.empty() && rng_.below(4) == 0) snapshot_.clear();
  if (snapshot_.empty()) return {};
  auto loaded = restore(snapshot_, *db_, book_stamp());
  expect(loaded.ok(), "a snapshot of this ledger is taken");
  ++snapshots_used_;
  return std::move(*loaded);
}

void ServerHost::boot() {
  if (disk_.down()) disk_.restart();
  if (rng_.below(2) == 0) disk_.free_space();
  auto opened = open_for_writing("hone.db");
  if (!opened) return crash(Fault::kill);  // the disk failed
  db_ = std::move(*opened);
  clock_.emplace([this] { return agenda_.now() + wall_offset_; }, [this] { return agenda_.now(); },
                 last_instant(*db_));
  try {
    engine_ =
        std::make_unique<Engine>(*db_, server_time(), EngineOptions{.ended = ended_}, restored());
    auto reader = open_for_reading("hone.db");
    if (!reader) return crash(Fault::kill);
    reader_ = std::move(*reader);
  } catch (const std::exception&) {
    return crash(Fault::kill);  // its first commit failed
  }
  look_at_news();
  schedule_step();
}

Instant ServerHost::server_time() { return (*clock_)(); }

void ServerHost::crash(Fault how) {
  ++crashes_;
  if (!disk_.down()) disk_.stop(how);
  engine_.reset();
  reader_.reset();
  told_.reset();
  db_.reset();
  inbox_.clear();
  unanswered_.clear();
  step_at_.reset();
  const auto down = milliseconds(static_cast<std::int64_t>(rng_.below(20'000)));
  agenda_.after(down, [this] { boot(); });
}

void ServerHost::step() {
  step_at_.reset();
  if (!up()) return;
  if (rng_.uniform() < faults_.crash)
    return crash(rng_.below(2) == 0 ? Fault::kill : Fault::power_cut);
  std::vector<Envelope> batch;
  batch.swap(inbox_);
  const Instant now = server_time();
  try {
    engine_->step(std::move(batch), now);
    look_at_news();
    read_something();
    if (rng_.below(64) == 0)
      snapshot_ = snapshot_text(engine_->book(), engine_->last_seq(),
                                event_text(*db_, engine_->last_seq()), book_stamp());
  } catch (const SQLite::Exception&) {
    return crash(Fault::kill);
  }
  check_waiting(now);
  check_replay();
  schedule_step();
}

// Shows the witness each committed event once. A boot that loses one of them breaks the sequence.
void ServerHost::look_at_news() {
  if (engine_->last_seq() < witness_.seen()) broken_ = "nothing committed is lost: events are gone";
  if (engine_->last_seq() == witness_.seen()) return;
  if (!told_) told_.emplace(*db_);  // preparing its statements costs more than a step
  told_->replay(witness_.seen(), [this](const Event& event) {
    const std::string what = witness_.see(event, agenda_.now());
    if (broken_.empty() && !what.empty()) broken_ = what;
  });
}

// Reads something from the API: no read may fail with an internal error.
void ServerHost::read_something() {
  if (rng_.below(32) != 0) return;
  const auto routes = api::route_table();
  const api::Route& route = routes[rng_.below(routes.size())];
  if (!std::holds_alternative<api::Read>(route.handler) &&
      !std::holds_alternative<api::Piecewise>(route.handler))
    return;
  api::Request request;
  request.path = std::string(route.pattern);
  const auto pick = [&](const std::string& name, const char* prefix) {
    if (request.path.find(name) != std::string::npos)
      request.ids.push_back(prefix + std::to_string(1 + rng_.below(12)) +
                            (name == "{run}" ? ".0" : ""));
  };
  pick("{sweep}", "sw_"), pick("{trial}", "tr_"), pick("{run}", "rn_"), pick("{worker}", "wk_");
  pick("{model}", "md_"), pick("{workflow}", "wf_"), pick("{dataset}", "ds_"), pick("{id}", "tr_");
  pick("{fleet}", "fl_"), pick("{pilot}", "pi_"), pick("{evaluation}", "ev_");
  pick("{study}", "study-");
  const auto answered = api::answer_read(route, *reader_, request);
  ++reads_;
  if (answered.status >= 500 && broken_.empty() && !disk_.down())
    broken_ = "every question is answered: " + request.path + " with " + answered.body;
}

// Only a worker's request for work may wait, and only if there is none: no worker idles while work
// exists, and no run waits for the verdict of another.
void ServerHost::check_waiting(Instant now) const {
  if (!inbox_.empty()) return;
  for (const auto& [number, command] : unanswered_) {
    expect(std::holds_alternative<Acquire>(command), "only those who ask for work wait");
    // Whose turn it is depends on the time: what became work since the newest event waits for the
    // next one, or for the end of the poll.
    const auto gets_work = [&](Instant at) {
      const auto events = decide(engine_->book(), command, at);
      return !events.ok() || std::any_of(events->begin(), events->end(), [](const auto& e) {
        return std::holds_alternative<LeaseGranted>(e);
      });
    };
    const bool work = gets_work(engine_->book().last_at) && gets_work(now);
    expect(!work, "no worker waits while there is work for it");
  }
}

namespace {

// What every rule would decide next.
bool same_further_verdicts(const Sweep& live, const Sweep& told) {
  if (live.rank_prior != told.rank_prior) return false;
  const bool left = proposals_left(live) > 0;
  const NextAction move = live.terminator->next(live.history, left);
  const NextAction again = told.terminator->next(told.history, left);
  if (move.kind != again.kind || move.index != again.index) return false;
  for (std::size_t run = 0; run < live.history.runs().size(); ++run) {
    const RunRecord& record = live.history.runs()[run];
    const int phase = static_cast<int>(record.merits.size());
    if (record.state == RunRecord::State::paused &&
        live.terminator->promotable(live.history, run) !=
            told.terminator->promotable(told.history, run))
      return false;
    if (record.state != RunRecord::State::active || phase + 1 >= live.spec.budget.phases) continue;
    for (const double value : {-1.0, 0.5, 2.0, 9.0})
      if (live.terminator->judge(live.history, run, phase, Score::of(value)) !=
          told.terminator->judge(told.history, run, phase, Score::of(value)))
        return false;
  }
  return true;
}

}  // namespace

// Costly, so not after every step. The step after a crash checks the restart.
void ServerHost::check_replay() {
  if (rng_.below(64) != 0) return;
  const Book told = replayed(*db_);
  const Book& live = engine_->whole_book();
  expect(archive_book(told) == archive_book(live), "replay equals the live state");
  if (const auto lie = dishonest_aggregate(live); broken_.empty() && !lie.empty())
    broken_ = "aggregates are honest, whatever became of seeds: " + lie;
  for (const SweepId id : live.open_sweeps)
    expect(same_further_verdicts(live.sweeps.at(id), told.sweeps.at(id)),
           "replay leads to the same further verdicts");
}

// One step is due at a time: soon when commands wait, else at the engine's next deadline.
void ServerHost::schedule_step() {
  if (!up()) return;
  // A deadline is in the server's time, the agenda in the world's time.
  std::optional<Instant> due;
  if (const auto deadline = engine_->next_deadline())
    due = agenda_.now() + std::max(*deadline - server_time(), milliseconds(1));
  if (!inbox_.empty()) due = agenda_.now() + milliseconds(1);
  if (!due || (step_at_ && *step_at_ <= *due)) return;
  step_at_ = due;
  agenda_.at(*due, [this, planned = *due] {
    if (step_at_ == planned) step();
  });
}

}  // namespace hone::sim
