// Where attempts count from, and which checkpoint they continue from, after pauses and crashes.
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

// Ten phases of three steps, of a program whose rows are collected.
SweepSpec rows_spec() {
  SweepSpec spec = small_spec(1, 10);
  CommandTrainer command{{"train"}};
  command.collect = CollectSpec{.file = "r.csv", .objectives = {"value"}};
  spec.trainer = command;
  return spec;
}

class GivenRows : public Given {
 public:
  explicit GivenRows(const SweepSpec& spec) {
    submit(spec);
    worker = join();
  }
  LeaseGrant lease() {
    const auto grant = acquire(worker, "a" + std::to_string(++asked));
    EXPECT_TRUE(grant.has_value());
    return grant.value_or(LeaseGrant{});
  }
  void save(const LeaseGrant& grant, std::int64_t step, int phase) {
    when(
        SaveModel{grant.lease, {std::string(62, 'a') + std::to_string(step + 10), 1, step, phase}});
    EXPECT_FALSE(error) << error->detail;
  }
  void told(const LeaseGrant& grant, int phase) {
    when(Report{grant.lease, {phase, 3 * (phase + 1), Score::of(phase)}});
    EXPECT_FALSE(error) << error->detail;
  }
  void crash(const LeaseGrant& grant) {
    when(End{grant.lease, {EndReason::signal, 9, "", ""}});
    rest();
  }
  WorkerId worker;
  int asked = 0;
};

TEST(GrantOrigin, is_0_for_a_new_run_and_the_checkpoint_for_one_that_continues) {
  GivenRows given(rows_spec());
  const auto first = given.lease();
  EXPECT_EQ(first.origin, (AttemptOrigin{0, 0, 0, 0}));
  given.save(first, 3, 0);
  given.told(first, 0);
  given.told(first, 1);
  given.crash(first);
  const auto second = given.lease();
  ASSERT_TRUE(second.resume);
  EXPECT_EQ(second.origin, (AttemptOrigin{3, 1, 0, 6}));
  EXPECT_EQ(second.next_phase, 2);
}

TEST(GrantOrigin, is_0_for_a_run_that_starts_over) {
  GivenRows given(rows_spec());
  const auto first = given.lease();
  given.told(first, 0);
  given.crash(first);
  EXPECT_EQ(given.lease().origin, (AttemptOrigin{0, 0, 0, 3}));
}

// The value of the phase was lost with the process, and that of a later training took its place.
TEST(GrantOrigin, is_an_older_checkpoint_where_the_newest_outran_the_reports) {
  GivenRows given(rows_spec());
  const auto first = given.lease();
  given.save(first, 3, 0);
  given.told(first, 0);
  given.save(first, 5, 1);
  given.save(first, 6, 1);
  given.crash(first);
  const auto second = given.lease();
  ASSERT_TRUE(second.resume);
  EXPECT_EQ(second.resume->step, 5);
  given.save(second, 6, 1);
  given.told(second, 1);
  given.crash(second);
  EXPECT_EQ(given.lease().resume->step, 6) << "its phase is reported now";
}

TEST(GrantOrigin, is_0_where_the_only_checkpoint_outran_the_reports) {
  GivenRows given(rows_spec());
  const auto first = given.lease();
  given.save(first, 3, 0);
  given.crash(first);
  const auto second = given.lease();
  EXPECT_FALSE(second.resume);
  EXPECT_EQ(second.origin, AttemptOrigin{});
}

// Its phases end at other steps than those of the budget.
TEST(GrantOrigin, is_the_newest_checkpoint_of_a_program_that_names_a_phase_with_a_report) {
  SweepSpec spec = rows_spec();
  std::get<CommandTrainer>(spec.trainer).collect.reset();
  GivenRows given(spec);
  const auto first = given.lease();
  given.save(first, 25, 0);
  given.told(first, 0);
  given.crash(first);
  EXPECT_EQ(given.lease().resume->step, 25);
}

}  // namespace
}  // namespace hone
