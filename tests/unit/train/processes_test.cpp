// Actors as processes: their shared parameters and messages. tests/e2e/test_processes.py kills
// them.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "worker/train/actors/actor_process.hpp"
#include "worker/train/actors/cursor.hpp"
#include "worker/train/ipc/channel.hpp"
#include "worker/train/ipc/shared_memory.hpp"
#include "worker/train/ipc/shared_mutex.hpp"

namespace hone::actors {
namespace {

struct Pair {
  Pair() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    first = std::make_unique<ipc::Channel>(FileHandle(ends[0]));
    second = std::make_unique<ipc::Channel>(FileHandle(ends[1]));
  }
  std::unique_ptr<ipc::Channel> first, second;
};

TEST(Channels, deliver_messages_whole_and_in_order) {
  Pair pair;
  const std::string payload(1000, 'x');
  ASSERT_TRUE(pair.first->send({ipc::MessageKind::grant, 3, -7, payload}));
  ASSERT_TRUE(pair.first->send({ipc::MessageKind::park, 0, 0, {}}));
  const auto grant = pair.second->receive();
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->kind, ipc::MessageKind::grant);
  EXPECT_EQ(grant->slot, 3U);
  EXPECT_EQ(grant->number, -7);
  EXPECT_EQ(grant->payload, payload);
  EXPECT_EQ(pair.second->receive()->kind, ipc::MessageKind::park);
}

TEST(Channels, deliver_what_was_sent_before_the_other_end_was_closed_and_no_more) {
  Pair pair;
  ASSERT_TRUE(pair.first->send({ipc::MessageKind::played, 1, 0, {}}));
  pair.first.reset();
  EXPECT_TRUE(pair.second->receive());
  EXPECT_FALSE(pair.second->receive());
  EXPECT_FALSE(pair.second->send({ipc::MessageKind::park, 0, 0, {}}))
      << "and no SIGPIPE ends the test";
}

TEST(Channels, refuse_a_message_that_was_cut) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  ipc::Channel channel{FileHandle(ends[0])};
  const std::array<char, 10> part{};
  ASSERT_EQ(::send(ends[1], part.data(), part.size(), 0), 10);
  ::close(ends[1]);
  EXPECT_FALSE(channel.receive());
}

TEST(SharedParameter, copies_are_whole_while_another_process_writes) {
  constexpr std::size_t floats = 20'000;
  const auto memory = ipc::SharedMemory::make(ipc::SharedParameters::bytes(floats)).value();
  ipc::SharedParameters parameters(memory.bytes(), floats);
  const auto publish = [&](int number) {
    const std::vector<float> values(floats, static_cast<float>(number));
    parameters.publish(values);
  };
  publish(1);
  constexpr int last = 3000;
  const auto writer = fork_process([&] {
    for (int number = 2; number <= last; ++number) publish(number);
  });
  ASSERT_TRUE(writer.ok());
  std::vector<float> values(floats);
  std::uint64_t newest = 0;
  while (newest < last) {
    const auto publication = parameters.read(values);
    ASSERT_GE(publication, newest);
    newest = publication;
    const auto whole = static_cast<float>(publication);
    ASSERT_TRUE(std::all_of(values.begin(), values.end(), [&](float v) { return v == whole; }));
  }
  EXPECT_EQ(wait_for(*writer), 0);
}

TEST(SharedParameter, can_be_read_after_a_reader_was_killed) {
  const auto memory = ipc::SharedMemory::make(ipc::SharedParameters::bytes(64)).value();
  ipc::SharedParameters parameters(memory.bytes(), 64);
  std::vector<float> values(64, 1.0F);
  parameters.publish(values);
  const auto reader = fork_process([&] {
    for (;;) parameters.read(values);
  });
  ASSERT_TRUE(reader.ok());
  for (int i = 0; i < 10; ++i) parameters.publish(values);
  ::kill(*reader, SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(wait_for(*reader)));
  parameters.publish(values);
  EXPECT_EQ(parameters.read(values), 12U);
}

// The process holds the mutex when it ends: the next one must get it.
TEST(SharedMutexes, can_be_locked_after_a_process_was_killed_that_held_them) {
  const auto memory = ipc::SharedMemory::make(sizeof(ipc::SharedMutex)).value();
  auto& mutex = *new (memory.bytes().data()) ipc::SharedMutex;
  for (int i = 0; i < 3; ++i) {
    const auto holder = fork_process([&] {
      mutex.lock();
      ::kill(::getpid(), SIGKILL);
    });
    ASSERT_TRUE(holder.ok());
    EXPECT_TRUE(WIFSIGNALED(wait_for(*holder)));
    const std::scoped_lock lock(mutex);
  }
}

TEST(StatesOfProcesses, are_the_same_after_they_were_sent) {
  const rl::GroupState state{{1, ~0ULL}, {7}, {0.1, -1e300}, {3, 4}, {0, 0}};
  const auto again = state_of(state_text(state));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->environments, state.environments);
  EXPECT_EQ(again->streams, state.streams);
  EXPECT_EQ(again->running_returns, state.running_returns);
  EXPECT_EQ(again->running_lengths, state.running_lengths);
  EXPECT_EQ(again->discounted_returns, state.discounted_returns);
  EXPECT_FALSE(state_of(""));
  EXPECT_FALSE(state_of("{\"environments\": \"x\"}"));
}

TEST(EpisodesOfProcesses, are_sent_once) {
  EpisodeBuffer buffer;
  const std::vector<rl::Episode> ended{{1.5, 3}, {-2, 8}};
  buffer.finish(ended);
  const auto sent = episodes_of(payload_of(buffer.take()), 2);
  ASSERT_TRUE(sent);
  ASSERT_EQ(sent->size(), 2U);
  EXPECT_EQ((*sent)[1].sum, -2);
  EXPECT_EQ((*sent)[1].length, 8);
  EXPECT_TRUE(buffer.take().empty());
}

TEST(EpisodesOfProcesses, that_no_process_plays_are_refused) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<rl::Episode> three(3, {1, 1});
  EXPECT_FALSE(episodes_of(payload_of(three), 2)) << "more than the frames that were played";
  EXPECT_FALSE(episodes_of(payload_of(three).substr(1), 3)) << "a part of an episode";
  for (const rl::Episode episode :
       {rl::Episode{nan, 1}, rl::Episode{HUGE_VAL, 1}, rl::Episode{1, nan}, rl::Episode{1, 0}})
    EXPECT_FALSE(episodes_of(payload_of({&episode, 1}), 2));
}

TEST(NumbersOfProcesses, are_moderate_where_their_squares_are_finite) {
  for (const float number : {0.0F, -1e12F, 1e12F, 1e-40F})
    EXPECT_TRUE(are_moderate(std::vector<float>{1, number, -1})) << number;
  constexpr float huge = std::numeric_limits<float>::max();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float number : {1.1e12F, -1.1e12F, huge, -huge, infinity, -infinity, nan, -nan})
    EXPECT_FALSE(are_moderate(std::vector<float>{1, number, -1})) << number;
}

}  // namespace
}  // namespace hone::actors
