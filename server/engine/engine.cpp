#include "server/engine/engine.hpp"

#include <SQLiteCpp/Exception.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/expect.hpp"
#include "schemas/codec/event_codec.hpp"
#include "schemas/rules/rules.hpp"
#include "schemas/types/event.hpp"
#include "server/engine/metric_feed.hpp"
#include "server/engine/quarantine.hpp"
#include "server/limits.hpp"
#include "server/sweep/lease/resource_demand.hpp"

namespace hone {
namespace {

bool is_empty_grant(const Result<Reply>& reply) {
  const auto* grant = reply ? std::get_if<std::optional<LeaseGrant>>(&*reply) : nullptr;
  return grant != nullptr && !grant->has_value();
}

Reply no_work() { return std::optional<LeaseGrant>{}; }

}  // namespace

Engine::Engine(SQLite::Database& db, Instant now, EngineOptions options, Restored restored)
    : db_(db),
      options_(std::move(options)),
      ledger_(db),
      book_(std::move(restored.book)),
      ended_(db, book_, options_.ended, quarantine_),
      seq_(restored.seq) {
  replay();
  keep_quarantine(db, quarantine_);
  for (const auto& [sweep, one] : quarantine_)
    options_.fault(text(sweep) + " is quarantined: " + one.why +
                   ". The other sweeps are served. Stop the server and run: hone db repair");
  const Command start = Start{HONE_VERSION, options_.lease, options_.epoch};
  drop_unfinished(std::max(now, book_.last_at));
  const auto started = perform(start, std::max(now, book_.last_at));
  expect(started.ok(), "a server may always start");
  batch_.commit();
}

// Each round quarantines one more sweep at least, and begins again without it.
void Engine::replay() {
  while (true) {
    try {
      return replay_ledger();
    } catch (const SQLite::Exception&) {
      throw;
    } catch (const std::exception& trouble) {
      if (!quarantine_next(trouble.what())) throw;
    }
    book_ = Book{};
    seq_ = 0;
  }
}

void Engine::replay_ledger() {
  ended_.begin(seq_);
  const auto visit = [this](const Event& event) {
    ended_.load(touched_by(event.body), seq_);
    evolve(book_, event);
    expect_allowed(book_, event.body);
    ended_.folded(event.body);
    seq_ = event.seq;
  };
  const LeftOut left_out{[this](SweepId id) { return quarantine_.contains(id); },
                         [this](const LedgerRow& row) {
                           evolve_left_out(book_, row);
                           seq_ = row.seq;
                         }};
  for (auto before = seq_ - 1; before != seq_;) {
    before = seq_;
    ledger_.replay(seq_, visit, limits::replay_step_events, left_out);
    ended_.leave(seq_);
  }
}

// The replay stopped at the event after seq_. False where that event is of no sweep.
bool Engine::quarantine_next(const std::string& why) {
  if (quarantine_.empty()) quarantine_ = find_unreadable(db_);
  const auto sweep = sweep_of_event(db_, seq_ + 1);
  if (!sweep) return false;
  quarantine_.emplace(*sweep, Quarantined{seq_ + 1, why});
  return true;
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
    enter(Part::commit);
    batch_.commit();
  } catch (...) {
    batch_.rollback();
    throw;
  }
  enter(Part::reply);
  for (auto& [envelope, reply] : answers) envelope.reply(std::move(reply));
  ended_.leave(seq_);
  enter(Part::idle);
}

std::optional<Instant> Engine::next_deadline() const {
  if (importing_ || !imports_.empty()) return book_.last_at;
  auto next = hone::next_deadline(book_);
  for (const auto& parked : parked_) next = next ? std::min(*next, parked.until) : parked.until;
  return next;
}

void Engine::release_parked() {
  polls_.clear();
  const Error ends = refuse(Code::unavailable, "the server is shutting down: try again later");
  for (auto& parked : std::exchange(parked_, {})) parked.envelope.reply(ends);
  if (importing_) importing_->envelope.reply(ends);
  importing_.reset();
  for (auto& envelope : std::exchange(imports_, {})) envelope.reply(ends);
}

// Deadlines come after the commands: a heartbeat that waited in the inbox still renews its lease.
void Engine::work(std::vector<Envelope> batch, Instant now, std::vector<Answer>& answers) {
  const auto seq_before = seq_;
  for (auto& envelope : batch) handle(std::move(envelope), now, answers);
  import_part(now, answers);
  meet_deadlines(now);
  // Without a new event little can have changed: turns alone, which follow the time as well, and
  // which the worker's next request finds.
  if (seq_ != seq_before) retry_parked(now, answers);
  release_late(now, answers);
}

void Engine::handle(Envelope envelope, Instant now, std::vector<Answer>& answers) {
  if (is_in_parts(envelope.command)) return imports_.push_back(std::move(envelope));
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
    const auto ticked = perform(Tick{}, now);
    if (!ticked) throw std::runtime_error(ticked.error().detail);
    expect(seq_ != seq_before, "a tick meets the deadline that is due");
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
  const auto keep = keep_of(envelope);
  if (!keep) return keep.error();
  return perform(envelope.command, now, envelope.by, *keep ? &**keep : nullptr);
}

Result<std::optional<KeepRequest>> Engine::keep_of(const Envelope& envelope) {
  const std::string* id = envelope.digest.empty() ? nullptr : request_id_of(envelope.command);
  if (id == nullptr) return std::optional<KeepRequest>();
  // Clients may number the sets that they enqueue in each sweep.
  const auto* enqueue = std::get_if<Enqueue>(&envelope.command);
  const std::string key = enqueue != nullptr ? text(enqueue->sweep) + '\n' + *id : *id;
  const auto known = ledger_.request_digest(key);
  if (known && *known != envelope.digest)
    return refuse(Code::conflict,
                  "the request id '" + *id + "' was used for another request: choose another",
                  "/request_id");
  return known ? std::nullopt : std::optional(KeepRequest{key, envelope.digest});
}

Result<Reply> Engine::perform(const Command& command, Instant now, const Caller& by,
                              const KeepRequest* request) {
  auto events = choose(command, now, by);
  if (!events) return events.error();
  const bool known = events->empty();
  const auto granted = granted_by(*events);
  if (auto written = write(command, *std::move(events), now, request); !written) {
    Error error = fault(written.error().detail);
    if (!granted || !perform(Steer{*granted, {Verb::pause}}, now)) return error;
    options_.fault(text(*granted) + " was paused: its next run cannot be recorded");
    return perform(command, now, by, request);  // the run of another sweep
  }
  auto reply = answer(book_, command);
  if (auto* submitted = std::get_if<Submitted>(&reply)) submitted->known = known;
  return reply;
}

Status Engine::write(const Command& command, Events events, Instant now,
                     const KeepRequest* request) {
  const bool known = events.empty();
  auto writes = writes_of(command, std::move(events), now);
  if (!writes) return writes.error();
  if (request != nullptr && !known) writes->push_back(*request);
  if (writes->empty()) return Done{};
  enter(Part::append);
  const auto written = batch_.write(*std::move(writes));
  if (!written) return written.error();
  fold(**written);
  return Done{};
}

// The sweep of which a worker gets a run.
std::optional<SweepId> Engine::granted_by(const Events& events) const {
  for (const EventBody& body : events) {
    if (const auto* proposed = std::get_if<TrialProposed>(&body)) return proposed->sweep;
    const auto* granted = std::get_if<LeaseGranted>(&body);
    if (granted == nullptr) continue;
    const auto trial = book_.trials.find(granted->attempt.run.trial);
    if (trial != book_.trials.end()) return trial->second.first;
  }
  return std::nullopt;
}

Result<Events> Engine::choose(const Command& command, Instant now, const Caller& by) {
  enter(Part::decide);
  const auto decide_it = [&] { return decide(book_, command, now); };
  return prepared<Events>(command, now, by, decide_it);
}

Status Engine::prepare(const Command& command, Instant now, const Caller& by) {
  const Touched touched = touched_by(book_, command, now);
  if (auto served = check_served(touched); !served) return served.error();
  if (auto there = check_there(touched); !there) return there.error();
  ended_.load(touched, seq_);
  if (const auto* import = std::get_if<Import>(&command)) ended_.load(import->request->past, seq_);
  if (const auto* edit = std::get_if<Edit>(&command)) ended_.load_confirmed(edit->sweep, seq_);
  if (const auto* confirm = std::get_if<Confirm>(&command))
    ended_.load_confirmed(confirm->sweep, seq_);
  return check_caller(book_, by, command);
}

Status Engine::check_served(const Touched& touched) const {
  if (quarantine_.empty()) return Done{};
  std::vector<SweepId> sweeps = touched.sweeps;
  for (const TrialId trial : touched.trials)
    if (!book_.trials.contains(trial))
      if (const auto sweep = ended_.sweep_of(trial)) sweeps.push_back(*sweep);
  for (const SweepId id : sweeps)
    if (const auto found = quarantine_.find(id); found != quarantine_.end())
      return refuse(Code::conflict, text(id) + " is quarantined, since " + found->second.why +
                                        ". Stop the server and run: hone db repair");
  return Done{};
}

// Refuses ids that the ledger gave to objects of a sweep that was removed from it.
Status Engine::check_there(const Touched& touched) const {
  for (const ModelId id : touched.models)
    if (!book_.models.contains(id) && !ended_.knows(id))
      return refuse(Code::not_found, "there is no model " + text(id));
  for (const EvaluationId id : touched.evaluations)
    if (!ended_.knows(id)) return refuse(Code::not_found, "there is no evaluation " + text(id));
  return Done{};
}

namespace {

// Commands whose events hold what a user wrote. Their rows are written at once, so that those that
// the tables do not accept are refused with their own command, and not with the batch.
bool holds_document(const Command& command) {
  return std::holds_alternative<Submit>(command) || std::holds_alternative<Edit>(command) ||
         std::holds_alternative<Import>(command) || std::holds_alternative<Confirm>(command);
}

}  // namespace

Result<Writes> Engine::writes_of(const Command& command, Events events, Instant now) {
  Writes writes;
  const auto* import = std::get_if<Import>(&command);
  const bool imports = import != nullptr && !events.empty();
  const bool documents = holds_document(command) && !events.empty();
  if (documents) writes.emplace_back(Flush{});
  if (auto added = add_events(std::move(events), now, writes); !added) return added.error();
  if (const auto* log = std::get_if<LogMetrics>(&command); log && !log->request.points.empty())
    writes.emplace_back(AppendMetrics{book_.run_of_lease.at(*lease_index(book_, log->lease)), now,
                                      log->request.points});
  if (imports)
    add_series(*import, std::get<SweepImported>(std::get<Append>(writes.back()).event.body),
               writes);
  if (documents) writes.emplace_back(Flush{});
  return writes;
}

Status Engine::add_events(Events events, Instant now, Writes& writes) const {
  std::int64_t seq = seq_;
  for (EventBody& body : events) {
    // The events of a document were checked where its command was made: they may be many.
    auto text = std::holds_alternative<SweepImported>(body) ? Result<std::string>(body_text(body))
                                                            : rules::readable_text(body);
    if (!text) return text.error();
    writes.emplace_back(Append{Event{++seq, now, std::move(body)}, *std::move(text)});
  }
  return Done{};
}

void Engine::fold(const Writes& writes) {
  struct Fold {
    Engine& engine;
    void operator()(const Append& write) const {
      engine.enter(Part::evolve);
      evolve(engine.book_, write.event);
      engine.ended_.folded(write.event.body);
      engine.seq_ = write.event.seq;
      if (engine.options_.meter != nullptr) engine.options_.meter->happened(write.event.body);
    }
    void operator()(const AppendMetrics& write) const {
      if (engine.options_.feed != nullptr)
        engine.options_.feed->add(write.run, write.at, write.points);
    }
    void operator()(const AppendSeries& write) const {
      if (engine.options_.feed == nullptr) return;
      for (const SeriesPoint& point : write.points)
        engine.options_.feed->add(write.run, point.at,
                                  {{write.series->name, point.step, point.value}});
    }
    void operator()(const KeepRequest&) const {}
    void operator()(const Flush&) const {}
  };
  for (const Write& write : writes) std::visit(Fold{*this}, write);
}

Error Engine::fault(const std::string& why) {
  options_.fault("a command was refused, and nothing of it was recorded: " + why);
  return refuse(Code::internal, "the server cannot do this: " + why + ". Nothing was recorded");
}

}  // namespace hone
