// The last calls of a run: its end, and the files that it keeps.
#include "tests/unit/worker/given.hpp"

namespace hone::worker {
namespace {

TEST(WorkerLastCalls, an_end_that_the_server_rejects_is_noted_and_one_of_a_lost_lease_is_not) {
  for (const bool gone : {false, true}) {
    GivenAgent given;
    given.run();
    given.exit(1);
    given.reply<EndCall>(gone ? stale() : refuse(Code::conflict, "not now"));
    EXPECT_EQ(given.has<Note>(), !gone);
    EXPECT_TRUE(given.has<Forget>());
  }
}

TEST(WorkerLastCalls, an_earlier_server_gets_the_end_of_a_killed_worker_without_the_member) {
  for (const bool knows : {false, true}) {
    GivenAgent given;
    given.join();
    given.when(Recovered{small_grant(), {}, std::nullopt});
    given.order(Order::none);
    EXPECT_TRUE(given.request<EndCall>().request.worker_killed);
    given.reply<EndCall>(knows ? stale() : refuse(Code::invalid, "no such member"));
    ASSERT_EQ(given.call<EndCall>().has_value(), !knows);
    const auto again = given.call<EndCall>();
    EXPECT_FALSE(again && std::get<EndCall>(again->call).request.worker_killed);
  }
}

TEST(WorkerLastCalls, a_step_names_each_folder_of_earlier_steps_once) {
  GivenAgent given;
  LeaseGrant grant = small_grant();
  grant.step.emplace().name = "train";
  std::get<CommandTrainer>(grant.trainer).artifacts = {"*"};
  for (const char* name : {"prepare/a", "prepare/b", "split/c"})
    grant.inputs.push_back({name, "d"});
  given.run(grant);
  if (given.call<FetchInputs>()) given.reply<FetchInputs>(CallReply{FetchedInputs{"/inputs"}});
  given.report(0);
  given.verdict(Action::go_on);
  given.exit(0);
  EXPECT_EQ(given.request<KeepFiles>().needed, (std::vector<std::string>{"prepare", "split"}));
  EXPECT_EQ(given.request<KeepFiles>().step, "train");
}

TEST(WorkerLastCalls, a_command_that_is_not_on_this_machine_is_tried_on_another) {
  GivenAgent given;
  given.run();
  given.when(NotStarted{LeaseId{1}, "there is no such device", false, true});
  const auto end = given.request<EndCall>().request;
  EXPECT_EQ(end.reason, EndReason::cannot_start);
  EXPECT_EQ(end.failure, Failure::infra);
  EXPECT_EQ(end.detail, "there is no such device");
}

TEST(WorkerLastCalls, a_step_whose_files_the_server_rejects_has_not_finished) {
  GivenAgent given;
  LeaseGrant grant = small_grant();
  grant.step.emplace().name = "train";
  std::get<CommandTrainer>(grant.trainer).artifacts = {"*"};
  given.run(grant);
  given.report(0);
  given.verdict(Action::go_on);
  given.exit(0);
  given.reply<KeepFiles>(refuse(Code::invalid, "too large"));
  const auto end = given.request<EndCall>().request;
  EXPECT_EQ(end.reason, EndReason::disk_limit);
  EXPECT_EQ(end.failure, Failure::user_error);
}

}  // namespace
}  // namespace hone::worker
