// Clients that are slow, silent, gone or too many; long polls; event streams; tokens.
#include "base/sha256.hpp"
#include "tests/unit/http/given.hpp"

namespace hone::http {
namespace {

constexpr Duration brief = milliseconds(60);

Bounds impatient() { return {.request_time = brief, .idle_time = brief}; }

std::string join_body(const std::string& request_id) {
  return R"({"request_id": ")" + request_id +
         R"(", "host": "h", "pid": 7, "cpus": 4, "gpus": 0, "hone_version": "0.1.0"})";
}

std::string acquire_body(const std::string& request_id, int wait_s = 0) {
  return R"({"request_id": ")" + request_id + R"(", "worker": "wk_1", "cpus": 1, "wait": )" +
         std::to_string(wait_s) + "}";
}

TEST(Timeout, closes_a_silent_connection) {
  TestServer server(impatient());
  auto fresh = server.connect();
  EXPECT_TRUE(fresh.is_closed()) << "before its first request";
  auto used = server.connect();
  used.send(request("GET /healthz"));
  EXPECT_EQ(used.receive().status, 200);
  EXPECT_TRUE(used.is_closed()) << "between two requests";
}

TEST(Timeout, closes_a_connection_in_the_middle_of_a_request) {
  TestServer server(impatient());
  for (const char* sent : {"GET /heal", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n",
                           "POST /v1/sweeps HTTP/1.1\r\nHost: localhost\r\n"
                           "Content-Length: 100\r\n\r\n{\"spec\""}) {
    auto client = server.connect();
    client.send(sent);
    EXPECT_TRUE(client.is_closed()) << sent;
  }
}

TEST(Timeout, counts_from_the_first_byte_of_a_request) {
  TestServer server({.request_time = milliseconds(300), .idle_time = seconds(3600)});
  auto client = server.connect();
  const auto text = request("GET /healthz");
  bool open = true;
  for (std::size_t i = 0; i < text.size() && open; ++i) {
    open = client.send(text.substr(i, 1));
    pollfd side{client.fd(), POLLIN | POLLRDHUP, 0};
    open = open && ::poll(&side, 1, 20) == 0;  // a byte every 20 ms: each in time, all too late
  }
  EXPECT_FALSE(open);
  EXPECT_TRUE(client.is_closed());
}

TEST(Timeout, closes_on_a_client_that_does_not_read_its_answer) {
  TestServer server({.request_time = milliseconds(200)});
  const std::string bytes(8 * 1024 * 1024, 'x');
  const auto digest = sha256_hex(bytes);
  EXPECT_EQ(server.ask(request("PUT /v1/blobs/" + digest, bytes)).status, 201);
  auto client = server.connect();
  client.send(request("GET /v1/blobs/" + digest));
  EXPECT_TRUE(client.wait_for_close());
  EXPECT_LT(client.receive_all().size(), bytes.size());
  while (server.connections() != 0) {  // the client sees the end before the session has ended
  }
}

TEST(LongPoll, is_answered_when_there_is_work) {
  TestServer server;
  server.post("/v1/workers", join_body("join"));
  auto waiting = server.connect();
  waiting.send(request("POST /v1/leases", acquire_body("acquire", 30)));
  server.post("/v1/sweeps", submit_body("one"));
  const auto granted = waiting.receive();
  EXPECT_EQ(granted.status, 200);
  EXPECT_EQ(granted.json()["grant"]["attempt"], "rn_1.0#1");
}

TEST(LongPoll, of_a_client_that_has_left_returns_its_run) {
  TestServer server;
  server.post("/v1/workers", join_body("join"));
  auto waiting = server.connect();
  waiting.send(request("POST /v1/leases", acquire_body("acquire", 30)));
  while (server.connections() != 1 ||
         server.on_io_thread([&] { return (*server.shared().connections.begin())->idle; })) {
  }
  waiting.close();
  server.post("/v1/sweeps", submit_body("one"));
  const auto next = server.post("/v1/leases", acquire_body("next", 30));
  EXPECT_EQ(next["grant"]["attempt"], "rn_1.0#2") << "the run was returned and is leased again";
}

TEST(LongPoll, is_answered_when_the_engine_stops) {
  TestServer server;
  server.post("/v1/workers", join_body("join"));
  auto waiting = server.connect();
  waiting.send(request("POST /v1/leases", acquire_body("acquire", 30)));
  server.post("/v1/workers", join_body("after"));  // the engine has the poll by now
  server.engine().stop();
  EXPECT_EQ(waiting.receive().status, 503);
}

std::string watch(const std::string& query = {}, const std::string& fields = {}) {
  return request("GET /v1/events" + query, {}, "Accept: text/event-stream\r\n" + fields);
}

// The seq and the kind of the next event.
std::string next_event(Client& client) {
  const auto text = client.receive_until("\n\n");
  const auto data = text.find("data: ");
  if (!text.starts_with("id: ") || data == std::string::npos) return text;
  const auto json = Json::parse(text.substr(data + 6));
  EXPECT_EQ(text.substr(4, data - 5), json["seq"].dump());
  return json["seq"].dump() + " " + json["kind"].get<std::string>();
}

TEST(EventStream, begins_with_the_past_and_continues_with_news) {
  TestServer server;
  auto client = server.connect();
  client.send(watch());
  const auto head = client.receive_until("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_NE(head.find("Content-Type: text/event-stream\r\n"), std::string::npos);
  EXPECT_NE(head.find("Connection: close\r\n"), std::string::npos);
  EXPECT_EQ(head.find("Content-Length"), std::string::npos);
  EXPECT_EQ(next_event(client), "1 server_started");
  server.post("/v1/workers", join_body("join"));
  EXPECT_EQ(next_event(client), "2 worker_joined");
  server.post("/v1/sweeps", submit_body("one"));
  EXPECT_EQ(next_event(client), "3 workflow_recorded");
  EXPECT_EQ(next_event(client), "4 sweep_submitted");
}

TEST(EventStream, continues_after_the_last_event_that_the_client_has) {
  TestServer server;
  server.post("/v1/workers", join_body("a"));
  server.post("/v1/workers", join_body("b"));
  auto by_header = server.connect();
  by_header.send(watch("?after=0", "Last-Event-ID: 2\r\n"));
  by_header.receive_until("\r\n\r\n");
  EXPECT_EQ(next_event(by_header), "3 worker_joined") << "the header is newer than the query";
  auto by_query = server.connect();
  by_query.send(watch("?after=1"));
  by_query.receive_until("\r\n\r\n");
  EXPECT_EQ(next_event(by_query), "2 worker_joined");
}

TEST(EventStream, of_one_sweep_leaves_out_the_others) {
  TestServer server;
  server.post("/v1/sweeps", submit_body("one"));
  server.post("/v1/sweeps", submit_body("two"));
  auto client = server.connect();
  client.send(watch("?sweep=sw_2"));
  client.receive_until("\r\n\r\n");
  EXPECT_EQ(next_event(client), "4 sweep_submitted") << "the workflow is that of sw_1";
}

TEST(EventStream, sends_many_events_in_batches) {
  TestServer server;
  constexpr int workers = 3 * static_cast<int>(limits::watch_batch_events) / 2;
  for (int i = 0; i < workers; ++i) server.post("/v1/workers", join_body(std::to_string(i)));
  auto client = server.connect();
  client.send(watch());
  client.receive_until("\r\n\r\n");
  EXPECT_EQ(next_event(client), "1 server_started");
  for (int i = 0; i < workers; ++i)
    ASSERT_EQ(next_event(client), std::to_string(i + 2) + " worker_joined");
}

TEST(EventStream, ends_when_the_client_leaves) {
  TestServer server;
  auto client = server.connect();
  client.send(watch());
  client.receive_until("\r\n\r\n");
  EXPECT_EQ(next_event(client), "1 server_started");
  EXPECT_EQ(server.on_io_thread([&] { return server.shared().watchers.in_all(); }), 1U);
  client.finish_sending();
  EXPECT_EQ(client.receive_all(), "");
  EXPECT_EQ(server.on_io_thread([&] { return server.shared().watchers.in_all(); }), 0U);
}

TEST(EventStream, ends_when_the_server_drains) {
  TestServer server;
  auto client = server.connect();
  client.send(watch());
  client.receive_until("\r\n\r\n");
  EXPECT_EQ(next_event(client), "1 server_started");
  server.on_io_thread([&] {
    server.shared().draining = true;
    wake_watchers(server.shared());
  });
  EXPECT_EQ(client.receive_all(), "");
}

// Opens as many streams from one address as it may have.
void open_streams(TestServer& server, const std::string& from, std::vector<Client>& clients) {
  for (std::size_t i = 0; i < limits::watchers_per_speaker_max; ++i) {
    clients.push_back(server.connect(from));
    clients.back().send(watch());
    ASSERT_TRUE(clients.back().receive_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
  }
}

Answer ask_from(TestServer& server, const std::string& from, const std::string& text) {
  auto client = server.connect(from);
  client.send(text);
  return client.receive();
}

TEST(EventStream, is_refused_beyond_the_bound_of_watchers) {
  TestServer server;
  std::vector<Client> clients;
  constexpr auto addresses = limits::watchers_max / limits::watchers_per_speaker_max;
  for (std::size_t i = 0; i < addresses; ++i)
    open_streams(server, "192.0.2." + std::to_string(i), clients);
  const auto refused = ask_from(server, "198.51.100.1", watch());
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.field("Retry-After"), "1");
  EXPECT_EQ(server.ask(request("GET /v1/events")).status, 200) << "a page needs no place";
}

TEST(EventStream, is_refused_beyond_the_bound_of_an_address) {
  TestServer server;
  std::vector<Client> clients;
  open_streams(server, "192.0.2.1", clients);
  const auto refused = ask_from(server, "192.0.2.1", watch());
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.json()["code"], "busy");
  EXPECT_NE(refused.json()["detail"].get<std::string>().find("close one"), std::string::npos);
  std::vector<Client> others;
  open_streams(server, "192.0.2.2", others);
  clients.back().finish_sending();
  EXPECT_EQ(clients.back().receive_all().find("HTTP/1.1"), std::string::npos);
  auto next = server.connect("192.0.2.1");
  next.send(watch());
  EXPECT_TRUE(next.receive_until("\r\n\r\n").starts_with("HTTP/1.1 200")) << "a place is free";
}

TEST(EventStream, refuses_a_bad_query_as_a_page_does) {
  TestServer server;
  EXPECT_EQ(server.ask(watch("?after=x")).json()["at"], "/after");
  EXPECT_EQ(server.ask(watch("?sweep=7")).json()["at"], "/sweep");
}

TEST(Rate, is_limited_where_a_bound_is_given) {
  TestServer server({.requests_per_s = 1});
  auto client = server.connect();
  std::map<int, int> statuses;
  for (int i = 0; i < 5; ++i) {
    client.send(request("GET /healthz"));
    const auto answer = client.receive();
    ++statuses[answer.status];
    if (answer.status != 429) continue;
    EXPECT_EQ(answer.json()["code"], "rate_limited");
    EXPECT_GE(std::stoi(answer.field("Retry-After")), 1);
  }
  EXPECT_GE(statuses[200], 2) << "a burst of two seconds";
  EXPECT_GE(statuses[429], 1);
  auto other = server.connect("10.0.0.2");
  other.send(request("GET /healthz"));
  EXPECT_EQ(other.receive().status, 200) << "another address has its own count";
}

TEST(Rate, of_this_machine_is_not_limited_by_default) {
  TestServer server;
  auto client = server.connect();
  std::string requests;
  for (int i = 0; i < 300; ++i) requests += request("HEAD /nowhere");
  client.send(requests);
  for (int i = 0; i < 300; ++i) ASSERT_EQ(client.receive(true).status, 404);
}

constexpr char secret[] = "hone_secret";

std::string bearer(const std::string& token) { return "Authorization: Bearer " + token + "\r\n"; }

Key admin_key() {
  Key key;
  key.token = TokenId{1000};  // no token that a test creates
  key.sha256 = sha256_hex(secret);
  key.scopes = Scope::admin;
  return key;
}

TEST(Token, is_required_once_there_is_a_keyring) {
  TestServer server;
  server.on_io_thread([&] { server.require_tokens().learn(admin_key()); });
  const auto refused = server.ask(request("GET /v1/sweeps"));
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.field("WWW-Authenticate"), "Bearer realm=\"hone\"");
  EXPECT_EQ(server.ask(request("GET /v1/sweeps", {}, bearer("hone_other"))).status, 401);
  EXPECT_EQ(server.ask(request("GET /v1/sweeps", {}, bearer(secret))).status, 200);
  EXPECT_EQ(server.ask(request("GET /healthz")).status, 200) << "open to all";
}

TEST(Token, that_was_revoked_is_refused_in_the_next_request) {
  TestServer server;
  server.on_io_thread([&] { server.require_tokens().learn(admin_key()); });
  auto admin = server.connect();
  const auto post = [&](const std::string& path, const std::string& body) {
    admin.send(request("POST " + path, body, bearer(secret)));
    return admin.receive();
  };
  const std::string other = "hone_other";
  const auto made = post("/v1/tokens", R"({"request_id": "t", "name": "t", "scopes": ["read"],)"
                                       R"( "sha256": ")" +
                                           sha256_hex(other) + "\"}");
  ASSERT_LT(made.status, 300) << made.body;
  EXPECT_EQ(server.ask(request("GET /v1/sweeps", {}, bearer(other))).status, 200);
  EXPECT_EQ(server.ask(request("POST /v1/sweeps", "{}", bearer(other))).status, 403);
  const auto id = made.json()["token"].get<std::string>();
  EXPECT_LT(post("/v1/tokens/" + id + "/revoke", "{}").status, 300);
  EXPECT_EQ(server.ask(request("GET /v1/sweeps", {}, bearer(other))).status, 401);
}

}  // namespace
}  // namespace hone::http
