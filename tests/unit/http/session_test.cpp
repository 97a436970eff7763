// Headers, methods, pipelining and keep-alive, byte by byte.
#include "tests/unit/http/given.hpp"

namespace hone::http {
namespace {

std::string header_of(std::size_t bytes) {
  const std::string start = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Padding: ";
  const std::string end = "\r\n\r\n";
  return start + std::string(bytes - start.size() - end.size(), 'x') + end;
}

TEST(Session, answers_with_the_fields_of_every_answer) {
  TestServer server;
  const auto answer = server.ask(request("GET /healthz"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("Server"), "hone/" HONE_VERSION);
  EXPECT_EQ(answer.field("Cache-Control"), "no-store");
  EXPECT_EQ(answer.field("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(answer.field("Content-Type"), "application/json");
  EXPECT_EQ(answer.field("X-Request-Id"), "test-1");
  EXPECT_EQ(answer.json()["status"], "ok");
}

TEST(Session, keeps_a_connection_for_the_next_request) {
  TestServer server;
  auto client = server.connect();
  for (int i = 1; i <= 3; ++i) {
    client.send(request("GET /healthz"));
    const auto answer = client.receive();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.field("Connection"), "");
    EXPECT_EQ(answer.field("X-Request-Id"), "test-" + std::to_string(i));
  }
  EXPECT_EQ(server.connections(), 1U);
}

TEST(Session, keeps_a_connection_after_a_refusal_without_a_body) {
  TestServer server;
  auto client = server.connect();
  for (const char* line : {"GET /nowhere", "PUT /v1/sweeps", "GET /v1/sweeps?limt=3"}) {
    client.send(request(line));
    EXPECT_GE(client.receive().status, 400) << line;
  }
  client.send(request("GET /healthz"));
  EXPECT_EQ(client.receive().status, 200);
}

TEST(Session, closes_when_the_client_asks_for_it) {
  TestServer server;
  auto client = server.connect();
  client.send(request("GET /healthz", {}, "Connection: close\r\n"));
  EXPECT_EQ(client.receive().field("Connection"), "close");
  EXPECT_TRUE(client.is_closed());
}

TEST(Session, serves_http_1_0_with_and_without_keep_alive) {
  TestServer server;
  auto once = server.connect();
  once.send("GET /healthz HTTP/1.0\r\n\r\n");
  const auto text = once.receive_all();
  EXPECT_TRUE(text.starts_with("HTTP/1.0 200 OK\r\n")) << text;
  EXPECT_EQ(text.find("Connection:"), std::string::npos);
  auto kept = server.connect();
  for (int i = 0; i < 2; ++i) {
    kept.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(kept.receive().field("Connection"), "keep-alive");
  }
}

TEST(Session, answers_pipelined_requests_in_order) {
  TestServer server;
  auto client = server.connect();
  client.send(request("GET /healthz") +
              request("POST /v1/sweeps/sw_9/steer", R"({"verb":"stop"})") +
              request("GET /nowhere") + request("GET /v1/version"));
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_NE(client.receive().body.find("sw_9"), std::string::npos);
  EXPECT_NE(client.receive().body.find("/nowhere"), std::string::npos);
  EXPECT_TRUE(client.receive().json().contains("api"));
}

TEST(Session, sends_a_large_answer_whole_and_the_next_one_after_it) {
  TestServer server;
  auto body = Json::parse(submit_body("large"));
  const std::string word(4096, 'x');
  constexpr int words = 60;  // more than a socket holds
  for (int i = 0; i < words; ++i) body["spec"]["command"].push_back(word);
  const auto sweep = server.post("/v1/sweeps", body.dump())["sweep"].get<std::string>();
  auto client = server.connect();
  client.send(request("GET /v1/sweeps/" + sweep) + request("GET /v1/version"));
  EXPECT_EQ(client.receive().json()["spec"]["command"].back(), word);
  EXPECT_TRUE(client.receive().json().contains("api"));
  client.send(request("HEAD /v1/sweeps/" + sweep) + request("GET /v1/version"));
  EXPECT_GT(std::stoul(client.receive(true).field("Content-Length")), words * word.size());
  EXPECT_TRUE(client.receive().json().contains("api"));
}

TEST(Session, answers_a_request_that_arrives_byte_by_byte) {
  TestServer server;
  auto client = server.connect();
  for (const char byte : request("POST /v1/sweeps/sw_9/steer", R"({"verb":"stop"})"))
    client.send({&byte, 1});
  EXPECT_EQ(client.receive().status, 404);
}

TEST(Session, answers_a_client_that_has_finished_sending) {
  TestServer server;
  auto client = server.connect();
  client.send(request("GET /healthz"));
  client.finish_sending();
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_TRUE(client.is_closed());
}

TEST(Session, closes_without_an_answer_when_the_client_leaves) {
  TestServer server;
  for (const char* sent : {"", "GET /hea",
                           "POST /v1/sweeps HTTP/1.1\r\nHost: localhost\r\n"
                           "Content-Length: 100\r\n\r\n{\"spec\""}) {
    auto client = server.connect();
    client.send(sent);
    client.finish_sending();
    EXPECT_TRUE(client.is_closed()) << sent;
  }
}

TEST(Session, accepts_a_header_of_16_kib_and_refuses_a_longer_one) {
  TestServer server;
  EXPECT_EQ(server.ask(header_of(limits::header_bytes_max)).status, 200);
  auto client = server.connect();
  client.send(header_of(limits::header_bytes_max + 1000));
  const auto refused = client.receive();
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(refused.json()["code"], "too_large");
  EXPECT_EQ(refused.field("Connection"), "close");
  EXPECT_TRUE(client.is_closed());
}

TEST(Session, refuses_a_header_that_never_ends) {
  TestServer server;
  auto client = server.connect();
  client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(40'000, 'x'));
  EXPECT_EQ(client.receive().status, 413);
}

TEST(Session, accepts_64_header_fields_and_refuses_more) {
  TestServer server;
  std::string fields;
  for (std::size_t i = 1; i < limits::header_fields_max; ++i)
    fields += "X-" + std::to_string(i) + ": 1\r\n";
  EXPECT_EQ(server.ask(request("GET /healthz", {}, fields)).status, 200);
  const auto refused = server.ask(request("GET /healthz", {}, fields + "X-Last: 1\r\n"));
  EXPECT_EQ(refused.status, 413);
  EXPECT_NE(refused.body.find("64 header fields"), std::string::npos) << refused.body;
}

TEST(Session, refuses_ambiguous_header_fields) {
  TestServer server;
  const std::string open = "GET /healthz HTTP/1.1\r\n";
  const std::string host = "Host: localhost\r\n";
  EXPECT_EQ(server.ask(open + "\r\n").status, 400) << "no Host";
  EXPECT_EQ(server.ask(open + host + host + "\r\n").status, 400) << "two Hosts";
  const auto two = server.ask(open + host + "Authorization: a\r\nAuthorization: b\r\n\r\n");
  EXPECT_EQ(two.status, 400);
  EXPECT_NE(two.body.find("one Authorization"), std::string::npos);
  const auto expecting = server.ask(open + host + "Expect: a-miracle\r\n\r\n");
  EXPECT_EQ(expecting.status, 400);
  EXPECT_NE(expecting.body.find("100-continue"), std::string::npos);
}

TEST(Session, refuses_what_is_not_http_and_closes) {
  TestServer server;
  for (const char* text : {"hello there\r\n\r\n", "GET / HTTP/3.7\r\nHost: localhost\r\n\r\n",
                           "GET  /healthz HTTP/1.1\r\n\r\n", "\x16\x03\x01 opens TLS\r\n\r\n"}) {
    auto client = server.connect();
    client.send(text);
    client.finish_sending();
    const auto refused = client.receive();
    EXPECT_EQ(refused.status, 400) << text;
    EXPECT_EQ(refused.field("X-Request-Id"), "") << "its header was not read";
    EXPECT_TRUE(client.is_closed());
  }
}

TEST(Session, refuses_a_method_that_the_path_does_not_have) {
  TestServer server;
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"}) {
    const auto refused = server.ask(request(std::string(method) + " /v1/sweeps"));
    EXPECT_EQ(refused.status, 405) << method;
    EXPECT_EQ(refused.field("Allow"), "POST, GET, HEAD") << method;
    EXPECT_NE(refused.body.find(std::string(method) + " is not possible"), std::string::npos);
  }
  EXPECT_EQ(server.ask(request("OPTIONS *")).status, 400) << "no path";
  EXPECT_EQ(server.ask(request("DELETE /nowhere")).status, 404);
}

TEST(Session, answers_head_as_get_without_its_body) {
  TestServer server;
  for (const char* path : {"/healthz", "/v1/sweeps", "/v1/sweeps/sw_9", "/v1/events"}) {
    auto client = server.connect();
    client.send(request(std::string("GET ") + path));
    const auto get = client.receive();
    client.send(request(std::string("HEAD ") + path));
    const auto head = client.receive(true);
    EXPECT_EQ(head.status, get.status) << path;
    EXPECT_EQ(head.field("Content-Length"), std::to_string(get.body.size())) << path;
    client.send(request("GET /healthz"));
    EXPECT_EQ(client.receive().status, 200) << "a body followed the header";
  }
  auto client = server.connect();
  client.send(request("HEAD /v1/leases"));
  EXPECT_EQ(client.receive(true).status, 405);
}

TEST(Session, repeats_a_request_id_that_is_safe_to_log) {
  TestServer server;
  const auto id_for = [&](const std::string& given) {
    return server.ask(request("GET /healthz", {}, "X-Request-Id: " + given + "\r\n"))
        .field("X-Request-Id");
  };
  EXPECT_EQ(id_for("job-7.A_b"), "job-7.A_b");
  EXPECT_EQ(id_for(std::string(64, 'x')), std::string(64, 'x'));
  for (const auto& bad :
       {std::string(65, 'x'), std::string("a b"), std::string("a;b"), std::string("<script>")})
    EXPECT_TRUE(id_for(bad).starts_with("test-")) << bad;
}

TEST(Session, refuses_web_pages_and_foreign_names) {
  TestServer server;
  const auto page = server.ask(request("GET /healthz", {}, "Origin: https://evil.example\r\n"));
  EXPECT_EQ(page.status, 403);
  EXPECT_EQ(page.json()["code"], "forbidden");
  EXPECT_EQ(server.ask(request("GET /healthz", {}, "Origin: http://localhost\r\n")).status, 200);
  EXPECT_EQ(server.ask("GET /healthz HTTP/1.1\r\nHost: rebound.example\r\n\r\n").status, 403);
  EXPECT_EQ(server.ask("GET /healthz HTTP/1.1\r\nHost: [::1]:7777\r\n\r\n").status, 200);
}

// A page of another site could make a user's browser send reads, whose answers it never saw.
TEST(Session, refuses_what_a_page_of_another_site_caused) {
  TestServer server;
  const auto status = [&](const std::string& line, const std::string& site) {
    return server.ask(request(line, {}, "Sec-Fetch-Site: " + site + "\r\n")).status;
  };
  for (const char* read : {"GET /healthz", "GET /v1/sweeps", "GET /v1/events"}) {
    EXPECT_EQ(status(read, "cross-site"), 403) << read;
    EXPECT_EQ(status(read, "same-site"), 403) << read << ": another port of the same machine";
  }
  auto client = server.connect();
  client.send(request("HEAD /v1/sweeps", {}, "Sec-Fetch-Site: cross-site\r\n"));
  EXPECT_EQ(client.receive(true).status, 403);
  EXPECT_EQ(status("GET /v1/sweeps", "same-origin"), 200);
  EXPECT_EQ(status("GET /v1/sweeps", "none"), 200) << "its address was typed";
}

// An export as it goes over a connection: in chunks, and the connection stays.
TEST(Session, sends_an_export_in_chunks) {
  TestServer server;
  const auto sweep = server.post("/v1/sweeps", submit_body("one"))["sweep"].get<std::string>();
  const std::string line = "GET /v1/sweeps/" + sweep + "/export";
  auto client = server.connect();
  client.send(request(line));
  const auto answer = client.receive();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("Transfer-Encoding"), "chunked");
  EXPECT_EQ(answer.json()["hone_export"], 1);
  client.send(request("HEAD /v1/sweeps/" + sweep + "/export"));
  EXPECT_EQ(client.receive(true).status, 200);
  client.send(request("GET /v1/sweeps/sw_9/export"));
  EXPECT_EQ(client.receive().status, 404);
  client.send(request("GET /healthz"));
  EXPECT_EQ(client.receive().status, 200) << "the connection stays";
  auto old = server.connect();
  old.send(line + " HTTP/1.0\r\n\r\n");
  const auto whole = old.receive_all();
  EXPECT_EQ(whole.substr(whole.find("\r\n\r\n") + 4), answer.body);
}

TEST(Session, takes_one_import_of_a_client_at_a_time) {
  TestServer server;
  const std::string line = "POST /v1/imports";
  auto slow = server.connect("192.0.2.1");
  slow.send("POST /v1/imports HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{");
  while (server.on_io_thread([&] { return server.shared().only_one.count(); }) == 0) {
  }
  auto second = server.connect("192.0.2.1");
  second.send(request(line, "{}"));
  const auto refused = second.receive();
  EXPECT_EQ(refused.status, 429);
  EXPECT_NE(refused.json()["detail"].get<std::string>().find("in progress"), std::string::npos);
  auto other = server.connect("192.0.2.2");
  other.send(request(line, "{}"));
  EXPECT_EQ(other.receive().status, 400) << "another client has its own";
  slow.send("}");
  EXPECT_EQ(slow.receive().status, 400);
  auto next = server.connect("192.0.2.1");
  next.send(request(line, "{}"));
  EXPECT_EQ(next.receive().status, 400) << "the one before it is over";
}

TEST(Session, names_the_path_that_does_not_exist) {
  TestServer server;
  const auto answer = server.ask(request("GET /v2/sweeps?limit=3"));
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.json()["detail"], "there is nothing at /v2/sweeps");
}

TEST(Session, takes_the_absolute_form_that_a_proxy_sends) {
  TestServer server;
  EXPECT_EQ(server.ask(request("GET http://localhost/healthz")).status, 200);
}

TEST(Session, answers_many_connections_at_once) {
  TestServer server;
  std::vector<Client> clients;
  for (int i = 0; i < 200; ++i) clients.push_back(server.connect());
  EXPECT_EQ(server.connections(), 200U);
  for (auto& client : clients) client.send(request("GET /v1/sweeps"));
  for (auto& client : clients) EXPECT_EQ(client.receive().status, 200);
}

TEST(Session, counts_relative_times_of_a_filter_from_the_clock) {
  TestServer server;
  server.post("/v1/sweeps", submit_body("one"));
  const auto found = [&](const std::string& filter) {
    return server.ask(request("GET /v1/find?where=" + filter)).json()["items"].size();
  };
  EXPECT_EQ(found("sweep%20where%20submitted%20>%20-1h"), 1U);
  EXPECT_EQ(found("sweep%20where%20submitted%20<%20-1h"), 0U);
}

TEST(Session, closes_after_the_answer_while_the_server_drains) {
  TestServer server;
  auto client = server.connect();
  client.send(request("GET /healthz"));
  EXPECT_EQ(client.receive().field("Connection"), "");
  bool was_called = false;
  server.on_io_thread([&] {
    server.shared().draining = true;
    server.shared().last_connection_closed = [&was_called] { was_called = true; };
  });
  client.send(request("GET /healthz"));
  const auto last = client.receive();
  EXPECT_EQ(last.status, 200);
  EXPECT_EQ(last.field("Connection"), "close");
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(server.connections(), 0U);
  EXPECT_TRUE(server.on_io_thread([&] { return was_called; }));
}

TEST(Session, reports_an_engine_that_has_stopped) {
  TestServer server;
  server.engine().stop();
  const auto refused = server.ask(request("POST /v1/sweeps", submit_body("one")));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.field("Retry-After"), "1");
  EXPECT_EQ(server.ask(request("GET /v1/sweeps")).status, 200) << "reads do not need the engine";
}

}  // namespace
}  // namespace hone::http
