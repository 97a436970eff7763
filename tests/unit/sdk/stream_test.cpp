// Event streams, against a server that the test writes out byte by byte.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sdk/cpp/client.hpp"
#include "tests/unit/sdk/given.hpp"

namespace hone {
namespace {

// Lines arrive one by one, cut anywhere, until the reader has enough.
TEST(SdkStream, hands_on_lines) {
  Listener listener({[](Peer& peer) {
    EXPECT_NE(peer.request().find("Accept: text/event-stream"), std::string::npos);
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nid: 1\r\n");
    peer.send("b\r\n\ndata: {\"a\"\r\n6\r\n:1}\r\n\n\r\n6\r\ndata: \r\n3\r\n{}\n\r\n");
    peer.wait_for_end();
  }});
  Transport transport(listener.endpoint);
  std::vector<std::string> lines;
  const auto response =
      transport.stream({.accept = "text/event-stream"}, [&](std::string_view line) {
        lines.emplace_back(line);
        return line != "data: {}";
      });
  ASSERT_TRUE(response) << response.error().detail;
  EXPECT_EQ(lines, (std::vector<std::string>{"id: 1", "data: {\"a\":1}", "", "data: {}"}));
}

TEST(SdkStream, an_event_that_is_not_json_was_skipped_in_silence) {
  Listener listener({[](Peer& peer) {
    peer.request();
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\ndata: {\"a\n\r\n");
    peer.wait_for_end();
  }});
  Client client(listener.endpoint);
  const Status followed = client.follow(0, {}, [](const Json&) { return true; });
  ASSERT_FALSE(followed);
  EXPECT_EQ(followed.error().code, Code::internal);
  EXPECT_NE(followed.error().detail.find("/v1/events is malformed"), std::string::npos);
}

TEST(SdkStream, a_silent_stream_is_timed_out) {
  Listener listener({[](Peer& peer) {
    peer.request();
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n:\n\r\n");
    peer.wait_for_end();
  }});
  Transport transport(listener.endpoint);
  int lines = 0;
  const auto response =
      transport.stream({.timeout = std::chrono::milliseconds(100)}, [&](std::string_view) {
        ++lines;
        return true;
      });
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::timed_out);
  EXPECT_EQ(lines, 1);
}

TEST(SdkStream, a_refused_stream_has_its_problem) {
  Listener listener({[](Peer& peer) {
    peer.request();
    peer.answer(R"({"code":"not_found","detail":"no sweep sw_9","at":"","retryable":false})",
                "404 Not Found");
  }});
  Client client(listener.endpoint);
  const Status followed = client.follow(0, SweepId{9}, [](const Json&) { return true; });
  ASSERT_FALSE(followed);
  EXPECT_EQ(followed.error().code, Code::not_found);
}

TEST(SdkStream, a_line_of_a_stream_without_an_end_took_all_memory) {
  Listener listener({[](Peer& peer) {
    peer.request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
    const std::string piece(1 << 20U, 'x');
    for (int i = 0; i < 40; ++i) peer.send(piece);
    peer.wait_for_end();
  }});
  int lines = 0;
  const auto response = Transport(listener.endpoint).stream({}, [&](std::string_view) {
    ++lines;
    return true;
  });
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::too_large) << response.error().detail;
  EXPECT_EQ(lines, 0);
}

}  // namespace
}  // namespace hone
