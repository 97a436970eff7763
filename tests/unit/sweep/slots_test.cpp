// Slots and GPUs: the server leases no more of a worker than it announced, whatever it offers, and
// a GPU is free again as soon as its lease is over.
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

class GivenGpus : public Given {
 public:
  WorkerId join_with(int cpus, int gpus, const std::string& request = "gpus") {
    const Command command = Join{{request, "host", 1, cpus, gpus, "test"}};
    when(command);
    return std::get<JoinReply>(answer(book, command)).worker;
  }
  std::optional<LeaseGrant> offer(WorkerId worker, int cpus, int gpus) {
    const Command command = Acquire{{"offer-" + std::to_string(++offers), worker, cpus, gpus, {}}};
    when(command);
    EXPECT_FALSE(error) << error->detail;
    return std::get<std::optional<LeaseGrant>>(answer(book, command));
  }
  static SweepSpec needing(int cpus, int gpus, std::int64_t trials = 8) {
    SweepSpec spec = small_spec(trials, 2);
    spec.resources = {cpus, gpus};
    return spec;
  }
  void end(LeaseId lease, EndReason reason, Failure failure = Failure::none) {
    when(End{lease, {reason, 1, "", "", failure}});
    EXPECT_FALSE(error) << error->detail;
  }
  int offers = 0;
};

// The offer was sent before the worker got its last grant.
TEST(Slots, an_old_offer_gets_no_more_than_is_left) {
  GivenGpus given;
  const auto worker = given.join_with(4, 2);
  given.submit(GivenGpus::needing(1, 1));
  EXPECT_TRUE(given.offer(worker, 4, 2));
  EXPECT_TRUE(given.offer(worker, 4, 2));
  EXPECT_FALSE(given.offer(worker, 4, 2)) << "both GPUs are leased";
}

TEST(Slots, a_worker_offers_less_than_it_announced) {
  GivenGpus given;
  const auto worker = given.join_with(4, 2);
  given.submit(GivenGpus::needing(2, 1));
  EXPECT_FALSE(given.offer(worker, 1, 1)) << "its last process is exiting";
  EXPECT_FALSE(given.offer(worker, 4, 0));
  EXPECT_TRUE(given.offer(worker, 2, 1));
}

TEST(Slots, wide_runs_get_the_slots_that_narrow_ones_leave) {
  GivenGpus given;
  const auto worker = given.join_with(4, 0);
  given.submit(GivenGpus::needing(3, 0, 1), "wide");
  given.submit(GivenGpus::needing(1, 0), "narrow");
  EXPECT_EQ(given.offer(worker, 4, 0)->resources.cpus, 3);
  EXPECT_EQ(given.offer(worker, 4, 0)->resources.cpus, 1);
  EXPECT_FALSE(given.offer(worker, 4, 0));
}

// Every way in which a lease can end.
TEST(Slots, every_end_of_a_lease_frees_its_gpu) {
  GivenGpus given;
  const auto worker = given.join_with(2, 1);
  given.submit(GivenGpus::needing(1, 1));
  const auto leased = [&] { return given.book.workers.at(worker).leased; };
  const auto next = [&] {
    EXPECT_EQ(leased(), (ResourcesSpec{0, 0}));
    auto grant = given.offer(worker, 2, 1);
    EXPECT_TRUE(grant);
    EXPECT_EQ(leased(), (ResourcesSpec{1, 1}));
    return *grant;
  };
  LeaseGrant grant = next();  // ends with its budget
  given.report(grant.lease, 0, Score::of(1));
  given.report(grant.lease, 1, Score::of(1));
  grant = next();  // diverges
  given.report(grant.lease, 0, Score::diverged());
  grant = next();  // is returned
  given.end(grant.lease, EndReason::requeue_requested);
  given.rest();
  grant = next();  // its worker is silent
  given.now = grant.expires_at;
  given.tick();
  given.rest();
  grant = next();  // fails
  given.end(grant.lease, EndReason::exit_code, Failure::user_error);
  next();
}

// Memory is counted like GPUs; a worker that did not announce any has none for such runs.
TEST(Slots, memory_and_labels_decide_where_a_run_fits) {
  GivenGpus given;
  const auto join = [&](const std::string& name, std::int64_t memory,
                        std::vector<std::string> labels) {
    const Command command = Join{{name, "host", 1, 4, 0, "test", {}, memory, std::move(labels)}};
    given.when(command);
    return std::get<JoinReply>(answer(given.book, command)).worker;
  };
  const auto small = join("small", 5LL << 30, {"zone=a"});
  const auto unknown = join("unknown", 0, {"zone=a"});
  const auto elsewhere = join("elsewhere", 64LL << 30, {"zone=b"});
  SweepSpec spec = GivenGpus::needing(1, 0);
  spec.resources.memory = 2LL << 30;
  spec.resources.labels = {"zone=a"};
  given.submit(spec);
  EXPECT_FALSE(given.offer(unknown, 4, 0));
  EXPECT_FALSE(given.offer(elsewhere, 4, 0));
  const auto first = given.offer(small, 4, 0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->resources.memory, 2LL << 30);
  EXPECT_TRUE(given.offer(small, 4, 0));
  EXPECT_FALSE(given.offer(small, 4, 0)) << "one GiB is left";
  given.end(first->lease, EndReason::exited_early);
  EXPECT_TRUE(given.offer(small, 4, 0));
}

// The worker of a tracked training took runs of other sweeps.
TEST(Slots, a_worker_with_a_label_only_takes_no_other_runs) {
  GivenGpus given;
  const Command join = Join{{"name", "host", 1, 4, 0, "test", {}, 0, {"only=mine", "zone=a"}}};
  given.when(join);
  const auto worker = std::get<JoinReply>(answer(given.book, join)).worker;
  SweepSpec spec = GivenGpus::needing(1, 0);
  given.submit(spec, "any");
  spec.resources.labels = {"zone=a"};
  given.submit(spec, "zone");
  EXPECT_FALSE(given.offer(worker, 4, 0));
  spec.resources.labels = {"only=mine"};
  const auto mine = given.submit(spec, "mine");
  const auto grant = given.offer(worker, 4, 0);
  ASSERT_TRUE(grant);
  EXPECT_EQ(sweep_of(given.book, grant->attempt.run).id, mine);
}

// A paused run leaves its GPU to the next; its promotion takes it again.
TEST(Slots, a_promotion_waits_for_a_gpu) {
  GivenGpus given;
  const auto worker = given.join_with(2, 1);
  SweepSpec spec = GivenGpus::needing(1, 1, 2);
  spec.budget.phases = 4;
  spec.terminator = {"asha", {{"eta", 2}}};
  const auto sweep = given.submit(spec);
  const auto first = *given.offer(worker, 2, 1);
  EXPECT_EQ(given.report(first.lease, 0, Score::of(1)).action, Action::pause);
  const auto second = *given.offer(worker, 2, 1);
  EXPECT_FALSE(given.offer(worker, 2, 1));
  EXPECT_EQ(given.report(second.lease, 0, Score::of(0)).action, Action::pause);
  ASSERT_EQ(given.sweep(sweep).live_leases, 0);
  const auto promoted = given.offer(worker, 2, 1);
  ASSERT_TRUE(promoted);
  EXPECT_EQ(promoted->attempt.run, first.attempt.run);
  EXPECT_EQ(promoted->attempt.number, 2);
}

// A quarantined worker gets nothing, though its GPU is free; the other worker gets the run.
TEST(Slots, a_quarantined_worker_keeps_no_gpu) {
  GivenGpus given;
  const auto bad = given.join_with(2, 1, "bad");
  const auto good = given.join_with(2, 1, "good");
  given.submit(GivenGpus::needing(1, 1, 20));
  for (int i = 0; i < 20 && !given.book.workers.at(bad).aside_until; ++i) {
    if (const auto grant = given.offer(bad, 2, 1))
      given.end(grant->lease, EndReason::signal, Failure::infra);
    given.rest();
  }
  ASSERT_TRUE(given.book.workers.at(bad).aside_until);
  EXPECT_FALSE(given.offer(bad, 2, 1));
  EXPECT_EQ(given.book.workers.at(bad).leased, (ResourcesSpec{0, 0}));
  EXPECT_TRUE(given.offer(good, 2, 1));
}

}  // namespace
}  // namespace hone
