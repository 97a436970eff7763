// The HTTP client against a server that the test writes out byte by byte. tests/unit/sdk has the
// rest of its contract, tests/e2e its TLS.
#include <gtest/gtest.h>

#include "base/net/http_client.hpp"
#include "tests/unit/sdk/given.hpp"

namespace hone::net {
namespace {

HttpServer server_of(const Listener& listener) {
  return {listener.endpoint.host, listener.endpoint.port};
}

TEST(HttpClient, sends_the_headers_of_the_server_and_of_the_request) {
  Listener listener({[](Peer& peer) {
    const auto request = peer.request();
    for (const char* header : {"X-Server: one\r\n", "X-Request: two\r\n", "Accept: text/plain\r\n"})
      EXPECT_NE(request.find(header), std::string::npos) << header << request;
    peer.answer("done");
  }});
  auto server = server_of(listener);
  server.headers = {{"X-Server", "one"}};
  HttpRequest request;
  request.accept = "text/plain";
  request.headers = {{"X-Request", "two"}};
  const auto answer = HttpClient(server).call(request);
  ASSERT_TRUE(answer) << answer.error().detail;
  EXPECT_EQ(answer->body, "done");
}

TEST(HttpClient, does_not_wait_for_a_body_that_is_not_wanted) {
  Listener listener({[](Peer& peer) {
    EXPECT_NE(peer.request().find("Connection: close\r\n"), std::string::npos);
    peer.send("HTTP/1.1 202 Accepted\r\nContent-Length: 1000\r\n\r\nnever the rest");
    peer.wait_for_end();
  }});
  HttpRequest request;
  request.wants_body = false;
  const auto answer = HttpClient(server_of(listener)).call(request);
  ASSERT_TRUE(answer) << answer.error().detail;
  EXPECT_EQ(answer->status, 202);
}

// Sends up to a gigabyte of a chunked body that begins with `start`. Returns the error of the call.
Error error_of_endless(const std::string& start, bool streamed) {
  Listener listener({[&](Peer& peer) {
    peer.request();
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + start);
    const std::string piece(1 << 20, 'a');
    for (int i = 0; i < 1024 && peer.send(piece); ++i) {
    }
  }});
  HttpClient client(server_of(listener));
  const auto every_line = [](std::string_view) { return true; };
  const auto answer = streamed ? client.stream({}, every_line) : client.call({});
  return answer ? refuse(Code::internal, "an answer") : answer.error();
}

// What is not parsed yet grew with every byte that a server sent.
TEST(HttpClient, gives_up_on_the_line_of_a_chunk_and_on_a_trailer_without_an_end) {
  for (const std::string start : {"5;", "0\r\nX: "})
    for (const bool streamed : {false, true}) {
      const auto error = error_of_endless(start, streamed);
      EXPECT_EQ(error.code, Code::too_large) << start << error.detail;
    }
}

TEST(HttpClient, says_what_to_do_where_no_server_is) {
  HttpServer nowhere{"127.0.0.1", "1"};
  nowhere.if_unreachable = "; start one";
  const auto answer = HttpClient(nowhere).call({});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::unavailable);
  EXPECT_EQ(answer.error().detail,
            "cannot reach http://127.0.0.1:1: Connection refused; start one");
}

TEST(HttpClient, writes_an_ipv6_address_in_brackets) {
  EXPECT_EQ((HttpServer{"::1", "80"}.url()), "http://[::1]:80");
  EXPECT_EQ((HttpServer{"example.org", "443", true}.url()), "https://example.org:443");
}

}  // namespace
}  // namespace hone::net
