// A small history for the tests of reads.
#pragma once

#include "db/queries/queries.hpp"
#include "tests/unit/db/given.hpp"

namespace hone {

inline constexpr RunId run_a{{1}, 0};
inline constexpr RunId run_b{{1}, 1};

// sw_1 has two seeds a trial; tr_1 has two runs with reports and models, tr_2 diverged, tr_3 has no
// report.
class Queries : public testing::Test {
 protected:
  Queries() {
    tick();
    fed.must(Start{"test", seconds(15)}, now);
    submit("first", two_seeds());
    fed.must<JoinReply>(Join{{"join", "host-1", 4711, 64, 1, "0.1.0"}}, now);
    first_trial();
    const LeaseId diverged = grant("tr_2 a");
    report(diverged, 0, Score::diverged());
    grant("tr_2 b");
    grant("tr_3 a");
  }

  static SweepSpec two_seeds() {
    auto spec = small_spec(5, 3);
    spec.name = "first";
    spec.project = "demo";
    spec.trainer = BuiltinTrainer{"ga3c", {{"env", std::string("CartPole-v1")}}};
    spec.objective = {"return", Goal::maximize};
    spec.parameters = {{"learning_rate", FloatDomain{0.001, 0.1, Scale::log, {}}, ""}};
    spec.budget.unit = "frames";
    spec.seeds = 2;
    return spec;
  }

  void tick() { now = now + seconds(1); }
  SweepId submit(const std::string& request, const SweepSpec& spec) {
    tick();
    WorkflowInfo workflow;
    workflow.command = {"hone", "submit", "it's.yaml"};
    workflow.git_commit = std::string(40, 'c');
    workflow.host = "desk";
    return fed.must<Submitted>(Submit{{request, spec, workflow}}, now).sweep;
  }
  LeaseId grant(const std::string& request) {
    tick();
    return fed.must<std::optional<LeaseGrant>>(Acquire{{request, {1}, 4, 1, {}}}, now)->lease;
  }
  void report(LeaseId lease, int phase, Score score) {
    tick();
    fed.must<ReportReply>(Report{lease, {phase, 10 * (phase + 1), score}}, now);
  }
  ModelId save(LeaseId lease, int phase, char digit) {
    tick();
    return fed
        .must<SaveModelReply>(
            SaveModel{lease, {std::string(64, digit), 99, 10 * (phase + 1), phase}}, now)
        .model;
  }
  void first_trial() {
    const LeaseId a = grant("tr_1 a");
    save(a, 0, '1');
    report(a, 0, Score::of(10));
    fed.must(End{a, {EndReason::requeue_requested, 85, "please", ""}}, now);
    const LeaseId again = grant("tr_1 a again");
    report(again, 1, Score::of(40));
    save(again, 1, '2');
    save(again, 1, '3');
    const LeaseId b = grant("tr_1 b");
    report(b, 0, Score::of(20));
    tick();
    fed.must(End{b, {EndReason::exit_code, 3, "it failed", "last words"}}, now);
  }

  std::unique_ptr<SQLite::Database> db = open_in_memory();
  FedLedger fed{*db};
  Instant now{1'700'000'000'000'000};
};

template <class T>
void expect_not_found(const Result<T>& result) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Code::not_found);
}

}  // namespace hone
