// The token files that a server writes.
#include "server/app/first_tokens.hpp"

#include <sys/stat.h>

#include <fstream>

#include "db/queries/queries.hpp"
#include "db/queries/tokens.hpp"
#include "server/engine/clock.hpp"
#include "tests/unit/db/given.hpp"

namespace hone {
namespace {

struct FirstTokens : testing::Test {
  TemporaryFolder folder;
  std::unique_ptr<SQLite::Database> db = open_for_writing(folder.file("hone.db")).value();
  EngineThread engine{*db,
                      {.committed = [](std::int64_t) {},
                       .failed = [](const std::string& why, Culprit) { FAIL() << why; }}};
  api::Keyring keys;
  TokenFile admin{folder.file("admin.token"), "admin", Scope::admin};

  static std::string secret_in(const TokenFile& file) {
    std::ifstream in(file.path);
    std::string secret, more;
    in >> secret;
    EXPECT_FALSE(in >> more) << "one word";
    return secret;
  }
  std::vector<Key> stored() const { return read_keys(**open_for_reading(folder.file("hone.db"))); }
};

TEST_F(FirstTokens, are_written_for_their_owner_alone_and_known_at_once) {
  ASSERT_TRUE(make_token_file(engine, keys, admin).ok());
  const auto secret = secret_in(admin);
  EXPECT_EQ(secret.size(), 69U);
  EXPECT_TRUE(secret.starts_with("hone_"));
  struct stat facts {};
  ASSERT_EQ(::stat(admin.path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  const auto* key = keys.find(secret);
  ASSERT_NE(key, nullptr);
  EXPECT_TRUE(key->scopes.holds(Scope::admin));
  EXPECT_FALSE(key->expires_at);
  EXPECT_TRUE(keys.has_live(Scope::admin, SystemClock{}()));
  ASSERT_EQ(stored().size(), 1U);
  EXPECT_EQ(stored()[0].sha256, sha256_hex(secret));
}

TEST_F(FirstTokens, of_a_name_that_is_taken_get_another) {
  ASSERT_TRUE(make_token_file(engine, keys, admin).ok());
  const auto first = secret_in(admin);
  ASSERT_TRUE(make_token_file(engine, keys, admin).ok());
  EXPECT_NE(secret_in(admin), first);
  EXPECT_NE(keys.find(first), nullptr) << "the older one stays valid";
  EXPECT_EQ(db->execAndGet("SELECT group_concat(name, '; ') FROM token").getString(),
            "admin; admin 2");
}

TEST_F(FirstTokens, are_kept_while_their_secret_is_valid) {
  const TokenFile workers{folder.file("workers.token"), "workers", Scope::worker};
  ASSERT_TRUE(keep_token_file(engine, keys, workers, SystemClock{}()).ok());
  const auto secret = secret_in(workers);
  ASSERT_TRUE(keep_token_file(engine, keys, workers, SystemClock{}()).ok());
  EXPECT_EQ(secret_in(workers), secret);
  EXPECT_EQ(stored().size(), 1U);
}

TEST_F(FirstTokens, are_replaced_when_their_secret_is_not_valid) {
  const TokenFile workers{folder.file("workers.token"), "workers", Scope::worker};
  for (const char* content : {"", "hone_unknown\n"}) {
    std::ofstream(workers.path) << content;
    ASSERT_TRUE(keep_token_file(engine, keys, workers, SystemClock{}()).ok());
    EXPECT_NE(keys.find(secret_in(workers)), nullptr);
  }
  const auto before = secret_in(workers);
  Key revoked = *keys.find(before);
  revoked.revoked = true;
  keys.learn(revoked);
  ASSERT_TRUE(keep_token_file(engine, keys, workers, SystemClock{}()).ok());
  EXPECT_NE(secret_in(workers), before);
}

TEST_F(FirstTokens, of_another_scope_are_replaced) {
  ASSERT_TRUE(make_token_file(engine, keys, {admin.path, "reader", Scope::read}).ok());
  const auto secret = secret_in(admin);
  ASSERT_TRUE(
      keep_token_file(engine, keys, {admin.path, "workers", Scope::worker}, SystemClock{}()).ok());
  EXPECT_NE(secret_in(admin), secret);
}

TEST_F(FirstTokens, that_cannot_be_written_are_not_created) {
  const auto refused =
      make_token_file(engine, keys, {folder.file("none/admin.token"), "admin", Scope::admin});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().detail.find("none/admin.token"), std::string::npos);
  EXPECT_TRUE(stored().empty());
}

TEST_F(FirstTokens, are_refused_by_an_engine_that_has_stopped) {
  engine.stop();
  EXPECT_EQ(make_token_file(engine, keys, admin).error().code, Code::unavailable);
}

}  // namespace
}  // namespace hone
