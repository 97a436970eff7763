// The lines of a trial process, read one by one.
#include <gtest/gtest.h>

#include "tests/unit/case_name.hpp"
#include "worker/agent/trial_line.hpp"

namespace hone::worker {
namespace {

template <class T>
T taken(std::string_view text) {
  const auto line = parse_trial_line(text);
  EXPECT_TRUE(line) << text << ": " << line.error().detail;
  return line ? std::get<T>(*line) : T{};
}

// A line was once read through an iterator that had gone: run with the address sanitizer to see it.
TEST(WorkerLine, a_member_is_read_while_it_lives) {
  const auto report = taken<ReportLine>(R"({"report":{"phase":3,"step":400000,"value":471.5}})");
  EXPECT_EQ(report.phase, 3);
  EXPECT_EQ(report.step, 400000);
  EXPECT_EQ(report.score, Score::of(471.5));
}

TEST(WorkerLine, the_phase_may_be_left_out) {
  EXPECT_FALSE(taken<ReportLine>(R"({"report":{"step":1,"value":-2}})").phase);
  EXPECT_FALSE(taken<CheckpointLine>(R"({"checkpoint":{"path":"a","step":1,"phase":null}})").phase);
}

TEST(WorkerLine, a_report_may_say_whether_its_seed_was_applied) {
  const auto line = parse_trial_line(R"({"report":{"step":1,"value":2,"seed_applied":true}})");
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(std::get<ReportLine>(*line).seed_applied, true);
  EXPECT_NE(trial_line_text(*line).find("seed_applied"), std::string::npos);
  EXPECT_FALSE(parse_trial_line(R"({"report":{"step":1,"value":2,"seed_applied":1}})").ok());
}

TEST(WorkerLine, diverged_is_a_value) {
  EXPECT_TRUE(taken<ReportLine>(R"({"report":{"step":1,"value":"diverged"}})").score.is_diverged());
}

TEST(WorkerLine, a_metric_is_a_point) {
  const auto point = taken<MetricPoint>(R"({"metric":{"name":"loss","step":1000,"value":0.31}})");
  EXPECT_EQ(point.name, "loss");
  EXPECT_EQ(point.value, 0.31);
}

// json.dumps writes NaN: such lines were refused, and the run that exploded kept its best value.
TEST(WorkerLine, a_value_is_any_number_that_python_writes) {
  for (const char* value : {"NaN", "Infinity", "-Infinity", "1e400", "\"nan\""}) {
    const auto line =
        taken<ReportLine>("{\"report\":{\"step\":4,\"value\":" + std::string(value) + "}}");
    EXPECT_TRUE(line.score.is_diverged()) << value;
  }
  const auto line = taken<ReportLine>(R"x({"report":{"step":400.0,"value":"np.float64(0.25)"}})x");
  EXPECT_EQ(line.step, 400);
  EXPECT_EQ(line.score, Score::of(0.25));
  EXPECT_EQ(taken<ReportLine>(R"({"report":{"step":1,"value":1e-400}})").score, Score::of(0));
  EXPECT_EQ(taken<ReportLine>(R"({"report":{"step":1,"value":1,"further":[NaN,2]}})").further,
            (std::vector{Score::diverged(), Score::of(2)}));
}

// The worker's own metrics come back from its spool, but not from a program.
TEST(WorkerLine, a_program_may_not_log_the_metrics_of_the_worker) {
  const std::string own = R"({"metric":{"name":"hone.cpu_cores","step":1,"value":8}})";
  EXPECT_TRUE(parse_trial_line(own).ok());
  const auto refused = parse_program_line(own);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().at, "/metric/name");
  EXPECT_NE(refused.error().detail.find("choose another name"), std::string::npos);
  EXPECT_TRUE(parse_program_line(R"({"metric":{"name":"honey","step":1,"value":8}})").ok());
  EXPECT_TRUE(parse_program_line(R"({"report":{"step":1,"value":8}})").ok());
}

struct Refusal {
  const char* text;
  const char* at;
  const char* words;
};

class WorkerLineRefused : public testing::TestWithParam<Refusal> {};

// Everything else is refused with the place and a sentence its author can act on.
TEST_P(WorkerLineRefused, with_its_place) {
  const auto line = parse_trial_line(GetParam().text);
  ASSERT_FALSE(line) << GetParam().text;
  EXPECT_EQ(line.error().at, GetParam().at);
  EXPECT_NE(line.error().detail.find(GetParam().words), std::string::npos) << line.error().detail;
}

INSTANTIATE_TEST_SUITE_P(
    All, WorkerLineRefused,
    testing::Values(
        Refusal{"", "", ""}, Refusal{"[]", "", "one member"}, Refusal{"{}", "", "one member"},
        Refusal{R"({"report":{},"metric":{}})", "", "one member"},
        Refusal{R"({"reprot":{}})", "/reprot", "did you mean 'report'?"},
        Refusal{R"({"report":3})", "/report", "must be an object"},
        Refusal{R"({"report":{"step":1}})", "/report/value", "a number or \"diverged\""},
        Refusal{R"({"report":{"step":1,"value":"high"}})", "/report/value", "\"diverged\""},
        Refusal{R"({"report":{"step":1,"value":nonsense}})", "", ""},
        Refusal{R"({"report":{"step":-1,"value":1}})", "/report/step", "whole number"},
        Refusal{R"({"report":{"step":1.5,"value":1}})", "/report/step", "whole number"},
        Refusal{R"({"report":{"phase":-1,"step":1,"value":1}})", "/report/phase", "whole number"},
        Refusal{R"({"report":{"phase":3000000000,"step":1,"value":1}})", "/report/phase",
                "whole number"},
        Refusal{R"({"report":{"stepp":1,"value":1}})", "/report/stepp", "did you mean 'step'?"},
        Refusal{R"({"checkpoint":{"step":1}})", "/checkpoint/path", "must be a text"},
        Refusal{R"({"checkpoint":{"path":"","step":1}})", "/checkpoint/path", "must be a text"},
        Refusal{R"({"metric":{"name":"","step":1,"value":1}})", "/metric/name", "must be a text"},
        Refusal{R"({"metric":{"name":"a\nb","step":1,"value":1}})", "/metric/name",
                "control characters"},
        Refusal{R"({"metric":{"name":"loss","step":1,"value":"diverged"}})", "/metric/value",
                "finite"}),
    [](const auto& one) { return case_name(one.param.words, one.index); });

TEST(WorkerLine, only_marked_output_is_a_line) {
  EXPECT_EQ(hone_line("@hone {}"), "{}");
  EXPECT_FALSE(hone_line(" @hone {}"));
  EXPECT_FALSE(hone_line("@honest {}"));
}

TEST(WorkerLine, answers_are_one_line) {
  EXPECT_EQ(trial_answer_text(Saved{"ab"}), R"({"saved":{"sha256":"ab"}})");
  EXPECT_EQ(trial_answer_text(Verdict{Action::stop, VerdictReason::evicted, {}}),
            R"({"verdict":"stop","reason":"evicted"})");
  EXPECT_EQ(trial_answer_text(refuse(Code::invalid, "no", "/report")),
            R"({"error":{"code":"invalid","detail":"no","at":"/report"}})");
}

TEST(WorkerLine, a_report_is_written_with_the_members_that_it_has) {
  ReportLine line{0, 10, Score::of(1)};
  EXPECT_EQ(trial_line_text(line), R"({"report":{"step":10,"value":1.0,"phase":0}})");
  line.seconds = 2;
  line.cpu_seconds = 4;
  EXPECT_EQ(trial_line_text(line),
            R"({"report":{"step":10,"value":1.0,"phase":0,"seconds":2.0,"cpu_seconds":4.0}})");
}

TEST(WorkerLine, a_metric_may_have_a_space_in_its_name_and_no_control_character) {
  EXPECT_EQ(taken<MetricPoint>(R"({"metric":{"name":"a b","step":1,"value":1}})").name, "a b");
  EXPECT_FALSE(parse_trial_line(R"({"metric":{"name":"a\tb","step":1,"value":1}})").ok());
  const std::string long_name(101, 'n');
  const auto refused =
      parse_trial_line(R"({"metric":{"name":")" + long_name + R"(","step":1,"value":1}})");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().at, "/metric/name");
  EXPECT_FALSE(parse_trial_line(R"({"metric":{"name":"a","step":9007199254740992,"value":1}})"));
}

}  // namespace
}  // namespace hone::worker
