// Logs of attempts: what is followed, what is kept, and what is not.
#include "server/api/runs/logs.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "schemas/types/wire.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

namespace fs = std::filesystem;

constexpr LeaseId lease{7};
constexpr Instant asked_at{1'000'000'000};

class Logs : public testing::Test {
 protected:
  Logs() : root_(fs::temp_directory_path() / ("hone_logs_" + std::to_string(getpid()))) {
    fs::remove_all(root_);
  }
  ~Logs() override { fs::remove_all(root_); }

  static bool wanted(const LogStore& store, Instant now) {
    BeatReply reply{{{lease, Order::none, {}}}};
    store.mark(reply, now);
    return reply.leases[0].log_wanted;
  }
  fs::path root_;
};

TEST_F(Logs, are_sent_only_while_they_are_read) {
  LogStore store(root_);
  EXPECT_FALSE(wanted(store, asked_at));
  EXPECT_FALSE(store.add(lease, {0, "unread"}, asked_at));
  EXPECT_FALSE(store.read(lease));
  ASSERT_TRUE(store.want(lease, asked_at));
  EXPECT_TRUE(wanted(store, asked_at));
  EXPECT_TRUE(store.add(lease, {0, "read"}, asked_at));
  EXPECT_EQ(store.read(lease)->log.bytes, "read");
  const Instant later = asked_at + limits::log_wanted_time;
  EXPECT_FALSE(wanted(store, later));
  EXPECT_FALSE(store.add(lease, {4, " no more"}, later));
}

TEST_F(Logs, of_an_earlier_reader_are_not_shown_as_new) {
  LogStore store(root_);
  ASSERT_TRUE(store.want(lease, asked_at));
  ASSERT_TRUE(store.add(lease, {0, "old"}, asked_at));
  const Instant later = asked_at + limits::log_wanted_time + seconds(1);
  ASSERT_TRUE(store.want(lease, later));
  EXPECT_FALSE(store.read(lease)) << "until the worker has sent what is new";
  ASSERT_TRUE(store.add(lease, {0, "old and new"}, later));
  EXPECT_EQ(store.read(lease)->log.bytes, "old and new");
}

TEST_F(Logs, are_joined_by_their_offsets_and_keep_their_end) {
  LogStore store(root_);
  ASSERT_TRUE(store.want(lease, asked_at));
  store.add(lease, {10, "abc"}, asked_at);
  store.add(lease, {11, "bcd"}, asked_at);
  EXPECT_EQ(store.read(lease)->log.bytes, "abcd");
  store.add(lease, {20, "later"}, asked_at);
  EXPECT_EQ(store.read(lease)->log.offset, 20) << "what is between was never sent";
  store.add(lease, {25, std::string(limits::log_bytes_max, 'x') + "end"}, asked_at);
  const auto log = store.read(lease)->log;
  EXPECT_EQ(log.bytes.size(), limits::log_bytes_max);
  EXPECT_TRUE(log.bytes.ends_with("xend"));
  EXPECT_EQ(log.offset, 28);
}

TEST_F(Logs, of_ended_attempts_are_found_by_the_next_server) {
  {
    LogStore store(root_);
    ASSERT_TRUE(store.want(lease, asked_at));
    ASSERT_TRUE(store.keep(lease, {5, "first try"}));
    ASSERT_TRUE(store.keep(lease, {6, "the end"}));
    EXPECT_TRUE(store.read(lease)->complete);
  }
  std::ofstream(root_ / "notes.txt") << "of a user";
  const LogStore again(root_);
  const auto view = again.read(lease);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->log.offset, 6);
  EXPECT_EQ(view->log.bytes, "the end");
  EXPECT_FALSE(again.read(LeaseId{8}));
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 2);
}

TEST_F(Logs, that_are_complete_are_not_asked_for_again) {
  LogStore store(root_);
  ASSERT_TRUE(store.keep(lease, {0, "the end"}));
  EXPECT_TRUE(store.want(lease, asked_at));
  EXPECT_FALSE(wanted(store, asked_at));
  EXPECT_EQ(store.read(lease)->log.bytes, "the end");
}

TEST_F(Logs, are_followed_for_a_bounded_number_of_runs) {
  LogStore store(root_);
  const auto most = static_cast<std::int64_t>(limits::logs_followed_max);
  for (std::int64_t i = 1; i <= most; ++i) EXPECT_TRUE(store.want(LeaseId{i}, asked_at));
  EXPECT_FALSE(store.want(LeaseId{most + 1}, asked_at));
  EXPECT_TRUE(store.want(lease, asked_at)) << "those that are followed stay so";
  const Instant later = asked_at + limits::log_wanted_time + limits::log_late_time + seconds(1);
  EXPECT_TRUE(store.want(LeaseId{most + 1}, later));
}

TEST_F(Logs, that_cannot_be_kept_are_refused_with_the_reason) {
  std::ofstream(root_) << "a file in place of the folder";
  LogStore store(root_);
  const auto kept = store.keep(lease, {0, "text"});
  ASSERT_FALSE(kept);
  EXPECT_NE(kept.error().detail.find("cannot keep the log"), std::string::npos);
}

}  // namespace
}  // namespace hone::api
