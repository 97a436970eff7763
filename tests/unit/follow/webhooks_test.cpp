// Signatures and waits of webhooks. The digest below is Python's hmac.new(b"swordfish",
// b"1790000000." + b'{"id":1}', "sha256").hexdigest().
#include "server/follow/webhooks.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace hone
