// The listening server, and the parts that need no connection.
#include "server/http/server.hpp"

#include <arpa/inet.h>

#include <atomic>
#include <csignal>

#include "tests/unit/http/given.hpp"

namespace hone::http {
namespace {

TEST(Address, is_an_ip_address_or_localhost_with_a_port) {
  const auto parsed = [](const std::string& text_in) {
    const auto address = parse_address(text_in);
    return address ? text(*address) : std::string();
  };
  EXPECT_EQ(parsed("127.0.0.1:7777"), "127.0.0.1:7777");
  EXPECT_EQ(parsed("[::1]:7777"), "[::1]:7777");
  EXPECT_EQ(parsed("localhost:0"), "127.0.0.1:0");
  EXPECT_EQ(parsed("0.0.0.0:65535"), "0.0.0.0:65535");
  for (const char* bad :
       {"", "7777", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:80x",
        "::1:7777", "[127.0.0.1]:80", "[]:80", "example.org:80", "127.0.0.256:80", "[::g]:80"})
    EXPECT_EQ(parsed(bad), "") << bad;
}

TEST(Address, of_loopback_is_known) {
  for (const char* local : {"127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1"})
    EXPECT_TRUE(is_loopback(*parse_address(local))) << local;
  for (const char* open : {"0.0.0.0:1", "192.168.0.1:1", "[::]:1", "[fe80::1]:1"})
    EXPECT_FALSE(is_loopback(*parse_address(open))) << open;
}

TEST(ClientAddress, groups_the_addresses_of_one_customer) {
  const auto of = [](const char* address) {
    return client_address(boost::asio::ip::make_address(address));
  };
  EXPECT_EQ(of("192.0.2.7").name, "192.0.2.7");
  EXPECT_EQ(of("::ffff:192.0.2.7").name, "192.0.2.7");
  EXPECT_EQ(of("2001:db8:1:2:3:4:5:6").name, "2001:db8:1:2::/64");
  EXPECT_EQ(of("2001:db8:1:2:ffff::1").name, of("2001:db8:1:2::9").name);
  EXPECT_TRUE(of("127.0.0.1").is_local);
  EXPECT_TRUE(of("::1").is_local);
  EXPECT_FALSE(of("192.0.2.7").is_local);
}

TEST(ClientLimits, bound_the_connections_of_one_address) {
  ClientLimits limits(Bounds{.connections_per_peer = 2});
  const ClientAddress one{"192.0.2.1", false}, other{"192.0.2.2", false}, local{"127.0.0.1", true};
  EXPECT_TRUE(limits.add_connection(one));
  EXPECT_TRUE(limits.add_connection(one));
  EXPECT_FALSE(limits.add_connection(one));
  EXPECT_TRUE(limits.add_connection(other));
  limits.remove_connection(one);
  EXPECT_TRUE(limits.add_connection(one)) << "a place was given back";
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(limits.add_connection(local));
  EXPECT_FALSE(limits.add_connection(local)) << "a given bound counts for this machine, too";
}

TEST(ClientLimits, leave_this_machine_alone_by_default) {
  ClientLimits limits({});
  const ClientAddress local{"127.0.0.1", true}, far{"192.0.2.1", false};
  EXPECT_FALSE(limits.counts_requests(local));
  EXPECT_TRUE(limits.counts_requests(far));
  for (std::size_t i = 0; i < limits::connections_per_peer_max; ++i)
    ASSERT_TRUE(limits.add_connection(local) && limits.add_connection(far));
  EXPECT_TRUE(limits.add_connection(local));
  EXPECT_FALSE(limits.add_connection(far));
}

TEST(Refusal, has_the_length_of_its_body) {
  for (const auto& error : {refuse(Code::busy, "too many connections; try again"),
                            refuse(Code::invalid, "this server speaks https; write https://")}) {
    const auto text = refusal_text(error);
    const auto body = text.substr(text.find("\r\n\r\n") + 4);
    EXPECT_NE(text.find("Content-Length: " + std::to_string(body.size()) + "\r\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(Json::parse(body)["detail"], error.detail);
  }
}

constexpr QueueBounds two_each{.each_max = 2, .all_max = 3, .running_max = 1, .debt_max = {}};
constexpr QueueBounds many{.each_max = 100, .all_max = 100, .running_max = 1, .debt_max = {}};

TEST(Pool, runs_jobs_in_order_and_finishes_them_at_its_end) {
  std::vector<int> done;
  {
    Pool pool({{Lane::page}}, many, Price::time);
    for (int i = 0; i < 50; ++i)
      EXPECT_TRUE(pool.push(Lane::page, "ann", [&done, i](std::size_t) { done.push_back(i); }));
  }
  ASSERT_EQ(done.size(), 50U);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
}

TEST(Pool, refuses_jobs_beyond_its_queue) {
  std::promise<void> started, go;
  std::atomic<int> done = 0;
  {
    Pool pool({{Lane::page}}, two_each, Price::time);
    auto wait = go.get_future().share();
    EXPECT_TRUE(pool.push(Lane::page, "ann", [&, wait](std::size_t) {
      started.set_value();
      wait.wait();
    }));
    started.get_future().wait();
    const auto count = [&](std::size_t) { ++done; };
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(pool.push(Lane::page, "ann", count));
    const auto refused = pool.push(Lane::page, "ann", count);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::busy);
    go.set_value();
  }
  EXPECT_EQ(done, 2);
}

class OutboxTest : public testing::Test {
 protected:
  void reply(int number, Written to) {
    confirmed_[number] = std::make_shared<bool>(true);
    outbox_.add([this, number] { done_.push_back(number); }, confirmed_[number]);
    outbox_.send(to);
    io_.restart();
    io_.poll();
  }

  boost::asio::io_context io_;
  Outbox outbox_{io_};
  std::vector<int> done_;
  std::map<int, std::shared_ptr<bool>> confirmed_;
};

TEST_F(OutboxTest, hands_over_a_batch_in_order_and_only_when_sent) {
  outbox_.send({});
  EXPECT_EQ(io_.poll(), 0U) << "nothing to hand over costs no wake-up";
  io_.restart();
  for (int i = 0; i < 3; ++i)
    outbox_.add([this, i] { done_.push_back(i); }, std::make_shared<bool>(true));
  EXPECT_EQ(io_.poll(), 0U);
  io_.restart();
  outbox_.send({});
  EXPECT_EQ(io_.poll(), 1U) << "one wake-up for all";
  EXPECT_EQ(done_, (std::vector<int>{0, 1, 2}));
}

TEST_F(OutboxTest, holds_replies_until_a_standby_has_their_events_and_points) {
  outbox_.wait_for_standby();
  reply(1, {5, 0});
  reply(2, {6, 3});
  outbox_.confirm({4, 0});
  EXPECT_TRUE(done_.empty());
  outbox_.confirm({6, 2});
  EXPECT_EQ(done_, std::vector<int>{1}) << "a metric point is missing";
  outbox_.confirm({6, 3});
  EXPECT_EQ(done_, (std::vector<int>{1, 2}));
  reply(3, {6, 3});
  EXPECT_EQ(done_.size(), 3U) << "nothing new to wait for";
  EXPECT_TRUE(*confirmed_[1] && *confirmed_[2] && *confirmed_[3]);
}

TEST_F(OutboxTest, gives_up_replies_that_waited_too_long_unconfirmed) {
  outbox_.wait_for_standby();
  reply(1, {5, 0});
  const auto between = Outbox::Clock::now();
  reply(2, {6, 0});
  outbox_.give_up(between);
  EXPECT_EQ(done_, std::vector<int>{1});
  EXPECT_FALSE(*confirmed_[1]);
  outbox_.confirm({6, 0});
  EXPECT_TRUE(*confirmed_[2]);
}

TEST(Listen, refuses_a_port_in_use_and_names_the_way_out) {
  const auto first = Server::listen({"127.0.0.1", 0});
  ASSERT_TRUE(first);
  const auto second = Server::listen((*first)->address());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::conflict);
  EXPECT_NE(second.error().detail.find(std::to_string((*first)->address().port)),
            std::string::npos);
  EXPECT_NE(second.error().detail.find("--listen"), std::string::npos);
  EXPECT_EQ((*first)->url(), "http://" + text((*first)->address()));
}

TEST(Listen, refuses_addresses_of_other_machines_and_bad_tls_files) {
  EXPECT_EQ(Server::listen({"192.0.2.1", 0}).error().code, Code::invalid);
  EXPECT_EQ(Server::listen({"127.0.0.1", 0}, {"/none", "/none", {}}).error().code, Code::invalid);
}

// A server on a real port, as main() runs it.
class Listening {
 public:
  explicit Listening(const Bounds& bounds)
      : server_(Server::listen({"127.0.0.1", 0}, {}, bounds).value()) {
    server_->catch_signals();
    thread_ = std::thread([this] { server_->run(*parts_.shared().parts); });
  }
  ~Listening() {
    stop();
    thread_.join();
  }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

  static void stop() { ::kill(::getpid(), SIGTERM); }

  Client connect() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_->address().port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return Client(fd);
  }

 private:
  std::unique_ptr<Server> server_;
  TestServer parts_;
  std::thread thread_;
};

TEST(Running, answers_on_its_port_until_a_signal) {
  Listening server({});
  auto client = server.connect();
  client.send(request("GET /healthz"));
  EXPECT_EQ(client.receive().status, 200);
  Listening::stop();
  EXPECT_TRUE(client.is_closed()) << "an idle connection is closed at once";
}

// The server of the tests looks for unused blobs once a millisecond. A look that was due when the
// signal came could begin the next wait, and then the server never ended (seen once).
TEST(Running, ends_while_it_looks_for_blobs_all_the_time) {
  for (int i = 0; i < 20; ++i) {
    Listening server({});
    auto client = server.connect();
    client.send(request("GET /healthz"));
    EXPECT_EQ(client.receive().status, 200);
  }
}

TEST(Running, rejects_connections_beyond_its_bounds) {
  Listening server({.connections = 2});
  auto one = server.connect(), two = server.connect();
  for (auto* client : {&one, &two}) {
    client->send(request("GET /healthz"));
    EXPECT_EQ(client->receive().status, 200);
  }
  auto third = server.connect();
  const auto refused = third.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.field("Retry-After"), "1");
  EXPECT_EQ(refused.body, R"({"code":"busy","detail":"too many connections; try again",)"
                          R"("at":"","retryable":true})");
  EXPECT_EQ(refused.field("Content-Length"), "83");
}

TEST(Running, rejects_connections_beyond_those_of_one_address) {
  Listening server({.connections_per_peer = 1});
  auto one = server.connect();
  one.send(request("GET /healthz"));
  EXPECT_EQ(one.receive().status, 200);
  EXPECT_EQ(server.connect().receive().status, 503);
}

TEST(Running, lets_an_open_request_finish_when_it_drains) {
  Listening server({});
  auto client = server.connect();
  const auto text = request("POST /v1/sweeps", submit_body("one"));
  client.send(text.substr(0, text.size() - 1));
  auto idle = server.connect();
  idle.send(request("GET /healthz"));
  EXPECT_EQ(idle.receive().status, 200);
  Listening::stop();
  EXPECT_TRUE(idle.is_closed());
  client.send(text.substr(text.size() - 1));
  const auto answer = client.receive();
  EXPECT_EQ(answer.status, 503) << "the engine has stopped";
  EXPECT_EQ(answer.field("Connection"), "close");
}

}  // namespace
}  // namespace hone::http
