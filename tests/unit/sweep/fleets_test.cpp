// Fleets that are stopped, and those whose pilots are forgotten.
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

// A fleet of two pilots, one of which the engine has.
void make_fleet(Given& given) {
  given.when(SetFleet{{"fleet", {}, {.name = "lab", .min = 2, .max = 2}}, "1a2b3c4d"});
  given.when(Reconcile{});
  given.when(Reconcile{{FleetNews{
      .fleet = {1}, .submitted = {{{1}, Submission::accepted, "node1/4711"}}, .queued = {{2}}}}});
  ASSERT_EQ(given.book.fleets.at({1}).pilots.size(), 2U);
}

TEST(Fleets, pilots_of_a_fleet_that_is_not_stopping_are_not_forgotten) {
  Given given;
  make_fleet(given);
  given.when(ForgetFleet{{1}});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->code, Code::conflict);
  EXPECT_EQ(given.book.fleets.at({1}).state, FleetState::running);
}

TEST(Fleets, forgotten_pilots_are_recorded_as_ended_by_a_user_and_the_fleet_as_stopped) {
  Given given;
  make_fleet(given);
  given.when(StopFleet{{1}});
  given.when(Reconcile{});
  const auto events = given.when(ForgetFleet{{1}});
  expect_kinds<PilotEnded, PilotEnded, FleetSteered>(events);
  const auto& first = std::get<PilotEnded>(events.at(0));
  EXPECT_EQ(first.rule, FleetRule::stopping);
  EXPECT_EQ(first.detail, "forgotten by a user; it may still run as node1/4711");
  EXPECT_EQ(std::get<PilotEnded>(events.at(1)).detail, "forgotten by a user; it may still run");
  const auto& steered = std::get<FleetSteered>(events.at(2));
  EXPECT_EQ(steered.state, FleetState::stopped);
  EXPECT_EQ(steered.detail, "a user forgot 2 pilots that may still run");
  EXPECT_TRUE(given.book.fleets.empty());
}

TEST(Fleets, a_fleet_is_forgotten_once_and_an_unknown_one_not_at_all) {
  Given given;
  make_fleet(given);
  given.when(StopFleet{{1}});
  given.when(ForgetFleet{{1}});
  EXPECT_TRUE(given.when(ForgetFleet{{1}}).empty());
  EXPECT_FALSE(given.error);
  given.when(ForgetFleet{{2}});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->code, Code::not_found);
}

}  // namespace
}  // namespace hone
