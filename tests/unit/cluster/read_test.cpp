#include "server/cluster/read.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sdk/cpp/sweep_file.hpp"
#include "server/cluster/policies.hpp"

namespace hone::cluster {
namespace {

Result<ClusterSetup> read_text(const std::string& text) {
  const auto json = parse_json(text);
  EXPECT_TRUE(json) << text;
  return read_setup(*json);
}

TEST(ClusterFile, the_examples_are_read) {
  for (const char* name : {"harmony", "optimus", "trace"}) {
    const auto file =
        read_sweep_file(std::string(HONE_SOURCE_DIR) + "/sdk/examples/cluster/" + name + ".yaml");
    ASSERT_TRUE(file) << name;
    const auto setup = read_setup(file->document);
    ASSERT_TRUE(setup) << name << ": " << setup.error().at << " " << setup.error().detail;
    EXPECT_EQ(setup->name, name);
    EXPECT_FALSE(setup->policies.empty());
    EXPECT_FALSE(draw_jobs(*setup, 1).empty());
  }
}

TEST(ClusterFile, refuses_what_is_wrong_and_names_the_place) {
  struct Wrong {
    const char* text;
    const char* at;
    const char* detail;
  };
  const std::string good = R"("servers": [{"count": 2, "gpus": 2, "cpus": 4}])";
  for (const auto& [text, at, detail] : {
           Wrong{R"({"servers": []})", "/servers", "servers must be a list of {count, gpus, cpus}"},
           Wrong{R"({"servers": [{"count": 2}]})", "/servers/0",
                 "needs cpus: the number of tasks that it can run"},
           Wrong{R"({"servers": [{"count": 1e9, "cpus": 1}]})", "/servers/0/count",
                 "count must be a number from 1 to 1000"},
           Wrong{R"({"servers": [{"cpus": 2.5}]})", "/servers/0/cpus",
                 "cpus must be a whole number"},
           Wrong{R"({"servers": [{"cpus": 4}], "intervall": 3})", "/intervall",
                 "intervall is no field here (did you mean 'interval'?)"},
           Wrong{R"({"servers": [{"cpus": 4}], "policies": ["optimu"]})", "/policies/0",
                 "policies has no policy 'optimu' (did you mean 'optimus'?)"},
           Wrong{R"({"servers": [{"cpus": 4}], "policies": ["fifo", "harmony"]})", "/policies/1",
                 "policies has no policy 'harmony'; it is learned: write {harmony: MODEL}"},
           Wrong{R"({"servers": [{"cpus": 4}], "policies": [{"harmoni": "a.json"}]})",
                 "/policies/0", "must name a policy and the file of its model"},
           Wrong{R"({"servers": [{"cpus": 4}], "oracle": "harmony"})", "/oracle",
                 "oracle must be a policy that needs no model, as oracle or placement-oracle"},
           Wrong{R"({"servers": [{"cpus": 4}], "rule": "magic"})", "/rule",
                 "rule must be interference, parameter_servers, fixed, pairs or measured"},
           Wrong{R"({"servers": [{"cpus": 4}], "jobs": {"workers": [3, 1]}})", "/jobs/workers",
                 "workers must be a whole number, or a list of the least and the most"},
           Wrong{R"({"servers": [{"cpus": 4}], "jobs": {"workers": 9}})", "/jobs/workers",
                 "the cluster is too small for a job of 9 workers"},
           Wrong{R"({"servers": [{"cpus": 4}], "trace": {"file": "a.csv"}})", "/trace",
                 "trace needs the rule fixed: a trace has lengths, but no parameter servers"},
           Wrong{R"({"servers": [{"cpus": 4}], "rule": "fixed", "trace": {"format": "gavel"}})",
                 "/trace/file", "file must name the file of the trace"},
           Wrong{R"({"servers": [{"cpus": 4}], "rule": "measured"})", "/rule",
                 "the rule measured needs a trace in the format pollux"},
           Wrong{R"({"servers": [{"cpus": 4}], "rule": "measured",
                     "trace": {"format": "pollux", "file": "a.csv"}})",
                 "/trace/profiles", "profiles must name the folder of the profiles"},
           Wrong{R"([1])", "", "must be an object"},
       }) {
    const auto setup = read_text(text);
    ASSERT_FALSE(setup) << text;
    EXPECT_EQ(setup.error().at, at) << text;
    EXPECT_EQ(setup.error().detail, detail) << text;
  }
  EXPECT_TRUE(read_text("{" + good + "}"));
}

// The drawn jobs have up to three workers, but a trace replaces them.
TEST(ClusterFile, a_trace_is_not_judged_by_the_size_of_drawn_jobs) {
  const std::string small = R"({"servers": [{"gpus": 1, "cpus": 1}], "rule": "fixed")";
  EXPECT_EQ(read_text(small + "}").error().at, "/jobs/workers");
  EXPECT_TRUE(read_text(small + R"(, "trace": {"file": "a.csv"}})"));
}

TEST(ClusterFile, gavel_traces_become_jobs) {
  const Json table = *parse_json(R"j({"v100": {"('ResNet-18 (batch size 16)', 1)": {"null": 20.0},
                                              "('LM (batch size 5)', 2)": {"null": 4.0}}})j");
  const std::string rows =
      "LM (batch size 5)\tpython3 main.py\t--steps\t1\t800\t60.0\t2\n"
      "ResNet-18 (batch size 16)\tpython3 main.py\t--num_steps\t1\t4000\t10.5\t1\n"
      "A3C\tpython3 main.py\t--max-steps\t1\t100\t20\t1\n"
      "broken\n";
  const auto trace = read_gavel_trace(rows, table, "v100");
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->jobs.size(), 2U);
  EXPECT_EQ(trace->skipped, 2);
  EXPECT_DOUBLE_EQ(trace->jobs[0].work, 200);  // by arrival, from the first
  EXPECT_DOUBLE_EQ(trace->jobs[0].arrival_s, 0);
  EXPECT_DOUBLE_EQ(trace->jobs[1].work, 200);
  EXPECT_DOUBLE_EQ(trace->jobs[1].arrival_s, 49.5);
  EXPECT_EQ(trace->jobs[1].wanted, (Tasks{2, 0}));
  EXPECT_FALSE(read_gavel_trace(rows, table, "k80"));
  EXPECT_FALSE(read_gavel_trace("", table, "v100"));
}

TEST(ClusterFile, philly_traces_become_jobs) {
  const std::string rows =
      "timestamp,duration,num_gpu,gpu_time,cluster\n"
      "2017-10-03 11:34:53,100,1,100,a\r\n"
      "2017-10-04 00:00:00,50.5,8,404,b\n"
      "2017-10-05 00:00:00,0,1,0,b\n"
      "yesterday,10,1,10,b\n"
      "2017-10-06 00:00:00,7,999,10,b\n";
  const auto trace = read_philly_trace(rows, 100);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->jobs.size(), 2U);
  EXPECT_EQ(trace->skipped, 3);
  EXPECT_DOUBLE_EQ(trace->jobs[1].arrival_s, 12 * 3600 + 25 * 60 + 7);
  EXPECT_EQ(trace->jobs[1].wanted, (Tasks{8, 0}));
  EXPECT_EQ(read_philly_trace(rows, 1)->jobs.size(), 1U);
  EXPECT_EQ(read_philly_trace("a,b,c\n1,2,3\n", 5).error().detail,
            "the trace needs the columns timestamp, duration, num_gpu");
}

}  // namespace
}  // namespace hone::cluster
