// The thread that follows the ledger.
#include "server/follow/ledger_tail.hpp"

#include "tests/unit/follow/given.hpp"

namespace hone {
namespace {

using Tail = FollowedLedger;

TEST_F(Tail, hands_over_each_event_of_its_kinds_once_and_in_order) {
  join();
  const auto first = sweep();
  LedgerTail tail(reader(), 0, {"sweep_ended"});
  Handed<std::int64_t> seqs;
  tail.start([&](const EventRow& event) {
    EXPECT_EQ(event.kind, "sweep_ended");
    seqs.add(event.seq);
    return true;
  });
  EXPECT_EQ(seqs.next(), first) << "what was there before it started";
  for (int i = 0; i < 3; ++i) {
    join();
    const auto next = sweep();
    tail.wake();
    EXPECT_EQ(seqs.next(), next);
  }
  tail.stop();
  EXPECT_TRUE(seqs.is_empty());
}

TEST_F(Tail, begins_after_the_event_it_was_given) {
  const auto before = sweep();
  const auto after = sweep();
  LedgerTail tail(reader(), before, {"sweep_ended"});
  Handed<std::int64_t> seqs;
  tail.start([&](const EventRow& event) {
    seqs.add(event.seq);
    return true;
  });
  EXPECT_EQ(seqs.next(), after);
}

TEST_F(Tail, catches_up_with_more_events_than_one_batch) {
  constexpr int workers = 450;  // a batch has 200
  for (int i = 0; i < workers; ++i) join();
  LedgerTail tail(reader(), 0, {"worker_joined"});
  Handed<std::int64_t> seqs;
  tail.start([&](const EventRow& event) {
    seqs.add(event.seq);
    return true;
  });
  for (int i = 0; i < workers; ++i) ASSERT_EQ(seqs.next(), i + 2);
}

TEST_F(Tail, ends_when_its_reader_wants_no_more) {
  const auto first = sweep();
  sweep();
  LedgerTail tail(reader(), 0, {"sweep_ended"});
  Handed<std::int64_t> seqs;
  tail.start([&](const EventRow& event) {
    seqs.add(event.seq);
    return false;
  });
  EXPECT_EQ(seqs.next(), first);
  tail.stop();
  EXPECT_TRUE(seqs.is_empty());
}

TEST_F(Tail, wakes_a_reader_that_rests_when_it_is_stopped) {
  sweep();
  LedgerTail tail(reader(), 0, {"sweep_ended"});
  Handed<bool> rested;
  Handed<int> started;
  tail.start([&](const EventRow&) {
    started.add(1);
    rested.add(tail.rest(seconds(3600)));
    return false;
  });
  started.next();
  tail.stop();
  EXPECT_FALSE(rested.next()) << "the hour was cut short";
}

TEST_F(Tail, can_be_stopped_before_it_starts_and_twice) {
  LedgerTail idle(reader(), 0, {"sweep_ended"});
  idle.wake();
  idle.stop();
  idle.stop();
}

TEST_F(Tail, can_be_woken_by_many_threads) {
  LedgerTail tail(reader(), 0, {"sweep_ended"});
  Handed<std::int64_t> seqs;
  tail.start([&](const EventRow& event) {
    seqs.add(event.seq);
    return true;
  });
  const auto expected = sweep();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) tail.wake();
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(seqs.next(), expected);
  tail.stop();
  EXPECT_TRUE(seqs.is_empty());
}

}  // namespace
}  // namespace hone
