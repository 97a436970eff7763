// An Engine on a database in memory, a clock that the test moves, and replies that are kept.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <deque>
#include <memory>

#include "server/engine/engine.hpp"
#include "tests/unit/db/given.hpp"

namespace hone {

// What became of one command: nothing yet, or the reply, and how often there was one.
struct Sent {
  int replies = 0;
  std::optional<Result<Reply>> reply;

  [[nodiscard]] bool refused() const { return reply && !reply->ok(); }
  template <class T>
  [[nodiscard]] const T& as() const {
    EXPECT_TRUE(reply.has_value()) << "no reply yet";
    EXPECT_TRUE(reply->ok()) << reply->error().detail;
    return std::get<T>(**reply);
  }
};

class EngineGiven {
 public:
  explicit EngineGiven(Instant start = {1'700'000'000'000'000}, EndedBounds bounds = {})
      : now(start), ended(bounds) {
    restart();
    sqlite3_commit_hook(db->getHandle(), &on_commit, this);
  }
  ~EngineGiven() { sqlite3_commit_hook(db->getHandle(), nullptr, nullptr); }
  EngineGiven(const EngineGiven&) = delete;
  EngineGiven& operator=(const EngineGiven&) = delete;

  // An envelope whose reply is kept; the reference stays good.
  Sent& envelope(std::vector<Envelope>& batch, Command command) {
    Sent& sent = sent_.emplace_back();
    batch.push_back({std::move(command), [&sent](Result<Reply> reply) {
                       ++sent.replies;
                       sent.reply = std::move(reply);
                     }});
    return sent;
  }
  Sent& step(Command command) {
    std::vector<Envelope> batch;
    Sent& sent = envelope(batch, std::move(command));
    engine->step(std::move(batch), now);
    return sent;
  }
  void idle() { engine->step({}, now); }

  WorkerId join(const std::string& request = "join") {
    return step(Join{{request, "host", 1, 1024, 0, "test"}}).as<JoinReply>().worker;
  }
  SweepId submit(const std::string& request = "submit", const SweepSpec& spec = small_spec()) {
    return step(Submit{{request, spec, {}}}).as<Submitted>().sweep;
  }
  static Command acquire(WorkerId worker, const std::string& request, Duration wait = {}) {
    return Acquire{{request, worker, 1, 0, wait}};
  }
  LeaseGrant granted(WorkerId worker, const std::string& request) {
    return *step(acquire(worker, request)).as<std::optional<LeaseGrant>>();
  }

  // As after a crash: whatever was not committed is gone.
  void restart(Restored restored = {}) {
    engine.reset();
    engine = std::make_unique<Engine>(*db, now, EngineOptions{.ended = ended}, std::move(restored));
  }
  [[nodiscard]] std::int64_t events() const {
    return db->execAndGet("SELECT count(*) FROM event").getInt64();
  }

  std::unique_ptr<SQLite::Database> db = open_in_memory();
  std::unique_ptr<Engine> engine;
  Instant now;
  EndedBounds ended;
  int commits = 0;
  bool commits_fail = false;

 private:
  static int on_commit(void* self) {
    auto& given = *static_cast<EngineGiven*>(self);
    ++given.commits;
    return given.commits_fail ? 1 : 0;  // SQLite turns the commit into a rollback
  }
  std::deque<Sent> sent_;
};

}  // namespace hone
