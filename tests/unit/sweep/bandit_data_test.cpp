// What the bandit of pb2 learns from the reports of runs.
#include "server/sweep/forks/bandit_data.hpp"

#include "tests/unit/sweep/forks_given.hpp"

namespace hone {
namespace {

TEST(Pb2, a_fork_begins_at_the_phase_and_the_merit_of_its_checkpoint) {
  Forks given(forkable_spec(1, 4));
  const LeaseGrant grant = given.grant();
  given.trained(grant, 0, 5);
  given.trained(grant, 1, 7);
  const Origin latest{.run = grant.attempt.run, .model = ModelId{2}, .phase = 1};
  const BanditData data = bandit_data(given.book, given.sweep(given.sweep_id), latest, 1);
  EXPECT_EQ(data.time, 2);
  EXPECT_EQ(data.before, 7);
}

}  // namespace
}  // namespace hone
