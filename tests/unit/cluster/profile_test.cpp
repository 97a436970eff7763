#include "server/cluster/profile.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"
#include "server/cluster/read.hpp"
#include "server/cluster/simulate.hpp"

namespace hone::cluster {
namespace {

// One or two GPUs of a server, two or six servers. An iteration has 8 samples or 32.
ProfileFiles files() {
  return {
      "placement,local_bsz,step_time,sync_time\n"
      "1,4,1.0,0.0\n1,8,1.4,0.0\n"
      "2,4,1.2,0.2\n2,8,1.6,0.2\n"
      "12,4,2.0,1.0\n12,8,2.4,1.0\n"
      "22,4,3.0,2.0\n22,8,3.4,2.0\n",
      "num_nodes,num_replicas,local_bsz,step_time,sync_time\n"
      "6,6,4,5.0,4.0\n6,6,8,5.4,4.0\n6,12,4,7.0,6.0\n6,12,8,7.4,6.0\n",
      {{8, "progress,iteration,metric,grad_sqr,grad_var\n100,100,1,1,3\n200,200,2,1,1\n"},
       {32, "progress,iteration,metric,grad_sqr,grad_var\n100,50,1,1,3\n200,100,2,1,1\n"}}};
}

Profile profile(const ProfileLimits& limits = {}) { return *Profile::read(files(), limits); }

double iteration_s(const Profile& from, std::vector<int> placement, int samples) {
  return from.iteration_s(placement, samples);
}

TEST(Profile, a_measured_placement_has_its_seconds_in_any_order_of_its_servers) {
  EXPECT_DOUBLE_EQ(iteration_s(profile(), {1}, 8), 1.4);
  EXPECT_DOUBLE_EQ(iteration_s(profile(), {2}, 12), 1.4);  // 6 samples of each: between 4 and 8
  EXPECT_DOUBLE_EQ(iteration_s(profile(), {1, 2}, 12), 2.0);
  EXPECT_DOUBLE_EQ(iteration_s(profile(), {2, 1}, 12), 2.0);
}

TEST(Profile, gpus_that_cannot_hold_their_samples_accumulate_gradients) {
  EXPECT_DOUBLE_EQ(iteration_s(profile(), {2}, 32), 1.6 + 1.4);  // twice 8 on each
  EXPECT_DOUBLE_EQ(iteration_s(profile({4, 0}), {2}, 32), 1.2 + 3 * 1.0);
  // One worker takes two passes at least beyond the least samples, as authors do.
  EXPECT_DOUBLE_EQ(iteration_s(profile(), {1}, 12), 1.2 + 1.2);
}

TEST(Profile, placements_that_were_not_measured_lie_between_as_many_gpus_a_server) {
  // Four servers of one: halfway between two servers of one, which has the value of the fewest
  // measured there (three GPUs), and six of one.
  EXPECT_DOUBLE_EQ(iteration_s(profile(), {1, 1, 1, 1}, 16), (2.0 + 5.0) / 2);
  EXPECT_DOUBLE_EQ(iteration_s(profile(), {2, 2, 2, 2}, 32), (3.0 + 7.0) / 2);
  EXPECT_DOUBLE_EQ(iteration_s(profile(), std::vector<int>(8, 2), 32), 7.0);  // beyond: constant
}

TEST(Profile, larger_iterations_are_fewer_by_their_gain) {
  EXPECT_DOUBLE_EQ(profile().iterations(8), 200);
  // Four times the samples: (3/4 + 1) / 4 of the first epoch, (1/4 + 1) / 2 of the second.
  EXPECT_DOUBLE_EQ(profile().iterations(32), 100 * 1.75 / 4 + 100 * 1.25 / 2);
}

TEST(Profile, workers_have_the_least_samples_that_were_measured) {
  EXPECT_EQ(profile().workers_max(8), 2);
  EXPECT_EQ(profile().workers_max(32), 8);
  EXPECT_EQ(profile().workers_max(1), 1);
  EXPECT_EQ(profile({0, 3}).workers_max(32), 3);
}

TEST(Profile, what_is_no_profile_is_refused_with_its_file_and_row) {
  const auto detail = [](ProfileFiles files) {
    const auto read = Profile::read(files, {});
    return read ? std::string() : read.error().detail;
  };
  ProfileFiles wrong = files();
  wrong.placements = "placement,local_bsz,step_time\n";
  EXPECT_EQ(detail(wrong),
            "placements.csv needs the columns placement, local_bsz, step_time, sync_time");
  wrong = files();
  wrong.placements += "1,0,1,0\n";
  EXPECT_EQ(detail(wrong), "placements.csv: row 9 has no positive numbers where they are needed");
  wrong = files();
  wrong.scalability = "num_nodes,num_replicas,local_bsz,step_time,sync_time\n6,6,4,-1,0\n";
  EXPECT_EQ(detail(wrong), "scalability.csv: row 1 has no positive numbers where they are needed");
  wrong = files();
  wrong.validations[8] += "150,1,1,1,1\n";  // progress falls
  EXPECT_EQ(detail(wrong), "validation-8.csv: row 3 has no positive numbers where they are needed");
  wrong = files();
  wrong.validations[2'000'000'000] = wrong.validations[8];  // sums with workers would overflow
  EXPECT_EQ(detail(wrong), "validation-2000000000.csv: an iteration has 1 to 1000000000 samples");
  wrong = files();
  wrong.placements += std::string(65, '1') + ",4,1,0\n";  // rotations take the square of it
  EXPECT_EQ(detail(wrong), "placements.csv: row 9 has no positive numbers where they are needed");
  wrong = files();
  wrong.validations.clear();
  EXPECT_EQ(detail(wrong), "it has no validation-N.csv");
}

ClusterSetup setup_of(int gpus) {
  const std::string text =
      R"({"rule": "measured", "interval": 60, "preempts": true, "restart": 30, "las_threshold": 100,
          "servers": [{"gpus": )" +
      std::to_string(gpus) + R"(, "cpus": )" + std::to_string(gpus) +
      R"(}], "trace": {"format": "pollux", "file": "a.csv", "profiles": "b"}})";
  return *read_setup(*parse_json(text));
}

// Simulates the jobs of the trace, whose header is added; returns the completions.
std::vector<double> completions(ClusterSetup setup, const std::string& rows,
                                std::string_view policy, const ProfileLimits& limits = {}) {
  const Profiles profiles{{"small", std::make_shared<const Profile>(profile(limits))}};
  auto trace = read_pollux_trace("name,time,application,num_replicas,batch_size\n" + rows, profiles,
                                 jobs_max);
  EXPECT_TRUE(trace);
  setup.types = trace->types;
  const auto outcome = simulate(setup, trace->jobs, scheduler_of(*find_policy(policy)), 1);
  EXPECT_TRUE(outcome);
  return outcome->completion_s;
}

TEST(Profile, a_job_starts_after_the_restart_and_trains_its_iterations) {
  EXPECT_DOUBLE_EQ(completions(setup_of(1), "a,0,small,1,8\n", "las-fill").front(), 30 + 200 * 1.4);
}

TEST(Profile, marginal_gain_adds_workers_while_they_save_time) {
  // Two GPUs need 1.2 s for an iteration instead of 1.4.
  EXPECT_DOUBLE_EQ(completions(setup_of(4), "a,0,small,1,8\n", "optimus-fill").front(),
                   30 + 200 * 1.2);
  EXPECT_DOUBLE_EQ(completions(setup_of(4), "a,0,small,1,8\n", "optimus-fill", {0, 1}).front(),
                   30 + 200 * 1.4);
}

TEST(Profile, a_job_beyond_the_threshold_of_las_waits_for_younger_ones) {
  // Each has the GPU for two intervals, until its 120 slot-seconds exceed 100, and trains 90 s
  // of its 280 s; then the older one ends at 240 + 30 + 190, and the younger one from 480 on.
  const auto times = completions(setup_of(1), "a,0,small,1,8\nb,30,small,1,8\n", "las-fill");
  EXPECT_NEAR(times[0], 460, 1e-9);
  EXPECT_NEAR(times[1], 480 + 30 + 190 - 30, 1e-9);
}

TEST(Profile, rows_without_a_profile_are_skipped) {
  const Profiles profiles{{"small", std::make_shared<const Profile>(profile())}};
  const auto trace = read_pollux_trace(
      "time,application,num_replicas,batch_size\n5,small,2,32\n6,large,2,32\n7,small,2,64\n",
      profiles, jobs_max);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->jobs.size(), 1U);
  EXPECT_EQ(trace->skipped, 2);
  EXPECT_EQ(trace->jobs[0].wanted, (Tasks{2, 0}));
  EXPECT_EQ(trace->jobs[0].samples, 32);
}

}  // namespace
}  // namespace hone::cluster
