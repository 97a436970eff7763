// The rules of terms: what a data folder is at a start, who may be promoted, who was replaced.
#include "server/standby/state.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/sha256.hpp"
#include "server/standby/limits.hpp"

namespace hone::standby {
namespace {

const std::string secret(64, 'a');
const std::string other_secret(64, 'b');
constexpr const char* url = "http://a:7777";
constexpr Instant now{1'800'000'000'000'000};

State follower() {
  State state = following({}, url, secret);
  state.complete = true;
  return state;
}

TEST(StandbyState, a_term_is_a_number_and_a_secret) {
  EXPECT_EQ(text(Term{}), "");
  const auto term = parse_term("12." + secret);
  ASSERT_TRUE(term);
  EXPECT_EQ(term->number, 12);
  EXPECT_EQ(text(*term), "12." + secret);
  const std::vector<std::string> malformed = {"",
                                              "1",
                                              "1.",
                                              "x." + secret,
                                              "0." + secret,
                                              "-1." + secret,
                                              "1." + secret + "a",
                                              "1." + std::string(64, 'g'),
                                              "." + secret};
  for (const std::string& bad : malformed) EXPECT_FALSE(parse_term(bad)) << bad;
}

TEST(StandbyState, a_promotion_raises_the_newest_term_and_keeps_the_secret) {
  State state = follower();
  state.followed_term = 4;
  const auto next = promoted(state, false);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->term.number, 5);
  EXPECT_EQ(next->term.secret, secret);
  EXPECT_EQ(next->follows, "");
  EXPECT_EQ(next->promoted_from, url);
}

TEST(StandbyState, only_a_follower_that_was_complete_is_promoted_without_force) {
  EXPECT_EQ(promoted({}, true).error().code, Code::conflict);
  State state = follower();
  state.complete = false;
  EXPECT_EQ(promoted(state, false).error().code, Code::conflict);
  EXPECT_TRUE(promoted(state, true));
}

TEST(StandbyState, a_folder_that_follows_again_has_a_new_secret) {
  const State again = following(follower(), url, other_secret);
  EXPECT_EQ(again.term.secret, secret) << "not published yet";
  EXPECT_TRUE(again.complete);
  const State back = following(*promoted(follower(), false), "http://b:1", other_secret);
  EXPECT_EQ(back.term.secret, other_secret);
  EXPECT_EQ(back.term.number, 1);
  EXPECT_FALSE(back.complete);
}

TEST(StandbyState, only_the_secret_of_a_known_standby_replaces_a_primary) {
  State primary;
  ASSERT_TRUE(*enroll(primary, {sha256_hex(secret), "http://b:1"}, {}, now));
  EXPECT_TRUE(is_replaced_by(primary, {1, secret}));
  EXPECT_FALSE(is_replaced_by(primary, {1, other_secret}));
  primary.term.number = 1;
  EXPECT_FALSE(is_replaced_by(primary, {1, secret})) << "it is as new";
}

Known standby(const std::string& name, Instant in_sync = {}) {
  return {sha256_hex(name), "http://b:1", in_sync};
}

// Adds `count` standbys with names of a kind, each absent.
void fill(State& primary, const std::string& kind, std::size_t count, Instant in_sync = {}) {
  for (std::size_t i = 0; i < count; ++i)
    primary.standbys.push_back(standby(kind + std::to_string(i), in_sync));
}

TEST(StandbyState, known_standbys_are_bounded_and_each_is_known_once) {
  State primary;
  for (std::size_t i = 0; i < limits::standbys_max + 3; ++i)
    EXPECT_TRUE(*enroll(primary, standby(std::to_string(i)), {}, now));
  EXPECT_EQ(primary.standbys.size(), limits::standbys_max);
  const Known newest = primary.standbys.back();
  EXPECT_EQ(newest, standby(std::to_string(limits::standbys_max + 2)));
  EXPECT_FALSE(*enroll(primary, newest, {}, now));
  EXPECT_TRUE(*enroll(primary, {newest.digest, "http://c:1"}, {}, now)) << "it has moved";
  EXPECT_EQ(primary.standbys.size(), limits::standbys_max);
  EXPECT_FALSE(*enroll(primary, {"no digest", "http://b:1"}, {}, now));
  const std::string long_url(limits::url_bytes_max + 1, 'u');
  EXPECT_FALSE(*enroll(primary, {sha256_hex("x"), long_url}, {}, now));
}

// A client with a token of the scope `replica` made up names until the real one was forgotten: its
// promotion was then not recognized, and both served.
TEST(StandbyState, names_that_were_made_up_do_not_push_out_a_standby_that_was_in_sync) {
  State primary;
  fill(primary, "real", 1, now - seconds(3600));
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(*enroll(primary, standby("made up" + std::to_string(i)), {}, now));
  EXPECT_TRUE(is_replaced_by(primary, {1, "real0"}));
}

TEST(StandbyState, names_that_were_made_up_do_not_push_out_a_standby_that_is_present) {
  State primary;
  fill(primary, "real", 1);
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(
        *enroll(primary, standby("made up" + std::to_string(i)), {sha256_hex("real0")}, now));
  EXPECT_TRUE(is_replaced_by(primary, {1, "real0"}));
}

TEST(StandbyState, a_list_of_standbys_that_must_stay_takes_no_further_one) {
  State primary;
  fill(primary, "real", limits::standbys_max, now);
  const auto refused = enroll(primary, standby("one more"), {}, now);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::busy);
  EXPECT_TRUE(*enroll(primary, standby("one more"), {}, now + limits::in_sync_kept))
      << "none was seen for a week";
}

TEST(StandbyState, a_start_decides_what_the_folder_is) {
  EXPECT_EQ(*part_at_start({}, "", {}), Part::primary);
  EXPECT_EQ(*part_at_start({}, url, {}), Part::follower);
  EXPECT_EQ(*part_at_start(follower(), url, {}), Part::follower);
  EXPECT_EQ(part_at_start(follower(), "", {}).error().code, Code::conflict);
  State replaced;
  replaced.replaced_by = 2;
  EXPECT_EQ(part_at_start(replaced, "", {}).error().code, Code::conflict);
  EXPECT_EQ(*part_at_start(replaced, url, {}), Part::follower);
}

TEST(StandbyState, a_promoted_folder_follows_again_only_a_newer_primary) {
  const State state = *promoted(follower(), false);
  EXPECT_EQ(*part_at_start(state, url, std::nullopt), Part::primary) << "none answers there";
  EXPECT_EQ(*part_at_start(state, url, Term{}), Part::primary) << "the one that it replaced";
  EXPECT_EQ(*part_at_start(state, url, Term{2, other_secret}), Part::follower);
}

TEST(StandbyState, the_file_brings_the_state_back) {
  std::string folder = (std::filesystem::temp_directory_path() / "hone-standby-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  EXPECT_EQ(read_state(folder)->term.number, 0) << "no file: a primary";
  State state = *promoted(follower(), false);
  state.replaced_by = 7;
  state.replaced_url = "http://c:1";
  ASSERT_TRUE(*enroll(state, {sha256_hex("x"), "http://b:1", now}, {}, now));
  ASSERT_TRUE(write_state(folder, state));
  const auto read = read_state(folder);
  ASSERT_TRUE(read);
  EXPECT_EQ(text(read->term), text(state.term));
  EXPECT_EQ(read->promoted_from, url);
  EXPECT_TRUE(read->complete);
  EXPECT_EQ(read->replaced_by, 7);
  EXPECT_EQ(read->replaced_url, "http://c:1");
  EXPECT_EQ(read->standbys, state.standbys);
  std::ofstream(folder + "/standby.json") << "{";
  EXPECT_EQ(read_state(folder).error().code, Code::invalid);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hone::standby
