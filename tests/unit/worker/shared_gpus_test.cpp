// GPUs whose memory is known: the server chooses them, and runs share them.
#include "tests/unit/worker/given.hpp"

namespace hone::worker {
namespace {

constexpr std::int64_t gib = 1LL << 30;

LeaseGrant shared_grant(std::int64_t lease, std::vector<int> devices, std::int64_t memory) {
  LeaseGrant grant = small_grant(lease);
  grant.resources.gpus = static_cast<int>(devices.size());
  grant.resources.gpu_memory = memory;
  grant.devices = std::move(devices);
  return grant;
}

AcquireRequest latest_offer(const GivenAgent& given) {
  AcquireRequest newest;
  for (const Send& send : given.open)
    if (const auto* request = std::get_if<AcquireRequest>(&send.call)) newest = *request;
  return newest;
}

GivenAgent given_gpus_with_memory() {
  auto config = GivenAgent::with_slots(8, 2);
  config.join.gpu_memory = {24 * gib, 16 * gib};
  return GivenAgent(config);
}

TEST(WorkerAgent, runs_share_the_gpus_that_the_server_chose) {
  GivenAgent given = given_gpus_with_memory();
  given.run(shared_grant(1, {0}, 10 * gib));
  EXPECT_EQ(given.all<Spawn>()[0].gpus, std::vector{0});
  EXPECT_EQ(latest_offer(given).gpu_free, (std::vector{14 * gib, 16 * gib}));
  EXPECT_EQ(latest_offer(given).gpus, 1) << "no run has the other one";
  given.grant(shared_grant(2, {0}, 10 * gib));
  EXPECT_EQ(given.all<Spawn>()[0].gpus, std::vector{0});
  given.after(limits::replace_pause);
  given.exit(1, 1);
  given.after(limits::replace_pause);
  EXPECT_EQ(latest_offer(given).gpu_free, (std::vector{14 * gib, 16 * gib}));
}

TEST(WorkerAgent, a_run_that_shares_no_gpu_offers_nothing_of_it) {
  GivenAgent given = given_gpus_with_memory();
  given.run(shared_grant(1, {1}, 0));
  EXPECT_EQ(latest_offer(given).gpu_free, (std::vector{24 * gib, std::int64_t{0}}));
}

// The server knows less than the worker: its last process may still exit.
TEST(WorkerAgent, returns_a_grant_whose_gpu_is_full) {
  for (const std::int64_t memory : {20 * gib, std::int64_t{0}}) {
    GivenAgent given = given_gpus_with_memory();
    given.run(shared_grant(1, {0}, 10 * gib));
    given.grant(shared_grant(2, {0}, memory));
    EXPECT_FALSE(given.has<Spawn>());
    EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::requeue_requested);
  }
}

}  // namespace
}  // namespace hone::worker
