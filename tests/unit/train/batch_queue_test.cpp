// The batch queue, the snapshots of the weights, and handing over rollouts, with real threads.
#include "worker/train/rl/batch_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "worker/train/actor_critic/learning/rollout.hpp"
#include "worker/train/rl/frames.hpp"
#include "worker/train/rl/weights.hpp"

namespace hone::ac {
namespace {

struct Parcel {
  int id = 0;
  int weight = 1;
};
int weight_of(const Parcel& parcel) { return parcel.weight; }

using ParcelQueue = rl::BatchQueue<Parcel>;

std::vector<int> ids(const std::vector<Parcel>& batch) {
  std::vector<int> result;
  for (const auto& parcel : batch) result.push_back(parcel.id);
  return result;
}

TEST(BatchQueue, takes_what_is_queued_up_to_the_weight) {
  ParcelQueue queue({.capacity = 8, .concurrency = 1, .batch_weight_max = 5});
  const std::vector<Parcel> parcels{{1, 2}, {2, 2}, {3, 2}, {4, 1}};
  queue.push(parcels, ParcelQueue::Wake::none);
  std::vector<Parcel> batch;
  ASSERT_TRUE(queue.try_pop_batch(batch));
  EXPECT_EQ(ids(batch), (std::vector{1, 2}));
  queue.finish_batch(ParcelQueue::Wake::one);
  ASSERT_TRUE(queue.try_pop_batch(batch));
  EXPECT_EQ(ids(batch), (std::vector{3, 4}));
}

TEST(BatchQueue, takes_one_item_even_if_it_is_too_heavy) {
  ParcelQueue queue({.capacity = 2, .concurrency = 1, .batch_weight_max = 5});
  const Parcel heavy{1, 100};
  queue.push({&heavy, 1}, ParcelQueue::Wake::none);
  std::vector<Parcel> batch;
  ASSERT_TRUE(queue.try_pop_batch(batch));
  EXPECT_EQ(batch.size(), 1U);
}

TEST(BatchQueue, seats_no_more_servers_than_it_has_seats) {
  ParcelQueue queue({.capacity = 4, .concurrency = 1, .batch_weight_max = 1});
  const std::vector<Parcel> parcels{{1}, {2}};
  queue.push(parcels, ParcelQueue::Wake::none);
  std::vector<Parcel> batch;
  std::vector<Parcel> second;
  ASSERT_TRUE(queue.try_pop_batch(batch));
  EXPECT_FALSE(queue.try_pop_batch(second));
  queue.finish_batch(ParcelQueue::Wake::one);
  EXPECT_TRUE(queue.try_pop_batch(second));
}

// Clients that serve batches themselves, together with consumer threads: every item is served once,
// and no thread hangs.
TEST(BatchQueue, serves_every_item_of_many_clients_once) {
  constexpr int clients = 6;
  constexpr int rounds = 2000;
  struct Slot {
    std::atomic<bool> answered{true};
    std::atomic<int> served{0};
  };
  std::vector<Slot> slots(clients);
  std::atomic<int> serving{0};
  std::atomic<int> serving_max{0};
  ParcelQueue queue({.capacity = clients, .concurrency = 2, .batch_weight_max = 3});
  const auto serve = [&](const std::vector<Parcel>& batch) {
    const int now = ++serving;
    int seen = serving_max.load();
    while (now > seen && !serving_max.compare_exchange_weak(seen, now)) {
    }
    for (const auto& parcel : batch) {
      auto& slot = slots[static_cast<std::size_t>(parcel.id)];
      ++slot.served;
      slot.answered = true;
      slot.answered.notify_one();
    }
    --serving;
  };
  std::vector<std::jthread> servers;
  for (int i = 0; i < 2; ++i) servers.emplace_back([&] { queue.consume(serve); });
  {
    std::vector<std::jthread> threads;
    for (int id = 0; id < clients; ++id)
      threads.emplace_back([&, id] {
        auto& slot = slots[static_cast<std::size_t>(id)];
        std::vector<Parcel> batch;
        for (int round = 0; round < rounds; ++round) {
          slot.answered = false;
          const Parcel parcel{id, 1};
          // Half of the clients leave the work to the consumers, as the published agents do.
          queue.push({&parcel, 1}, id % 2 == 0 ? ParcelQueue::Wake::none : ParcelQueue::Wake::one);
          while (!slot.answered) {
            if (id % 2 != 0 || !queue.try_pop_batch(batch)) {
              slot.answered.wait(false);
              break;
            }
            serve(batch);
            queue.finish_batch(ParcelQueue::Wake::one);
          }
        }
      });
  }
  queue.close();
  servers.clear();
  for (const auto& slot : slots) EXPECT_EQ(slot.served, rounds);
  EXPECT_LE(serving_max, 2);
}

TEST(BatchQueue, lets_one_server_go_and_serves_with_the_others) {
  ParcelQueue queue({.capacity = 4, .concurrency = 2, .batch_weight_max = 1});
  std::atomic<int> served{0};
  std::atomic<int> left{0};
  const auto life = [&] {
    queue.consume([&](const auto&) {
      ++served;
      served.notify_all();
    });
    ++left;
    left.notify_all();
  };
  std::vector<std::jthread> servers;
  servers.emplace_back(life);
  servers.emplace_back(life);
  queue.remove_consumer();
  left.wait(0);
  const Parcel parcel{1};
  queue.push({&parcel, 1}, ParcelQueue::Wake::one);
  served.wait(0);
  queue.add_consumer();
  servers.emplace_back(life);
  queue.push({&parcel, 1}, ParcelQueue::Wake::one);
  served.wait(1);
  queue.close();
  servers.clear();
  EXPECT_EQ(served, 2);
  EXPECT_EQ(left, 3);
}

// A client that serves its own item did not wake a consumer for the others.
TEST(BatchQueue, wakes_a_server_for_what_a_serving_client_leaves) {
  ParcelQueue queue({.capacity = 4, .concurrency = 2, .batch_weight_max = 1});
  std::atomic<int> served{0};
  std::jthread server([&] {
    queue.consume([&](const auto&) {
      ++served;
      served.notify_all();
    });
  });
  const std::vector<Parcel> parcels{{1}, {2}};
  queue.push(parcels, ParcelQueue::Wake::none);
  std::vector<Parcel> batch;
  ASSERT_TRUE(queue.try_pop_batch(batch));
  served.wait(0);  // while this client serves its own batch
  queue.finish_batch(ParcelQueue::Wake::one);
  queue.close();
  server.join();
  EXPECT_EQ(served, 1);
}

TEST(BatchQueue, counts_what_it_served) {
  ParcelQueue queue({.capacity = 8, .concurrency = 1, .batch_weight_max = 5});
  const std::vector<Parcel> parcels{{1, 2}, {2, 2}, {3, 2}};
  queue.push(parcels, ParcelQueue::Wake::none);
  std::vector<Parcel> batch;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(queue.try_pop_batch(batch));
    queue.finish_batch(ParcelQueue::Wake::none);
  }
  const auto meter = queue.take_meter();
  EXPECT_EQ(meter.batches, 2);
  EXPECT_EQ(meter.queued, 3 + 1);
  EXPECT_EQ(meter.weight, 6);
  EXPECT_EQ(queue.take_meter().batches, 0);
}

TEST(WeightBoard, keeps_a_reading_unchanged_while_newer_versions_are_published) {
  rl::WeightBoard board(2, 1);
  board.publish(std::vector<float>{1, 1});
  const auto old = board.read();
  board.publish(std::vector<float>{2, 2});
  board.publish(std::vector<float>{3, 3});
  EXPECT_EQ(old.parameters()[0], 1.0F);
  EXPECT_EQ(old.version(), 1U);
}

TEST(WeightBoard, never_shows_a_half_written_version) {
  constexpr std::size_t size = 512;
  rl::WeightBoard board(size, 2);
  board.publish(std::vector<float>(size, 0.0F));
  std::atomic<bool> over{false};
  std::atomic<int> torn{0};
  std::vector<std::jthread> readers;
  for (int i = 0; i < 2; ++i)
    readers.emplace_back([&] {
      while (!over) {
        const auto reading = board.read();
        const auto weights = reading.parameters();
        for (const float weight : weights)
          if (weight != weights[0]) ++torn;
      }
    });
  for (int version = 1; version < 5000; ++version)
    board.publish(std::vector<float>(size, static_cast<float>(version)));
  over = true;
  readers.clear();
  EXPECT_EQ(torn, 0);
}

TEST(Rollout, is_free_again_once_every_piece_is_trained) {
  Rollout rollout({.columns = 2, .steps_max = 3, .row_floats = 1});
  EXPECT_TRUE(rollout.is_free());
  rollout.hand_over(2);
  std::jthread trainer([&] {
    rollout.piece_trained();
    rollout.piece_trained();
  });
  rollout.wait_until_free();
  EXPECT_TRUE(rollout.is_free());
}

TEST(FrameCounter, shares_a_phase_out_to_its_end) {
  rl::FrameCounter frames;
  frames.open_until(100);
  EXPECT_EQ(frames.claim(16, 4), 4);
  EXPECT_EQ(frames.claim(16, 4), 3);  // 64 + 48 passes 100 by less than 16
  EXPECT_EQ(frames.claim(16, 4), 0);
  EXPECT_EQ(frames.claimed(), 112);
}

TEST(FrameCounter, gives_nothing_after_a_stop) {
  rl::FrameCounter frames;
  frames.open_until(100);
  frames.stop();
  EXPECT_EQ(frames.claim(1, 1), 0);
}

}  // namespace
}  // namespace hone::ac
