// Bodies: their limits, their framing, and answers that leave before a body has arrived.
#include "base/sha256.hpp"
#include "tests/unit/http/given.hpp"

namespace hone::http {
namespace {

const std::string steer = "POST /v1/sweeps/sw_9/steer";  // 404 once its body was read

std::string head(const std::string& line, const std::string& fields) {
  return line + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
}

std::string length(std::size_t bytes) {
  return "Content-Length: " + std::to_string(bytes) + "\r\n";
}

std::string chunk(const std::string& bytes) {
  std::array<char, 20> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  return size.data() + bytes + "\r\n";
}

TEST(Body, may_arrive_in_pieces) {
  TestServer server;
  auto client = server.connect();
  client.send(head(steer, length(15)));
  client.send(R"({"verb")");
  client.send(R"(:"stop"})");
  EXPECT_EQ(client.receive().status, 404);
}

TEST(Body, may_be_chunked) {
  TestServer server;
  auto client = server.connect();
  client.send(head(steer, "Transfer-Encoding: chunked\r\n") + chunk(R"({"verb":)") +
              chunk(R"("stop"})") + "0\r\n\r\n");
  EXPECT_EQ(client.receive().status, 404);
  client.send(request("GET /healthz"));
  EXPECT_EQ(client.receive().status, 200) << "the last chunk belongs to the body";
}

TEST(Body, that_breaks_the_framing_is_refused) {
  TestServer server;
  auto client = server.connect();
  client.send(head(steer, "Transfer-Encoding: chunked\r\n") + "zz\r\n");
  const auto refused = client.receive();
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.field("Connection"), "close");
  for (const auto& fields :
       {length(5) + length(6), length(5) + "Transfer-Encoding: chunked\r\n",
        std::string("Content-Length: -1\r\n"), std::string("Content-Length: many\r\n"),
        std::string("Content-Length: 99999999999999999999\r\n")})
    EXPECT_EQ(server.ask(head(steer, fields) + "hello").status, 400) << fields;
}

TEST(Body, that_announces_too_many_bytes_is_refused_before_it_is_sent) {
  TestServer server;
  auto client = server.connect();
  client.send(head(steer, length(limits::body_bytes_max + 1)));
  const auto refused = client.receive();
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(refused.json()["detail"],
            "the body is larger than " + std::to_string(limits::body_bytes_max) + " bytes");
  EXPECT_EQ(refused.field("Connection"), "close");
}

TEST(Body, of_chunks_is_bounded_as_well) {
  TestServer server;
  auto client = server.connect();
  client.send(head(steer, "Transfer-Encoding: chunked\r\n"));
  const auto piece = chunk(std::string(64 * 1024, ' '));
  std::thread sender([&] {
    for (std::size_t sent = 0; sent <= limits::body_bytes_max && client.send(piece);
         sent += 64 * 1024) {
    }
  });
  EXPECT_EQ(client.receive().status, 413);
  sender.join();
}

// Without its end, the line of a chunk stayed in memory: no bound of bodies counted it.
TEST(Body, has_a_bound_for_the_line_of_a_chunk_and_for_its_trailer) {
  TestServer server;
  const std::string endless(4 * limits::header_bytes_max, 'a');
  for (const auto& path : {steer, "PUT /v1/blobs/" + std::string(64, '0')})
    for (const auto& start : {"2;" + endless, "2\r\n{}\r\n5;" + endless, "0\r\nX: " + endless}) {
      auto client = server.connect();
      client.send(head(path, "Transfer-Encoding: chunked\r\n") + start);
      const auto refused = client.receive();
      EXPECT_EQ(refused.status, 400) << path << refused.body;
      EXPECT_NE(refused.body.find("is larger than 16384 bytes"), std::string::npos) << refused.body;
      EXPECT_EQ(refused.field("Connection"), "close") << path;
    }
}

TEST(Body, has_a_bound_for_the_line_of_a_chunk_that_arrives_in_pieces) {
  TestServer server;
  auto client = server.connect();
  client.send(head(steer, "Transfer-Encoding: chunked\r\n") + "2;");
  std::thread sender([&] {
    const std::string piece(1000, 'a');
    for (std::size_t sent = 0; sent <= limits::header_bytes_max; sent += piece.size())
      if (!client.send(piece)) return;
  });
  EXPECT_EQ(client.receive().status, 400);
  sender.join();
}

TEST(Body, has_the_limit_of_its_route) {
  TestServer server;
  const std::string large(limits::body_bytes_max + 1, ' ');
  EXPECT_EQ(server.ask(head("POST /v1/imports", length(large.size())) + large).status, 400)
      << "an import may be as large, but not blank";
  EXPECT_EQ(server.ask(head("POST /v1/imports", length(limits::import_bytes_max + 1))).status, 413);
}

// The refusal must reach a client that does not read before it has sent its whole body: the server
// reads and discards what follows.
TEST(Body, that_is_refused_while_it_arrives_does_not_reset_the_connection) {
  TestServer server;
  const std::string body(4 * 1024 * 1024, 'x');
  for (const char* line : {"POST /nowhere", "PUT /v1/sweeps", "POST /v1/leases?limit=3"}) {
    auto client = server.connect();
    EXPECT_TRUE(client.send(head(line, length(body.size())) + body)) << line;
    const auto refused = client.receive();
    EXPECT_GE(refused.status, 400) << line;
    EXPECT_EQ(refused.field("Connection"), "close") << line;
    EXPECT_EQ(client.receive_all(), "") << line;
  }
}

TEST(Body, that_follows_an_early_refusal_is_not_a_request) {
  TestServer server;
  auto client = server.connect();
  const auto smuggled = request("GET /v1/version");
  client.send(head("POST /nowhere", length(smuggled.size())) + smuggled);
  EXPECT_EQ(client.receive().status, 404);
  client.finish_sending();
  EXPECT_EQ(client.receive_all(), "");
}

TEST(Body, is_awaited_by_clients_that_expect_100_continue) {
  TestServer server;
  auto client = server.connect();
  client.send(head(steer, "Expect: 100-Continue\r\n" + length(15)));
  EXPECT_EQ(client.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send(R"({"verb":"stop"})");
  EXPECT_EQ(client.receive().status, 404);
  client.send(head(steer, "Expect: 100-continue\r\n" + length(limits::body_bytes_max + 1)));
  EXPECT_EQ(client.receive().status, 413) << "the client need not send it at all";
}

TEST(Body, is_not_awaited_without_one) {
  TestServer server;
  auto client = server.connect();
  client.send(head("GET /healthz", "Expect: 100-continue\r\n"));
  EXPECT_EQ(client.receive().status, 200);
  client.send("GET /healthz HTTP/1.0\r\nHost: localhost\r\nExpect: anything\r\n\r\n");
  EXPECT_EQ(client.receive().status, 400) << "an unknown expectation is refused of any version";
}

TEST(Body, of_a_read_is_read_and_ignored) {
  TestServer server;
  auto client = server.connect();
  client.send(request("GET /v1/sweeps", "ignored"));
  EXPECT_EQ(client.receive().status, 200);
  client.send(request("GET /v1/sweeps"));
  EXPECT_EQ(client.receive().status, 200);
  client.send(head("GET /v1/sweeps", length(limits::read_body_bytes_max + 1)));
  EXPECT_EQ(client.receive().status, 413);
}

TEST(Body, of_an_open_route_is_refused_before_it_is_sent) {
  TestServer server;
  for (const char* path : {"GET /healthz", "GET /readyz", "HEAD /healthz"})
    for (const auto& fields : {length(1), std::string("Transfer-Encoding: chunked\r\n")}) {
      auto client = server.connect();
      client.send(head(path, fields));
      EXPECT_EQ(client.receive(true).status, 413) << path << fields;
    }
}

// Connections that announce large bodies and send none of them.
TEST(Body, bytes_that_are_announced_are_bounded_for_each_client) {
  TestServer server;
  const auto announce =
      head("POST /v1/sweeps", "Expect: 100-continue\r\n" + length(limits::body_bytes_max));
  const auto most = limits::bodies_per_client_bytes_max / limits::body_bytes_max;
  std::vector<Client> held;
  for (std::size_t i = 0; i < most; ++i) {
    held.push_back(server.connect("192.0.2.1"));
    held.back().send(announce);
    EXPECT_EQ(held.back().receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  }
  auto late = server.connect("192.0.2.1");
  late.send(announce);
  const auto refused = late.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.field("Retry-After"), "1");
  auto small = server.connect("192.0.2.1");
  small.send(request("POST /v1/sweeps/sw_9/steer", R"({"verb":"stop"})"));
  EXPECT_EQ(small.receive().status, 404) << "reports and heartbeats do not wait for large bodies";
  auto other = server.connect("192.0.2.2");
  other.send(announce);
  EXPECT_EQ(other.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  held.clear();
  const auto bytes = [&] {
    return server.on_io_thread([&] { return server.shared().bodies.held(); });
  };
  while (bytes() > limits::body_bytes_max) {
  }
  EXPECT_EQ(bytes(), limits::body_bytes_max) << "of the connection that is left";
}

// SHA-256 of "abc".
const std::string abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Blob, comes_back_as_it_was_put) {
  TestServer server;
  auto client = server.connect();
  client.send(request("PUT /v1/blobs/" + abc, "abc"));
  const auto put = client.receive();
  EXPECT_EQ(put.status, 201);
  EXPECT_EQ(put.json(), (Json{{"sha256", abc}, {"bytes", 3}}));
  client.send(request("GET /v1/blobs/" + abc));
  const auto got = client.receive();
  EXPECT_EQ(got.body, "abc");
  EXPECT_EQ(got.field("Content-Type"), "application/octet-stream");
  client.send(request("HEAD /v1/blobs/" + abc));
  EXPECT_EQ(client.receive(true).field("Content-Length"), "3");
  client.send(request("GET /v1/blobs/" + std::string(64, '0')));
  EXPECT_EQ(client.receive().status, 404);
}

TEST(Blob, of_many_pieces_is_streamed_both_ways) {
  TestServer server;
  std::string bytes(3 * limits::blob_piece_bytes + 17, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 % 251);
  const auto digest = sha256_hex(bytes);
  auto client = server.connect();
  client.send(head("PUT /v1/blobs/" + digest, "Transfer-Encoding: chunked\r\n"));
  for (std::size_t at = 0; at < bytes.size(); at += 100'000)
    client.send(chunk(bytes.substr(at, 100'000)));
  client.send("0\r\n\r\n" + request("GET /v1/blobs/" + digest));
  EXPECT_EQ(client.receive().status, 201);
  EXPECT_TRUE(client.receive().body == bytes);
}

TEST(Blob, of_no_bytes_is_a_blob) {
  TestServer server;
  const auto digest = sha256_hex("");
  EXPECT_EQ(server.ask(head("PUT /v1/blobs/" + digest, length(0))).status, 201);
  EXPECT_EQ(server.ask(request("GET /v1/blobs/" + digest)).field("Content-Length"), "0");
}

TEST(Blob, with_another_digest_or_a_bad_name_is_refused) {
  TestServer server;
  auto client = server.connect();
  client.send(request("PUT /v1/blobs/" + abc, "abd"));
  EXPECT_EQ(client.receive().status, 400);
  client.send(request("GET /v1/blobs/" + abc));
  EXPECT_EQ(client.receive().status, 404) << "the connection is kept, since the body was read";
  EXPECT_EQ(server.ask(request("PUT /v1/blobs/..%2f..%2fetc", "abc")).status, 400);
  EXPECT_EQ(server.ask(request("GET /v1/blobs/" + std::string(64, 'A'))).status, 400);
}

TEST(Blob, that_breaks_the_framing_is_refused) {
  TestServer server;
  const auto refused =
      server.ask(head("PUT /v1/blobs/" + abc, "Transfer-Encoding: chunked\r\n") + "zz\r\n");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.field("Connection"), "close");
}

TEST(Blob, is_bounded) {
  TestServer server;
  const auto refused = server.ask(head("PUT /v1/blobs/" + abc, length(limits::blob_bytes_max + 1)));
  EXPECT_EQ(refused.status, 413);
  EXPECT_NE(refused.body.find("a blob has at most"), std::string::npos);
}

TEST(Blob, that_is_cut_off_leaves_no_file) {
  TestServer server;
  auto client = server.connect();
  client.send(head("PUT /v1/blobs/" + abc, length(3)) + "ab");
  client.finish_sending();
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(server.connections(), 0U);
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(server.folder().path() / "blobs"))
    files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 0U);
}

TEST(Blob, is_awaited_by_clients_that_expect_100_continue) {
  TestServer server;
  auto client = server.connect();
  client.send(head("PUT /v1/blobs/" + abc, "Expect: 100-continue\r\n" + length(3)));
  EXPECT_EQ(client.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_EQ(client.receive().status, 201);
}

}  // namespace
}  // namespace hone::http
