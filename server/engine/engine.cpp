#include "server/engine/engine.hpp"

#include <algorithm>
#include <utility>

#include "base/expect.hpp"
#include "schemas/types/event.hpp"
#include "server/engine/metric_feed.hpp"
#include "server/limits.hpp"

namespace hone {
namespace {

bool is_empty_grant(const Result<Reply>& reply) {
  const auto* grant = reply ? std::get_if<std::optional<LeaseGrant>>(&*reply) : nullptr;
  return grant != nullptr && !grant->has_value();
}

Reply no_work() { return std::optional<LeaseGrant>{}; }

}  // namespace

Engine::Engine(SQLite::Database& db, Instant now, EngineOptions options, Restored restored)
    : options_(options),
      ledger_(db),
      book_(std::move(restored.book)),
      ended_(db, book_, options.ended),
      seq_(restored.seq) {
  replay();
  const Command start = Start{HONE_VERSION, options_.lease, options_.epoch};
  const auto started = perform(start, std::max(now, book_.last_at));
  expect(started.ok(), "a server may always start");
  close_transaction();
}

void Engine::replay() {
  ended_.begin(seq_);
  const auto visit = [this](const Event& event) {
    ended_.load(touched_by(event.body), seq_);
    evolve(book_, event);
    ended_.folded(event.body);
    seq_ = event.seq;
  };
  for (auto before = seq_ - 1; before != seq_;) {
    before = seq_;
    ledger_.replay(seq_, visit, limits::replay_step_events);
    ended_.leave(seq_);
  }
}

const Book& Engine::whole_book() {
  ended_.load_all(seq_);
  return book_;
}

void Engine::step(std::vector<Envelope> batch, Instant now) {
  std::vector<Answer> answers;
  if (options_.meter != nullptr) options_.meter->took(batch.size());
  try {
    work(std::move(batch), std::max(now, book_.last_at), answers);
    close_transaction();
  } catch (...) {
    ledger_.rollback();
    throw;
  }
  enter(Part::reply);
  for (auto& [envelope, reply] : answers) envelope.reply(std::move(reply));
  ended_.leave(seq_);
  enter(Part::idle);
}

std::optional<Instant> Engine::next_deadline() const {
  auto next = hone::next_deadline(book_);
  for (const auto& parked : parked_) next = next ? std::min(*next, parked.until) : parked.until;
  return next;
}

void Engine::release_parked() {
  polls_.clear();
  for (auto& parked : std::exchange(parked_, {}))
    parked.envelope.reply(
        refuse(Code::unavailable, "the server is shutting down: try again later"));
}

// Deadlines come after the commands: a heartbeat that waited in the inbox still renews its lease.
void Engine::work(std::vector<Envelope> batch, Instant now, std::vector<Answer>& answers) {
  const auto seq_before = seq_;
  for (auto& envelope : batch) handle(std::move(envelope), now, answers);
  meet_deadlines(now);
  // Without a new event little can have changed: turns alone, which follow the time as well, and
  // which the worker's next request finds.
  if (seq_ != seq_before) retry_parked(now, answers);
  release_late(now, answers);
}

void Engine::handle(Envelope envelope, Instant now, std::vector<Answer>& answers) {
  auto reply = perform_once(envelope, now);
  const auto* acquire = std::get_if<Acquire>(&envelope.command);
  if (acquire != nullptr && reply) release_replaced(acquire->request, answers);
  const bool may_wait = acquire != nullptr && acquire->request.wait > Duration{} &&
                        parked_.size() < limits::parked_acquires_max;
  if (!may_wait || !is_empty_grant(reply)) {
    answers.push_back({std::move(envelope), std::move(reply)});
    return;
  }
  const Instant until = now + std::min(acquire->request.wait, limits::acquire_wait_max);
  const WorkerId worker = acquire->request.worker;
  parked_.push_back({std::move(envelope), until});
  ++polls_[worker];
}

void Engine::meet_deadlines(Instant now) {
  while (true) {
    const auto deadline = hone::next_deadline(book_);
    if (!deadline || *deadline > now) return;
    const auto seq_before = seq_;
    expect(perform(Tick{}, now).ok() && seq_ != seq_before,
           "a tick meets the deadline that is due");
  }
}

void Engine::retry_parked(Instant now, std::vector<Answer>& answers) {
  if (parked_.empty()) return;
  auto wanted = resources_wanted(book_);  // once, and not for each of 2,048: it reads every sweep
  std::vector<Parked> waiting;
  for (auto& parked : std::exchange(parked_, {})) {
    const auto& request = std::get<Acquire>(parked.envelope.command).request;
    auto reply = may_serve(book_, request, wanted)
                     ? perform(parked.envelope.command, now, parked.envelope.by)
                     : Result<Reply>(no_work());
    if (is_empty_grant(reply)) {
      waiting.push_back(std::move(parked));
      continue;
    }
    unpark(parked, std::move(reply), answers);
    wanted = resources_wanted(book_);
  }
  parked_ = std::move(waiting);
}

// A worker sends a new request while one is parked when its offer has changed: the parked one would
// hide its free slots. The same request again is kept, since either connection may be the dead one.
// A request that does not wait replaces nothing, except one without slots: its worker leaves, and
// would get the runs that it returns.
void Engine::release_replaced(const AcquireRequest& by, std::vector<Answer>& answers) {
  if ((by.wait == Duration{} && by.cpus > 0) || !polls_.contains(by.worker)) return;
  const auto stays = [&](const Parked& one) {
    const AcquireRequest& parked = std::get<Acquire>(one.envelope.command).request;
    return parked.worker != by.worker || (parked.request_id == by.request_id && by.cpus > 0);
  };
  const auto replaced = std::stable_partition(parked_.begin(), parked_.end(), stays);
  answer_unserved(replaced, answers);
}

void Engine::answer_unserved(std::vector<Parked>::iterator from, std::vector<Answer>& answers) {
  for (auto one = from; one != parked_.end(); ++one) unpark(*one, no_work(), answers);
  parked_.erase(from, parked_.end());
}

void Engine::unpark(Parked& parked, Result<Reply> reply, std::vector<Answer>& answers) {
  const auto polls = polls_.find(std::get<Acquire>(parked.envelope.command).request.worker);
  if (--polls->second == 0) polls_.erase(polls);
  answers.push_back({std::move(parked.envelope), std::move(reply)});
}

void Engine::release_late(Instant now, std::vector<Answer>& answers) {
  const auto late = std::stable_partition(parked_.begin(), parked_.end(),
                                          [now](const Parked& one) { return one.until > now; });
  answer_unserved(late, answers);
}

// The digest is kept with the events of the request: a refused one may be sent again with another
// body.
Result<Reply> Engine::perform_once(const Envelope& envelope, Instant now) {
  const std::string* id = envelope.digest.empty() ? nullptr : request_id_of(envelope.command);
  if (id == nullptr) return perform(envelope.command, now, envelope.by);
  // Clients may number the sets that they enqueue in each sweep.
  const auto* enqueue = std::get_if<Enqueue>(&envelope.command);
  const std::string key = enqueue != nullptr ? text(enqueue->sweep) + '\n' + *id : *id;
  const auto known = ledger_.request_digest(key);
  if (known && *known != envelope.digest)
    return refuse(Code::conflict,
                  "the request id '" + *id + "' was used for another request: choose another",
                  "/request_id");
  const auto seq_before = seq_;
  auto reply = perform(envelope.command, now, envelope.by);
  if (reply && seq_ != seq_before && !known) ledger_.keep_request(key, envelope.digest);
  return reply;
}

Result<Reply> Engine::perform(const Command& command, Instant now, const Caller& by) {
  enter(Part::decide);
  ended_.load(touched_by(book_, command, now), seq_);
  if (const auto* import = std::get_if<Import>(&command)) ended_.load(import->request->past, seq_);
  if (const auto* edit = std::get_if<Edit>(&command)) ended_.load_confirmed(edit->sweep, seq_);
  if (const auto* confirm = std::get_if<Confirm>(&command))
    ended_.load_confirmed(confirm->sweep, seq_);
  if (auto may = check_caller(book_, by, command); !may) return may.error();
  const auto events = decide(book_, command, now);
  if (!events) return events.error();
  fold(*events, now);
  if (const auto* log = std::get_if<LogMetrics>(&command); log && !log->request.points.empty()) {
    open_transaction();
    const RunId run = book_.run_of_lease.at(*lease_index(book_, log->lease));
    ledger_.append_metrics(run, now, log->request.points);
    if (options_.feed != nullptr) options_.feed->add(run, now, log->request.points);
  }
  if (const auto* import = std::get_if<Import>(&command); import && !events->empty())
    store_series(*import, std::get<SweepImported>(events->back()));
  auto reply = answer(book_, command);
  if (auto* submitted = std::get_if<Submitted>(&reply)) submitted->known = events->empty();
  return reply;
}

// The trials of the document count from 1, those of the imported events from the first free id.
void Engine::store_series(const Import& import, const SweepImported& imported) {
  std::int64_t before = 0;
  for (const Event& event : imported.past)
    if (const auto* first = std::get_if<TrialProposed>(&event.body); first != nullptr) {
      before = first->trial.value - 1;
      break;
    }
  for (const Series& series : import.request->past.metrics) {
    const RunId run{TrialId{before + series.run.trial.value}, series.run.replicate};
    ledger_.append_series(run, series);
    if (options_.feed == nullptr) continue;
    for (const SeriesPoint& point : series.points)
      options_.feed->add(run, point.at, {{series.name, point.step, point.value}});
  }
}

void Engine::fold(const Events& events, Instant now) {
  for (const EventBody& body : events) {
    open_transaction();
    const Event event{seq_ + 1, now, body};
    enter(Part::append);
    ledger_.append(event);
    enter(Part::evolve);
    evolve(book_, event);
    ended_.folded(body);
    seq_ = event.seq;
    if (options_.meter != nullptr) options_.meter->happened(body);
  }
}

// The first write opens the transaction: most heartbeats write nothing and cost no commit.
void Engine::open_transaction() {
  if (writing_) return;
  ledger_.begin();
  writing_ = true;
}

void Engine::close_transaction() {
  if (!writing_) return;
  enter(Part::commit);
  ledger_.commit();
  writing_ = false;
}

}  // namespace hone
