// Webhooks against an HTTP server on a socket: order, signature, retries and restarts. The digest
// of the first test is Python's hmac.new(b"swordfish", b"1790000000." + b'{"id":1}',
// "sha256").hexdigest().
#include "server/follow/webhooks.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"
#include "server/follow/followers.hpp"
#include "tests/unit/follow/given.hpp"
#include "tests/unit/sdk/given.hpp"

namespace hone {
namespace {

TEST(WebhookSignature, IsTheHmacOfTimeAndBody) {
  EXPECT_EQ(webhook_signature("swordfish", 1790000000, R"({"id":1})"),
            "t=1790000000,v1=e8a2b2bcd0e137ef83ac13b2411c9cf72bdd78facd52f23f2d009685c2add08c");
}

TEST(WebhookSignature, ChangesWithEachOfItsParts) {
  const auto one = webhook_signature("swordfish", 1790000000, "{}");
  EXPECT_NE(one, webhook_signature("swordfisg", 1790000000, "{}"));
  EXPECT_NE(one, webhook_signature("swordfish", 1790000001, "{}"));
  EXPECT_NE(one, webhook_signature("swordfish", 1790000000, "{ }"));
}

TEST(WebhookPause, DoublesUpToFiveMinutes) {
  EXPECT_EQ(webhook_pause(1), seconds(1));
  EXPECT_EQ(webhook_pause(2), seconds(2));
  EXPECT_EQ(webhook_pause(5), seconds(16));
  EXPECT_EQ(webhook_pause(9), seconds(256));
  EXPECT_EQ(webhook_pause(10), seconds(300));
  EXPECT_EQ(webhook_pause(100), seconds(300));
}

std::string field(const std::string& request, const std::string& name) {
  const auto at = request.find("\r\n" + name + ": ");
  if (at == std::string::npos || at > request.find("\r\n\r\n")) return "";
  const auto begin = at + name.size() + 4;
  return request.substr(begin, request.find("\r\n", begin) - begin);
}

std::string body_of(const std::string& request) {
  return request.substr(request.find("\r\n\r\n") + 4);
}

class WebhookTest : public FollowedLedger {
 protected:
  // A receiver that answers with these statuses, one connection after the other.
  std::unique_ptr<Listener> receiver(const std::vector<std::string>& statuses) {
    std::vector<Listener::Script> scripts;
    for (const auto& status : statuses)
      scripts.push_back([this, status](Peer& peer) {
        received.add(peer.request());
        peer.answer("{}", status);
      });
    return std::make_unique<Listener>(std::move(scripts));
  }
  static std::string url_of(const Listener& listener, const std::string& path = "/hook") {
    return "http://127.0.0.1:" + listener.endpoint.port + path;
  }
  std::unique_ptr<Webhook> start(const std::string& url) {
    auto started = Webhook::start(url, options, folder.path(), reader());
    EXPECT_TRUE(started.ok()) << started.error().detail;
    return *std::move(started);
  }
  // The number that the one cursor file holds.
  [[nodiscard]] std::int64_t cursor() const {
    std::int64_t seq = -1;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "webhooks"))
      std::ifstream(entry.path()) >> seq;
    return seq;
  }

  Handed<std::string> received;
  WebhookOptions options{{"sweep_ended"}, "swordfish"};
};

TEST_F(WebhookTest, posts_each_new_event_of_its_kinds_in_order) {
  sweep();
  const auto listener = receiver({"200 OK", "204 No Content", "201 Created"});
  const auto webhook = start(url_of(*listener));
  for (int i = 0; i < 3; ++i) {
    join();
    const auto seq = sweep();
    webhook->wake();
    const auto request = received.next();
    EXPECT_TRUE(request.starts_with("POST /hook HTTP/1.1\r\n")) << request;
    EXPECT_EQ(field(request, "X-Hone-Event"), "sweep_ended");
    EXPECT_EQ(field(request, "X-Hone-Id"), std::to_string(seq));
    EXPECT_EQ(field(request, "Content-Type"), "application/json");
    const auto body = Json::parse(body_of(request));
    EXPECT_EQ(body["id"], seq);
    EXPECT_EQ(body["kind"], "sweep_ended");
    EXPECT_EQ(body["sweep"], "sw_" + std::to_string(i + 2)) << "sw_1 had ended before";
    EXPECT_EQ(body["event"]["state"], "canceled");
  }
}

TEST_F(WebhookTest, signs_the_body_that_it_sends) {
  const auto listener = receiver({"200 OK"});
  const auto webhook = start(url_of(*listener));
  sweep();
  webhook->wake();
  const auto request = received.next();
  const auto signature = field(request, "X-Hone-Signature");
  ASSERT_TRUE(signature.starts_with("t="));
  const auto time = std::stoll(signature.substr(2));
  EXPECT_EQ(signature, webhook_signature("swordfish", time, body_of(request)));
}

TEST_F(WebhookTest, leaves_the_signature_out_without_a_secret) {
  options.secret.clear();
  const auto listener = receiver({"200 OK"});
  const auto webhook = start(url_of(*listener));
  sweep();
  webhook->wake();
  EXPECT_EQ(field(received.next(), "X-Hone-Signature"), "");
}

TEST_F(WebhookTest, tries_again_until_the_event_is_taken_and_only_then_the_next) {
  const auto listener = receiver({"500 Internal Server Error", "302 Found", "200 OK", "200 OK"});
  const auto webhook = start(url_of(*listener));
  const auto first = sweep();
  const auto second = sweep();
  webhook->wake();
  for (const auto expected : {first, first, first, second})
    EXPECT_EQ(field(received.next(), "X-Hone-Id"), std::to_string(expected));
}

TEST_F(WebhookTest, continues_after_a_restart_with_what_it_missed) {
  std::int64_t delivered = 0;
  const auto listener = receiver({"200 OK", "200 OK", "200 OK"});
  {
    const auto webhook = start(url_of(*listener));
    delivered = sweep();
    webhook->wake();
    EXPECT_EQ(field(received.next(), "X-Hone-Id"), std::to_string(delivered));
  }
  EXPECT_EQ(cursor(), delivered) << "kept before it ended";
  const auto missed = sweep();
  const auto missed_too = sweep();
  const auto webhook = start(url_of(*listener));
  EXPECT_EQ(field(received.next(), "X-Hone-Id"), std::to_string(missed));
  EXPECT_EQ(field(received.next(), "X-Hone-Id"), std::to_string(missed_too));
}

TEST_F(WebhookTest, repeats_an_event_that_was_not_taken_before_the_restart) {
  const auto listener = receiver({"500 Internal Server Error", "200 OK"});
  std::int64_t seq = 0;
  {
    const auto webhook = start(url_of(*listener));
    seq = sweep();
    webhook->wake();
    EXPECT_EQ(field(received.next(), "X-Hone-Id"), std::to_string(seq));
  }
  EXPECT_LT(cursor(), seq);
  const auto webhook = start(url_of(*listener));
  EXPECT_EQ(field(received.next(), "X-Hone-Id"), std::to_string(seq));
}

TEST_F(WebhookTest, of_a_new_address_begins_with_what_happens_from_now_on) {
  sweep();
  const auto listener = receiver({"200 OK"});
  const auto webhook = start(url_of(*listener));
  EXPECT_EQ(cursor(), fed.seq);
  const auto seq = sweep();
  webhook->wake();
  EXPECT_EQ(field(received.next(), "X-Hone-Id"), std::to_string(seq));
}

TEST_F(WebhookTest, of_each_address_has_its_own_cursor) {
  const auto one = receiver({"200 OK"});
  const auto other = receiver({"200 OK"});
  const auto first = start(url_of(*one));
  const auto second = start(url_of(*other));
  const auto third = start(url_of(*other, "/another"));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "webhooks"))
    files += entry.path().extension() == ".new" ? 0 : 1;
  EXPECT_EQ(files, 3U);
}

TEST_F(WebhookTest, is_refused_for_what_is_no_address) {
  for (const char* url : {"", "example.org/hook", "ftp://example.org/", "http://", "http:///hook",
                          "http://user@example.org/", "http://example.org:port/",
                          "http://example.org/a b", "http://example.org/#part"})
    EXPECT_EQ(Webhook::start(url, options, folder.path(), reader()).error().code, Code::invalid)
        << url;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "webhooks"));
}

class FollowersTest : public WebhookTest {
 protected:
  FollowersTest() { std::filesystem::create_directories(folder.path() / "blobs"); }
  DataFolder data = DataFolder::open(folder.path()).value();
};

TEST_F(FollowersTest, sign_with_the_first_line_of_the_secret_file) {
  std::ofstream(folder.file("secret")) << "marlin\nignored\n";
  const auto listener = receiver({"200 OK"});
  const auto followers =
      Followers::start({{url_of(*listener)}, {"sweep_ended"}, folder.file("secret")}, data);
  ASSERT_TRUE(followers.ok()) << followers.error().detail;
  sweep();
  (*followers)->wake();
  const auto request = received.next();
  const auto signature = field(request, "X-Hone-Signature");
  EXPECT_EQ(signature,
            webhook_signature("marlin", std::stoll(signature.substr(2)), body_of(request)));
}

TEST_F(FollowersTest, refuse_an_empty_secret_and_too_many_addresses) {
  std::ofstream(folder.file("empty")) << "\n";
  for (const auto& secret : {folder.file("empty"), folder.file("none")}) {
    const auto refused = Followers::start({{}, {}, secret}, data);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().detail.find(secret), std::string::npos);
  }
  FollowerOptions many;
  for (int i = 0; i < 9; ++i) many.webhooks.push_back("http://127.0.0.1:9/" + std::to_string(i));
  EXPECT_EQ(Followers::start(many, data).error().code, Code::invalid);
}

}  // namespace
}  // namespace hone
