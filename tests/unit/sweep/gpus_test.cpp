// GPUs that runs share up to their memory: which ones a run gets, and what a full one causes.
#include <numeric>

#include "base/rng.hpp"
#include "server/sweep/lease/resource_demand.hpp"
#include "server/sweep/state/rules.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

constexpr std::int64_t gib = 1LL << 30;

class GivenShares : public Given {
 public:
  WorkerId join_with(std::vector<std::int64_t> memory, int cpus = 64) {
    const auto gpus = static_cast<int>(memory.size());
    const Command command = Join{{"gpus-" + std::to_string(++joins),
                                  "host",
                                  1,
                                  cpus,
                                  gpus,
                                  "test",
                                  {},
                                  0,
                                  {},
                                  std::move(memory)}};
    when(command);
    EXPECT_FALSE(error) << error->detail;
    return std::get<JoinReply>(answer(book, command)).worker;
  }
  // A worker that offers all that it announced.
  std::optional<LeaseGrant> offer(WorkerId worker, std::vector<std::int64_t> free = {}) {
    AcquireRequest request{"offer-" + std::to_string(++offers), worker, 64, 64, {}};
    request.gpu_free = std::move(free);
    request.steps = true;
    when(Acquire{request});
    EXPECT_FALSE(error) << error->detail;
    return std::get<std::optional<LeaseGrant>>(answer(book, Acquire{request}));
  }
  std::vector<int> devices(WorkerId worker) {
    const auto grant = offer(worker);
    return grant ? grant->devices : std::vector<int>{-1};
  }
  static SweepSpec sharing(std::int64_t memory, int gpus = 1, std::int64_t trials = 50) {
    SweepSpec spec = small_spec(trials, 2);
    spec.resources = {1, gpus};
    spec.resources.gpu_memory = memory;
    return spec;
  }
  Events fill_gpu(LeaseId lease, bool of_gpu = true) {
    EndRequest end{EndReason::exit_code, 1, "exited with status 1", "", Failure::oom};
    end.gpu_full = of_gpu;
    return when(End{lease, end});
  }
  [[nodiscard]] std::vector<std::int64_t> free(WorkerId worker) const {
    return book.workers.at(worker).gpu_free;
  }
  int joins = 0;
  int offers = 0;
};

TEST(Gpus, runs_share_a_gpu_up_to_its_memory) {
  GivenShares given;
  const auto worker = given.join_with({24 * gib});
  given.submit(GivenShares::sharing(7 * gib));
  std::vector<LeaseId> leases;
  while (const auto grant = given.offer(worker)) {
    EXPECT_EQ(grant->devices, std::vector<int>{0});
    EXPECT_EQ(grant->resources.gpu_memory, 7 * gib);
    leases.push_back(grant->lease);
  }
  ASSERT_EQ(leases.size(), 3U);
  EXPECT_EQ(given.free(worker), std::vector<std::int64_t>{3 * gib});
  given.when(End{leases[1], {EndReason::exit_code, 1, "", "", Failure::user_error}});
  EXPECT_TRUE(given.offer(worker));
}

TEST(Gpus, a_run_gets_the_gpus_with_the_most_free_memory) {
  GivenShares given;
  const auto worker = given.join_with({16 * gib, 24 * gib, 16 * gib});
  given.submit(GivenShares::sharing(8 * gib));
  EXPECT_EQ(given.devices(worker), std::vector<int>{1});
  EXPECT_EQ(given.devices(worker), std::vector<int>{0}) << "of equal ones the first";
  EXPECT_EQ(given.devices(worker), std::vector<int>{1});
  EXPECT_EQ(given.devices(worker), std::vector<int>{2});
}

TEST(Gpus, a_run_of_two_gpus_has_its_memory_on_each) {
  GivenShares given;
  const auto worker = given.join_with({8 * gib, 24 * gib, 24 * gib});
  given.submit(GivenShares::sharing(12 * gib, 2));
  EXPECT_EQ(given.devices(worker), (std::vector<int>{1, 2}));
  EXPECT_EQ(given.devices(worker), (std::vector<int>{1, 2}));
  EXPECT_EQ(given.devices(worker), std::vector<int>{-1});
  EXPECT_EQ(given.free(worker), (std::vector<std::int64_t>{8 * gib, 0, 0}));
}

TEST(Gpus, a_run_that_declares_no_memory_gets_a_gpu_that_no_run_has) {
  GivenShares given;
  const auto worker = given.join_with({24 * gib, 24 * gib});
  given.submit(GivenShares::sharing(2 * gib, 1, 1), "sharing");
  EXPECT_EQ(given.devices(worker), std::vector<int>{0});
  given.submit(GivenShares::sharing(0, 1), "whole");
  EXPECT_EQ(given.devices(worker), std::vector<int>{1});
  EXPECT_EQ(given.devices(worker), std::vector<int>{-1});
  given.submit(GivenShares::sharing(24 * gib), "large");
  EXPECT_EQ(given.devices(worker), std::vector<int>{-1});
}

TEST(Gpus, an_offer_of_a_worker_whose_run_still_exits_gets_no_more_than_it_names) {
  GivenShares given;
  const auto worker = given.join_with({24 * gib});
  given.submit(GivenShares::sharing(8 * gib));
  EXPECT_FALSE(given.offer(worker, {7 * gib}));
  EXPECT_TRUE(given.offer(worker, {8 * gib}));
  given.when(Acquire{[&] {
    AcquireRequest request{"two", worker, 64, 64, {}};
    request.gpu_free = {gib, gib};
    return request;
  }()});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->at, "/gpu_free");
}

TEST(Gpus, a_worker_whose_memory_is_not_known_gets_no_run_that_shares) {
  GivenShares given;
  const Command join = Join{{"old", "host", 1, 8, 2, "test"}};
  given.when(join);
  const auto worker = std::get<JoinReply>(answer(given.book, join)).worker;
  given.submit(GivenShares::sharing(gib), "sharing");
  EXPECT_FALSE(given.offer(worker));
  EXPECT_FALSE(may_serve(given.book, {"r", worker, 8, 2, {}}, resources_wanted(given.book)));
  given.submit(GivenShares::sharing(0), "whole");
  const auto grant = given.offer(worker);
  ASSERT_TRUE(grant);
  EXPECT_TRUE(grant->devices.empty()) << "it chooses";
}

TEST(Gpus, a_run_that_fills_a_shared_gpu_is_tried_again_alone_and_it_does_not_count) {
  GivenShares given;
  const auto worker = given.join_with({24 * gib, 24 * gib});
  SweepSpec spec = GivenShares::sharing(8 * gib);
  spec.limits.max_retries = 0;
  given.submit(spec);
  const auto grant = given.offer(worker);
  const RunId run = grant->attempt.run;
  const Events events = given.fill_gpu(grant->lease);
  const auto* returned = std::get_if<RunReturned>(&events.back());
  ASSERT_TRUE(returned);
  EXPECT_TRUE(returned->alone);
  EXPECT_FALSE(returned->avoid) << "this worker may be the only one";
  EXPECT_EQ(given.run(run).losses, 0);
  EXPECT_TRUE(given.run(run).failures.empty());
  given.rest();
  const auto alone = given.offer(worker);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->attempt.run, run);
  EXPECT_EQ(alone->resources.gpu_memory, 0);
  EXPECT_EQ(given.free(worker)[static_cast<std::size_t>(alone->devices.front())], 0);
  given.fill_gpu(alone->lease);  // alone, it speaks against the parameters
  EXPECT_EQ(given.run(run).state, RunState::failed);
}

TEST(Gpus, memory_of_the_machine_that_runs_out_counts_as_before) {
  GivenShares given;
  const auto worker = given.join_with({24 * gib});
  given.submit(GivenShares::sharing(8 * gib));
  const auto grant = given.offer(worker);
  const Events events = given.fill_gpu(grant->lease, false);
  EXPECT_FALSE(std::get<RunReturned>(events.back()).alone);
  EXPECT_EQ(given.run(grant->attempt.run).losses, 1);
  GivenShares alone;
  const auto whole = alone.join_with({24 * gib});
  alone.submit(GivenShares::sharing(0));
  const Events second = alone.fill_gpu(alone.offer(whole)->lease);
  EXPECT_FALSE(std::get<RunReturned>(second.back()).alone) << "it shared no GPU";
}

// Two runs on each GPU, and many waiting: without a GPU that is kept, it would never be alone.
TEST(Gpus, a_gpu_is_kept_for_a_run_that_must_be_alone_and_the_others_are_used) {
  GivenShares given;
  const auto worker = given.join_with({16 * gib, 16 * gib});
  given.submit(GivenShares::sharing(8 * gib));
  std::vector<LeaseGrant> grants;
  while (auto grant = given.offer(worker)) grants.push_back(*std::move(grant));
  ASSERT_EQ(grants.size(), 4U);
  given.fill_gpu(grants[0].lease);
  const auto filler = given.offer(worker);  // while it rests, its place is taken
  ASSERT_TRUE(filler);
  given.rest();
  const auto end = [&](LeaseId lease) {
    given.when(End{lease, {EndReason::exit_code, 1, "", "", Failure::user_error}});
  };
  end(grants[1].lease);
  EXPECT_FALSE(given.offer(worker)) << "half of one GPU is free, and kept";
  end(grants[2].lease);
  EXPECT_EQ(given.devices(worker), std::vector<int>{1}) << "the other half is used";
  end(filler->lease);
  const auto alone = given.offer(worker);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->attempt.run, grants[0].attempt.run);
  EXPECT_EQ(alone->devices, std::vector<int>{0});
}

TEST(Gpus, the_next_step_of_a_run_that_was_alone_shares_again) {
  GivenShares given;
  const auto worker = given.join_with({24 * gib});
  SweepSpec spec = GivenShares::sharing(8 * gib, 1, 1);
  spec.trainer = PipelineTrainer{{StepSpec{"one", {{"one"}}}, StepSpec{"two", {{"two"}}}}};
  given.submit(spec);
  given.fill_gpu(given.offer(worker)->lease);
  given.rest();
  const auto alone = given.offer(worker);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->resources.gpu_memory, 0);
  given.when(End{alone->lease, {EndReason::no_report, 0, "", "", Failure::none}});
  const auto next = given.offer(worker);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->step->index, 1);
  EXPECT_EQ(next->resources.gpu_memory, 8 * gib);
}

TEST(Gpus, no_sequence_of_leases_and_ends_gives_more_of_a_gpu_than_it_has) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed, Purpose::simulation, 0);
    GivenShares given;
    std::vector<WorkerId> workers;
    for (int i = 0; i < 3; ++i)
      workers.push_back(given.join_with(std::vector<std::int64_t>(
          1 + rng.below(4), static_cast<std::int64_t>(8 + rng.below(40)) * gib)));
    for (int i = 0; i < 3; ++i)
      given.submit(GivenShares::sharing(static_cast<std::int64_t>(rng.below(12)) * gib,
                                        static_cast<int>(1 + rng.below(2)), 2'000),
                   "sweep-" + std::to_string(i));
    std::vector<LeaseId> leases;
    for (int step = 0; step < 500; ++step) {
      if (rng.below(2) == 0 && !leases.empty()) {
        const auto at = rng.below(leases.size());
        given.fill_gpu(leases[at], rng.below(2) == 0);
        leases.erase(leases.begin() + static_cast<std::ptrdiff_t>(at));
      } else if (const auto grant = given.offer(workers[rng.below(workers.size())])) {
        leases.push_back(grant->lease);
      }
      if (rng.below(8) == 0) given.rest();
      for (const WorkerId id : workers) {
        const WorkerState& worker = given.book.workers.at(id);
        for (std::size_t i = 0; i < worker.gpu_free.size(); ++i) {
          ASSERT_GE(worker.gpu_free[i], 0) << seed << " " << step;
          ASSERT_LE(worker.gpu_free[i], worker.gpu_memory[i]) << seed << " " << step;
        }
      }
    }
    for (const LeaseId lease : leases)
      given.when(End{lease, {EndReason::exit_code, 1, "", "", Failure::user_error}});
    for (const WorkerId id : workers)
      EXPECT_EQ(given.free(id), given.book.workers.at(id).gpu_memory) << seed;
  }
}

}  // namespace
}  // namespace hone
