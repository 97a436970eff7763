// Reads: which thread takes them, how many a client may have, and when they stop.
#include <atomic>

#include "base/sha256.hpp"
#include "server/engine/clock.hpp"
#include "tests/unit/http/given.hpp"

namespace hone::http {
namespace {

// A job that a test holds up.
class Gate {
 public:
  void pass() {
    entered_.set_value();
    opened_.get_future().wait();
  }
  void wait_until_entered() { entered_.get_future().wait(); }
  void open() { opened_.set_value(); }

 private:
  std::promise<void> entered_, opened_;
};

std::vector<std::unique_ptr<SQLite::Database>> readers(std::size_t count) {
  std::vector<std::unique_ptr<SQLite::Database>> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(std::make_unique<SQLite::Database>(":memory:", SQLite::OPEN_READWRITE));
    // Each read asks which imports it must not see.
    all.back()->exec("CREATE TABLE unfinished_import (sweep INTEGER PRIMARY KEY)");
  }
  return all;
}

// Readers as a server has them, and jobs that they are held up by.
class ReadPool : public testing::Test {
 protected:
  void hold_up(Lane lane, const std::string& speaker, Gate& gate) {
    ASSERT_TRUE(pool_.push(lane, speaker, [&gate](SQLite::Database&) { gate.pass(); }));
    gate.wait_until_entered();
  }
  // Completes when a job of the speaker has run.
  std::future<void> read(Lane lane, const std::string& speaker) {
    const auto done = std::make_shared<std::promise<void>>();
    EXPECT_TRUE(pool_.push(lane, speaker, [done](SQLite::Database&) { done->set_value(); }));
    return done->get_future();
  }

  Gate first_, second_;
  ReaderPool pool_{readers(limits::reader_threads)};
};

TEST_F(ReadPool, answers_pages_while_its_heavy_thread_is_busy) {
  hold_up(Lane::sweep, "ann", first_);
  const auto second = read(Lane::sweep, "ann");
  read(Lane::page, "ann").wait();
  first_.open();
  second.wait();
}

TEST_F(ReadPool, leaves_a_thread_to_others_when_one_speaker_floods_it) {
  hold_up(Lane::page, "flood", first_);
  std::vector<std::future<void>> flood;
  for (int i = 0; i < 100; ++i) flood.push_back(read(Lane::page, "flood"));
  read(Lane::page, "ann").wait();  // while the flood's own read holds the other thread
  first_.open();
  for (const auto& one : flood) one.wait();
}

TEST_F(ReadPool, serves_standbys_and_streams_while_users_reads_fill_it) {
  hold_up(Lane::sweep, "flood", first_);
  hold_up(Lane::page, "flood", second_);
  const auto nothing = [](SQLite::Database&) {};
  while (pool_.push(Lane::page, "flood", nothing)) {
  }
  read(Lane::standby, "standby").wait();
  read(Lane::standby, "flood").wait();  // even of the same token
  read(Lane::live, "ann").wait();
  first_.open();
  second_.open();
}

TEST_F(ReadPool, keeps_room_for_others_when_one_speaker_has_filled_its_own) {
  hold_up(Lane::page, "flood", first_);
  const auto nothing = [](SQLite::Database&) {};
  std::size_t waiting = 0;
  while (pool_.push(Lane::page, "flood", nothing)) ++waiting;
  EXPECT_EQ(waiting, limits::reads_queued_each_max);
  read(Lane::page, "ann").wait();
  first_.open();
}

TEST(SmallReadPool, of_one_thread_takes_every_kind) {
  ReaderPool pool(readers(1));
  for (const Lane lane : {Lane::page, Lane::sweep, Lane::live, Lane::standby}) {
    std::promise<void> done;
    ASSERT_TRUE(pool.push(lane, "ann", [&](SQLite::Database&) { done.set_value(); }));
    done.get_future().wait();
  }
}

TEST(SmallReadPool, serves_another_speaker_after_one_read_of_a_flood) {
  ReaderPool pool(readers(1));
  Gate gate;
  std::vector<std::string> order;
  std::promise<void> last;
  const auto read = [&](const std::string& speaker) {
    return [&order, speaker](SQLite::Database&) { order.push_back(speaker); };
  };
  ASSERT_TRUE(pool.push(Lane::page, "flood", [&gate](SQLite::Database&) { gate.pass(); }));
  gate.wait_until_entered();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(pool.push(Lane::page, "flood", read("flood")));
  ASSERT_TRUE(pool.push(Lane::page, "ann", read("ann")));
  ASSERT_TRUE(pool.push(Lane::page, "zoe", [&last](SQLite::Database&) { last.set_value(); }));
  gate.open();
  last.get_future().wait();
  EXPECT_EQ(order.front(), "ann");
}

TEST(Reads, interrupts_a_query_that_must_stop) {
  TestServer server;
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  std::promise<int> ended;
  const auto endless = [&](SQLite::Database& db) {
    try {
      stop->store(true);
      db.execAndGet(
          "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
          " SELECT count(*) FROM c");
    } catch (const SQLite::Exception& why) {
      ended.set_value(why.getErrorCode());
    }
  };
  ASSERT_TRUE(server.shared().parts->readers.push(Lane::sweep, {}, endless, stop));
  EXPECT_EQ(ended.get_future().get(), 9) << "SQLITE_INTERRUPT";
  EXPECT_EQ(server.ask(request("GET /v1/sweeps")).status, 200) << "the connection works on";
}

// A server whose only reader is held up.
class BusyReaders : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.shared().parts->readers.push(Lane::page, {},
                                                     [this](SQLite::Database&) { gate_.pass(); }));
    gate_.wait_until_entered();
  }
  void release() {
    if (!std::exchange(released_, true)) gate_.open();
  }
  void TearDown() override { release(); }

  Gate gate_;
  bool released_ = false;
  TestServer server_;
};

TEST_F(BusyReaders, do_not_delay_the_probes) {
  EXPECT_EQ(server_.ask(request("GET /healthz")).status, 200);
  EXPECT_EQ(server_.ask(request("GET /readyz")).status, 200);
  EXPECT_EQ(server_.ask(request("GET /v1/version")).status, 200);
}

TEST_F(BusyReaders, take_as_many_heavy_reads_of_a_client_as_they_may) {
  std::vector<Client> clients;
  for (std::size_t i = 0; i < limits::heavy_reads_per_speaker_max; ++i) {
    clients.push_back(server_.connect("192.0.2.1"));
    clients.back().send(request("GET /v1/find?where=run"));
  }
  auto late = server_.connect("192.0.2.1");
  late.send(request("GET /v1/find?where=run") + request("GET /healthz"));
  const auto refused = late.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.field("Retry-After"), "1");
  EXPECT_EQ(late.receive().status, 200);
  auto other = server_.connect("192.0.2.2");
  other.send(request("GET /v1/find?where=run"));
  release();
  EXPECT_EQ(other.receive().status, 200) << "another client has its own bound";
  for (auto& client : clients) EXPECT_EQ(client.receive().status, 200);
  late.send(request("GET /v1/find?where=run"));
  EXPECT_EQ(late.receive().status, 200) << "those before it have ended";
}

TEST_F(BusyReaders, skip_the_reads_of_clients_that_have_left) {
  auto client = server_.connect();
  client.send(request("GET /v1/sweeps"));
  const auto wasted = [this] {
    return server_.on_io_thread([this] { return server_.shared().reads.wasted(); });
  };
  EXPECT_EQ(wasted(), 0U);
  client.close();
  while (wasted() == 0) {
  }
  release();
  while (server_.connections() > 0) {
  }
  EXPECT_EQ(wasted(), 0U);
}

// Tokens and open streams -------------------------------------------------------------------------

constexpr char reader_secret[] = "hone_secret";

Key key_of(TokenId token, const std::string& text) {
  Key key;
  key.token = token;
  key.sha256 = sha256_hex(text);
  key.scopes = Scope::admin;
  return key;
}

std::string watch_with(const std::string& token) {
  return request("GET /v1/events?after=9", {},
                 "Accept: text/event-stream\r\nAuthorization: Bearer " + token + "\r\n");
}

TEST(EventStream, ends_when_its_token_is_revoked) {
  TestServer server;
  server.on_io_thread([&] { server.require_tokens().learn(key_of(TokenId{1000}, reader_secret)); });
  auto admin = server.connect();
  const auto post = [&](const std::string& path, const std::string& body) {
    admin.send(request("POST " + path, body,
                       std::string("Authorization: Bearer ") + reader_secret + "\r\n"));
    return admin.receive();
  };
  const auto made = post("/v1/tokens", R"({"request_id": "t", "name": "t", "scopes": ["read"],)"
                                       R"( "sha256": ")" +
                                           sha256_hex("hone_other") + "\"}");
  auto client = server.connect();
  client.send(watch_with("hone_other"));
  client.receive_until("\r\n\r\n");
  post("/v1/tokens/" + made.json()["token"].get<std::string>() + "/revoke", "{}");
  EXPECT_EQ(client.receive_all(), "") << "no event after the revocation";
}

TEST(EventStream, ends_when_its_token_expires) {
  TestServer server;
  auto key = key_of(TokenId{1000}, reader_secret);
  key.expires_at = SystemClock{}() + milliseconds(500);
  server.on_io_thread([&] { server.require_tokens().learn(key); });
  auto client = server.connect();
  client.send(watch_with(reader_secret));
  EXPECT_TRUE(client.receive_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
  EXPECT_EQ(client.receive_all(), "");
  EXPECT_GE(SystemClock{}(), *key.expires_at);
}

// A token expired when the wall clock was set forwards, and was valid again when it was set back.
TEST(Token, expires_by_the_servers_own_time_and_not_by_the_wall_clock) {
  TestServer server;
  std::atomic<std::int64_t> wall{SystemClock{}().us};
  const Clock steady = SlewedClock([&wall] { return Instant{wall}; }, MonotonicClock{}, {});
  auto key = key_of(TokenId{1000}, reader_secret);
  key.expires_at = Instant{wall} + seconds(3600);
  server.on_io_thread([&] {
    server.follow(steady);
    server.require_tokens().learn(key);
  });
  const auto status = [&server] {
    return server
        .ask(request("GET /v1/sweeps", {},
                     std::string("Authorization: Bearer ") + reader_secret + "\r\n"))
        .status;
  };
  EXPECT_EQ(status(), 200);
  wall += seconds(400 * 86'400).us;
  EXPECT_EQ(status(), 200) << "the server's time has no steps";
  server.on_io_thread([&] { server.follow([key] { return *key.expires_at; }); });
  EXPECT_EQ(status(), 401);
}

TEST(LongPoll, of_a_revoked_token_gets_no_run) {
  TestServer server;
  auto key = key_of(TokenId{1000}, reader_secret);
  server.on_io_thread([&] { server.require_tokens().learn(key); });
  const std::string bearer = std::string("Authorization: Bearer ") + reader_secret + "\r\n";
  server.ask(request("POST /v1/workers",
                     R"({"request_id": "w", "host": "h", "pid": 7, "cpus": 4, "gpus": 0,)"
                     R"( "hone_version": "0.1.0"})",
                     bearer));
  auto waiting = server.connect();
  waiting.send(request("POST /v1/leases",
                       R"({"request_id": "a", "worker": "wk_1", "cpus": 1, "wait": 30})", bearer));
  server.ask(request("POST /v1/workers",
                     R"({"request_id": "x", "host": "h", "pid": 8, "cpus": 4, "gpus": 0,)"
                     R"( "hone_version": "0.1.0"})",
                     bearer));  // the engine has the poll by now
  key.revoked = true;
  server.on_io_thread([&] {
    server.require_tokens().learn(key);
    server.require_tokens().learn(key_of(TokenId{1001}, "hone_other"));
  });
  EXPECT_LT(server
                .ask(request("POST /v1/sweeps", submit_body("one"),
                             "Authorization: Bearer hone_other\r\n"))
                .status,
            300);
  EXPECT_EQ(waiting.receive().status, 503) << "its run went back to the queue";
}

}  // namespace
}  // namespace hone::http
