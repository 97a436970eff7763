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

TEST(Fleets, a_live_fleet_is_changed_and_an_unknown_one_is_not_found) {
  Given given;
  make_fleet(given);
  FleetRequest request{"more", FleetId{1}, {.name = "lab", .min = 2, .max = 3}};
  expect_kinds<FleetSet>(given.when(SetFleet{request, "5e6f7a8b"}));
  EXPECT_EQ(given.book.fleets.at({1}).spec.max, 3);
  request = {"other", FleetId{2}, {.name = "other"}};
  given.when(SetFleet{request, "5e6f7a8b"});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->code, Code::not_found);
}

TEST(Fleets, a_pilot_of_another_installation_is_not_taken_for_one_of_this_fleet) {
  Given given;
  make_fleet(given);
  given.when(Join{{"own", "host", 1, 1, 0, "test", "hone-1a2b3c4d-pi_1"}});
  EXPECT_EQ(std::get<WorkerJoined>(given.ledger.back().body).pilot, PilotId{1});
  given.when(Join{{"foreign", "host", 1, 1, 0, "test", "hone-00000000-pi_1"}});
  EXPECT_EQ(std::get<WorkerJoined>(given.ledger.back().body).pilot, PilotId{});
}

// It was not used: no run seemed to fit into zero bytes.
TEST(Fleets, a_pilot_of_unknown_memory_takes_runs_that_name_theirs) {
  Given given;
  SweepSpec spec = small_spec();
  spec.resources.memory = 8;
  given.submit(spec);
  given.when(SetFleet{{"fleet", {}, {.name = "lab", .max = 2}}, "1a2b3c4d"});
  given.when(Reconcile{});
  EXPECT_FALSE(given.book.fleets.at({1}).pilots.empty());
}

}  // namespace
}  // namespace hone
