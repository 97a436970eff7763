// The door: keyring, scopes, and what the header may say.
#include "server/api/access.hpp"

#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

constexpr Instant access_time{1'000'000};

Key key(std::int64_t number, const std::string& secret, Scopes scopes) {
  return {{number}, scopes, sha256_hex(secret), std::nullopt, false};
}

Route route(Scopes needs) { return {Method::get, "/x", needs, PutBlob{}}; }

Code code_of(const Result<Caller>& access) { return access ? Code::internal : access.error().code; }

TEST(Keyring, finds_the_secret_and_nothing_like_it) {
  const Keyring keys({key(1, "hone_a", Scope::read), key(2, "hone_b", Scope::read)});
  ASSERT_NE(keys.find("hone_b"), nullptr);
  EXPECT_EQ(keys.find("hone_b")->token, TokenId{2});
  for (const auto* secret : {"", "hone_", "hone_ab", "HONE_A", "hone_a "})
    EXPECT_EQ(keys.find(secret), nullptr) << secret;
  EXPECT_EQ(keys.find(sha256_hex("hone_a")), nullptr) << "a digest is no secret";
  EXPECT_EQ(keys.find(std::string(limits::token_bytes_max + 1, 'a')), nullptr);
}

TEST(Keyring, compares_the_whole_digest_and_not_where_it_looks_it_up) {
  auto near = key(1, "hone_a", Scope::read);
  near.sha256.back() = near.sha256.back() == '0' ? '1' : '0';
  const Keyring keys({near});
  EXPECT_EQ(keys.find("hone_a"), nullptr);
}

TEST(Keyring, forgets_what_was_revoked) {
  Keyring keys({key(1, "hone_a", Scope::read)});
  auto revoked = key(1, "hone_a", Scope::read);
  revoked.revoked = true;
  keys.learn(revoked);
  EXPECT_EQ(keys.find("hone_a"), nullptr);
}

TEST(Keyring, knows_whether_there_is_an_administrator) {
  auto admin = key(1, "hone_a", Scope::admin);
  EXPECT_FALSE(Keyring({key(1, "hone_a", Scope::worker)}).has_live(Scope::admin, access_time));
  EXPECT_TRUE(Keyring({admin}).has_live(Scope::admin, access_time));
  admin.expires_at = access_time;
  EXPECT_FALSE(Keyring({admin}).has_live(Scope::admin, access_time));
}

TEST(Access, needs_a_bearer_token) {
  const Keyring keys({key(1, "hone_a", Scope::read)});
  EXPECT_EQ(check_access(route(Scope::read), keys, "Bearer hone_a", access_time)->token,
            TokenId{1});
  EXPECT_TRUE(check_access(route(Scope::read), keys, "bearer   hone_a ", access_time))
      << "RFC 9110, 11.1";
  for (const auto* header :
       {"", "hone_a", "Basic hone_a", "Bearer", "Bearer ", "Bearerhone_a", "Bearer hone_a,hone_b"})
    EXPECT_EQ(code_of(check_access(route(Scope::read), keys, header, access_time)),
              Code::unauthenticated)
        << header;
}

TEST(Access, never_repeats_the_secret) {
  const Keyring keys;
  const auto refused = check_access(route(Scope::read), keys, "Bearer hone_secret", access_time);
  EXPECT_EQ(refused.error().detail.find("hone_secret"), std::string::npos);
}

TEST(Access, ends_with_the_token) {
  auto brief = key(1, "hone_a", Scope::read);
  brief.expires_at = access_time;
  const Keyring keys({brief});
  EXPECT_TRUE(check_access(route(Scope::read), keys, "Bearer hone_a", access_time - seconds(1)));
  const auto late = check_access(route(Scope::read), keys, "Bearer hone_a", access_time);
  EXPECT_EQ(code_of(late), Code::unauthenticated);
  EXPECT_NE(late.error().detail.find("tk_1 has expired"), std::string::npos);
}

TEST(Access, is_open_where_no_scope_is_needed) {
  EXPECT_TRUE(check_access(route({}), Keyring{}, "", access_time));
  EXPECT_TRUE(check_access(route({}), Keyring{}, "Bearer nonsense", access_time));
}

TEST(Access, follows_the_scopes) {
  const auto opens = [](Scopes granted, Scopes needed) {
    const Keyring keys({key(1, "hone_a", granted)});
    const auto code = code_of(check_access(route(needed), keys, "Bearer hone_a", access_time));
    EXPECT_TRUE(code == Code::internal || code == Code::forbidden);
    return code == Code::internal;
  };
  for (const auto scope : all_scopes) {
    EXPECT_TRUE(opens(scope, scope));
    EXPECT_TRUE(opens(Scope::admin, scope));
    EXPECT_EQ(opens(scope, Scope::admin), scope == Scope::admin);
    EXPECT_EQ(opens(scope, Scope::worker), scope == Scope::worker || scope == Scope::admin);
    EXPECT_EQ(opens(scope, Scope::submit), scope == Scope::submit || scope == Scope::admin);
    EXPECT_EQ(opens(scope, Scope::read), scope != Scope::worker && scope != Scope::replica);
    EXPECT_EQ(opens(scope, Scope::replica), scope == Scope::replica || scope == Scope::admin);
  }
  EXPECT_TRUE(opens(Scope::worker, Scope::read | Scope::worker));
  EXPECT_TRUE(opens(Scope::read | Scope::worker, Scope::worker));
}

TEST(Access, says_what_is_missing) {
  const Keyring keys({key(1, "hone_a", Scope::read)});
  const auto refused =
      check_access(route(Scope::submit | Scope::worker), keys, "Bearer hone_a", access_time);
  EXPECT_EQ(refused.error().detail, "tk_1 has the scope read; this needs submit or worker");
}

TEST(Access, of_everything_but_health_needs_a_scope) {
  for (const auto& row : route_table())
    EXPECT_EQ(row.needs.empty(), row.pattern == "/healthz" || row.pattern == "/readyz")
        << row.pattern;
}

TEST(Access, of_a_replica_is_to_pages_of_the_ledger_and_blobs_alone) {
  std::vector<std::string_view> open;
  for (const auto& row : route_table())
    if (!row.needs.empty() && opens(Scope::replica, row.needs)) open.push_back(row.pattern);
  EXPECT_EQ(open,
            (std::vector<std::string_view>{"/v1/me", "/v1/blobs/{sha256}", "/v1/standby/pull"}));
}

TEST(Access, of_every_write_needs_more_than_read) {
  for (const auto& row : route_table()) {
    const bool is_write = row.method != Method::get;
    EXPECT_FALSE(is_write && opens(Scope::read, row.needs)) << row.pattern;
  }
}

}  // namespace
}  // namespace hone::api
