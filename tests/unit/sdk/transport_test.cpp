// The client's connection, against a server that the test writes out byte by byte.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/sha256.hpp"
#include "sdk/cpp/client.hpp"
#include "tests/unit/sdk/given.hpp"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class SdkTransport : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / "hone-sdk-XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
};

// Endpoints ---------------------------------------------------------------------

TEST_F(SdkTransport, an_endpoint_is_host_and_port) {
  EXPECT_EQ(parse_endpoint("http://127.0.0.1:7777")->url(), "http://127.0.0.1:7777");
  EXPECT_EQ(parse_endpoint("http://lab-3.example:80/")->host, "lab-3.example");
  EXPECT_EQ(parse_endpoint("http://[::1]:7777")->host, "::1");
  EXPECT_EQ(parse_endpoint("http://[::1]:7777")->url(), "http://[::1]:7777");
}

TEST_F(SdkTransport, anything_else_is_refused_with_what_to_write) {
  for (const char* url :
       {"", "127.0.0.1:7777", "ftp://h:1", "http://h", "http://:1", "http://h:0", "http://h:65536",
        "http://h:1/x", "http://u@h:1", "http://[::1]", "http://h:1x"}) {
    const auto endpoint = parse_endpoint(url);
    ASSERT_FALSE(endpoint) << url;
    EXPECT_NE(endpoint.error().detail.find("write it as http://127.0.0.1:7777"), std::string::npos);
  }
}

TEST_F(SdkTransport, an_endpoint_may_speak_tls) {
  const auto endpoint = parse_endpoint("https://lab-3.example:7777/");
  EXPECT_TRUE(endpoint->tls);
  EXPECT_EQ(endpoint->host, "lab-3.example");
  EXPECT_EQ(endpoint->url(), "https://lab-3.example:7777");
  EXPECT_FALSE(parse_endpoint("http://h:1")->tls);
}

TEST_F(SdkTransport, a_token_file_that_cannot_be_read_is_named) {
  Endpoint endpoint;
  const auto equipped = equip(endpoint, {.token_file = "/nowhere/token"});
  ASSERT_FALSE(equipped);
  EXPECT_NE(equipped.error().detail.find("/nowhere/token"), std::string::npos);
  EXPECT_TRUE(equip(endpoint, {.token = "given", .token_file = "/nowhere/token"}));
  EXPECT_EQ(endpoint.token, "given");
}

TEST_F(SdkTransport, a_token_among_the_arguments_is_overwritten) {
  std::string program = "hone", one = "--token", two = "secret", three = "--token=secret",
              four = "--token-file", five = "kept";
  std::vector<char*> words{program.data(), one.data(),  two.data(),
                           three.data(),   four.data(), five.data()};
  hide_tokens(static_cast<int>(words.size()), words.data());
  EXPECT_EQ(two, "xxxxxx");
  EXPECT_EQ(three, "--token=xxxxxx");
  EXPECT_EQ(five, "kept");
}

TEST_F(SdkTransport, a_certificate_that_cannot_be_read_is_refused_before_anything_is_sent) {
  Endpoint endpoint;
  endpoint.tls = true;
  endpoint.ca_file = "/nowhere.pem";
  const auto response = Transport(endpoint).call({});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::invalid);
  EXPECT_NE(response.error().detail.find("/nowhere.pem"), std::string::npos);
}

TEST_F(SdkTransport, paths_are_escaped) {
  EXPECT_EQ(escape_path("GA3C #2/é"), "GA3C%20%232%2F%C3%A9");
  EXPECT_EQ(escape_path("a-b_c.d~9"), "a-b_c.d~9");
}

// Calls -------------------------------------------------------------------------

// One connection serves many calls.
TEST_F(SdkTransport, keeps_its_connection) {
  Listener listener({[](Peer& peer) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(peer.request().starts_with("GET /healthz HTTP/1.1\r\n"));
      peer.answer("{}");
    }
  }});
  Transport transport(listener.endpoint);
  for (int i = 0; i < 3; ++i) {
    const auto response = transport.call({.target = "/healthz"});
    ASSERT_TRUE(response) << response.error().detail;
    EXPECT_EQ(response->status, 200);
  }
}

// The limit of a download held for the body of a refusal, too, which is read into memory.
TEST_F(SdkTransport, a_refused_download_took_a_gigabyte_of_memory) {
  Listener listener({[](Peer& peer) {
    peer.request();
    peer.send("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 900000000\r\n\r\n{");
    peer.wait_for_end();
  }});
  const auto response = Transport(listener.endpoint).call({.download = file("model")});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::too_large) << response.error().detail;
}

// A server that closed the kept connection meanwhile (its idle limit, a restart) is connected to
// again, unseen.
TEST_F(SdkTransport, opens_a_closed_connection_again) {
  const auto once = [](Peer& peer) {
    peer.request();
    peer.answer("{}");
  };
  Listener listener({once, once});
  Transport transport(listener.endpoint);
  for (int i = 0; i < 2; ++i) {
    const auto response = transport.call({});
    ASSERT_TRUE(response) << response.error().detail;
  }
}

TEST_F(SdkTransport, sends_the_token_and_the_body) {
  std::promise<std::string> seen;
  Listener listener({[&](Peer& peer) {
    seen.set_value(peer.request());
    peer.answer("{}", "201 Created");
  }});
  listener.endpoint.token = "secret";
  Transport transport(listener.endpoint);
  EXPECT_EQ(transport.call({.method = "POST", .target = "/v1/x", .body = "{\"a\":1}"})->status,
            201);
  const std::string request = seen.get_future().get();
  EXPECT_NE(request.find("Authorization: Bearer secret\r\n"), std::string::npos);
  EXPECT_NE(request.find("Content-Type: application/json\r\n"), std::string::npos);
  EXPECT_TRUE(request.ends_with("\r\n\r\n{\"a\":1}"));
}

TEST_F(SdkTransport, a_server_that_is_not_there_is_unavailable) {
  Endpoint endpoint;
  endpoint.port = "1";
  const auto response = Transport(endpoint).call({});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::unavailable);
  EXPECT_NE(response.error().detail.find("http://127.0.0.1:1"), std::string::npos);
  EXPECT_NE(response.error().detail.find("is 'hone up' running there?"), std::string::npos);
}

TEST_F(SdkTransport, a_server_that_says_nothing_is_timed_out) {
  Listener listener({[](Peer& peer) { peer.wait_for_end(); }});
  const auto response =
      Transport(listener.endpoint).call({.timeout = std::chrono::milliseconds(100)});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::timed_out);
}

// The limit is for the whole answer: one byte a moment does not stretch it.
TEST_F(SdkTransport, a_slow_answer_is_timed_out) {
  Listener listener({[](Peer& peer) {
    peer.request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
    peer.wait_for_end();
  }});
  const auto response =
      Transport(listener.endpoint).call({.timeout = std::chrono::milliseconds(100)});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::timed_out);
}

TEST_F(SdkTransport, an_answer_cut_short_is_unavailable) {
  Listener listener({[](Peer& peer) {
    peer.request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
  }});
  const auto response = Transport(listener.endpoint).call({});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::unavailable);
}

TEST_F(SdkTransport, what_is_no_http_is_unavailable) {
  Listener listener({[](Peer& peer) {
    peer.request();
    peer.send("SSH-2.0-OpenSSH\r\n\r\n");
  }});
  const auto response = Transport(listener.endpoint).call({});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::unavailable);
}

// From another thread: the call under way ends, and none begins any more.
TEST_F(SdkTransport, is_interrupted) {
  std::promise<void> asked;
  Listener listener({[&](Peer& peer) {
    peer.request();
    asked.set_value();
    peer.wait_for_end();
  }});
  Transport transport(listener.endpoint);
  auto call = std::async(std::launch::async, [&] { return transport.call({}); });
  asked.get_future().wait();
  transport.interrupt();
  const auto response = call.get();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::unavailable);
  EXPECT_FALSE(transport.call({}));
}

// Files -------------------------------------------------------------------------

TEST_F(SdkTransport, uploads_and_downloads_files) {
  const std::string bytes(300'000, '\x07');
  std::ofstream(file("up"), std::ios::binary) << bytes;
  Listener listener({[&](Peer& peer) {
    EXPECT_TRUE(peer.request().ends_with(bytes));
    peer.answer("{}", "201 Created");
    peer.request();
    peer.answer(bytes);
  }});
  Transport transport(listener.endpoint);
  EXPECT_EQ(transport.call({.method = "PUT", .upload = file("up")})->status, 201);
  ASSERT_TRUE(transport.call({.download = file("down")}));
  EXPECT_EQ(read_file(file("down")), bytes);
}

TEST_F(SdkTransport, a_file_that_is_not_there_is_not_found) {
  const auto response = Transport(Endpoint{}).call({.method = "PUT", .upload = file("missing")});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::not_found);
}

// A refusal is read as a body, not into the file that was asked for.
TEST_F(SdkTransport, a_refused_download_has_its_problem) {
  Listener listener({[](Peer& peer) {
    peer.request();
    peer.answer(R"({"code":"not_found","detail":"no blob","at":"","retryable":false})",
                "404 Not Found");
  }});
  Client client(listener.endpoint);
  const Status got = client.get_blob(std::string(64, 'a'), file("blob"));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Code::not_found);
  EXPECT_EQ(got.error().detail, "no blob");
  EXPECT_TRUE(fs::is_empty(folder_));
}

// A blob is whole under its name or not there.
TEST_F(SdkTransport, a_damaged_blob_is_not_kept) {
  Listener listener({[](Peer& peer) {
    peer.request();
    peer.answer("other bytes");
  }});
  Client client(listener.endpoint);
  EXPECT_FALSE(client.get_blob(sha256_hex("bytes"), file("blob")));
  EXPECT_TRUE(fs::is_empty(folder_));
}

// The server is asked first: a checkpoint it has is not sent again.
TEST_F(SdkTransport, a_known_blob_is_not_sent) {
  std::ofstream(file("model")) << "bytes";
  Listener listener({[](Peer& peer) {
    EXPECT_TRUE(peer.request().starts_with("HEAD /v1/blobs/" + sha256_hex("bytes")));
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    EXPECT_EQ(peer.request(), "") << "nothing follows";
  }});
  Client client(listener.endpoint);
  const auto blob = client.put_blob(file("model"));
  ASSERT_TRUE(blob) << blob.error().detail;
  EXPECT_EQ(blob->bytes, 5);
}

// Problems ----------------------------------------------------------------------

TEST_F(SdkTransport, a_problem_keeps_its_code_sentence_and_place) {
  Listener listener({[](Peer& peer) {
    peer.request();
    peer.answer(R"({"code":"stale_lease","detail":"it is over","at":"/x","retryable":false})",
                "409 Conflict");
  }});
  Client client(listener.endpoint);
  const auto reply = client.report(LeaseId{1}, {});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::stale_lease);
  EXPECT_EQ(reply.error().detail, "it is over");
  EXPECT_EQ(reply.error().at, "/x");
}

// A proxy's page is no word of the server's: 502 passes, 500 does not, 404 is not found.
TEST_F(SdkTransport, answers_of_strangers_are_refusals) {
  const auto page = [](const char* status) {
    return [status](Peer& peer) {
      peer.request();
      peer.answer("<html>", status);
    };
  };
  Listener listener(
      {page("502 Bad Gateway"), page("500 Oops"), page("404 Not Found"), page("200 OK")});
  Client client(listener.endpoint);
  EXPECT_EQ(client.get_json("/v1").error().code, Code::unavailable);
  EXPECT_EQ(client.get_json("/v1").error().code, Code::internal);
  EXPECT_EQ(client.get_json("/v1").error().code, Code::not_found);
  EXPECT_EQ(client.get_json("/v1").error().code, Code::internal);
}

}  // namespace
}  // namespace hone
