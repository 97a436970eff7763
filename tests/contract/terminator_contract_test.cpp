// What every terminator promises, whatever its row. A new row runs by itself.
#include <gtest/gtest.h>

#include "server/search/rng.hpp"
#include "server/search/terminator.hpp"

namespace hone {

void PrintTo(const TerminatorRow& row, std::ostream* out) { *out << row.rule; }

namespace {

class TerminatorContract : public testing::TestWithParam<TerminatorRow> {
 protected:
  static constexpr Plan plan{64, 8};
  std::unique_ptr<Terminator> rule_ =
      std::move(GetParam().make({std::string(GetParam().rule), {}}, plan)).value();
};

TEST_P(TerminatorContract, is_recomputed_from_its_inputs_alone_and_explains_itself) {
  History history(Goal::maximize);
  Rng rng(1, Purpose::simulation, 0);
  for (int run = 0; run < plan.runs; ++run) {
    history.add_trial({});
    for (int phase = 0; phase < plan.phases - 1; ++phase) {
      const Score score = Score::of(rng.normal());
      const Verdict verdict = rule_->judge(history, phase, score);
      EXPECT_EQ(rule_->judge(history, phase, score), verdict);  // stateless
      EXPECT_EQ(rule_->recompute(verdict.inputs), verdict.action);
      EXPECT_FALSE(rule_->explain(verdict).empty());
      history.add_report(static_cast<std::size_t>(run), phase, score);
    }
  }
}

TEST_P(TerminatorContract, never_stops_the_first_report_of_a_phase) {
  History history(Goal::maximize);
  EXPECT_EQ(rule_->judge(history, 0, Score::of(-1e9)).action, Action::go_on);
}

TEST_P(TerminatorContract, expects_no_more_phases_than_there_are) {
  EXPECT_GT(rule_->expected_phases(), 0);
  EXPECT_LE(rule_->expected_phases(), plan.phases);
}

TEST_P(TerminatorContract, refuses_a_setting_it_does_not_have) {
  const auto made = GetParam().make({std::string(GetParam().rule), {{"no_such_setting", 1}}}, plan);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().at, "/terminator/no_such_setting");
}

INSTANTIATE_TEST_SUITE_P(Rows, TerminatorContract,
                         testing::ValuesIn(terminator_table().begin(), terminator_table().end()),
                         [](const auto& row) { return std::string(row.param.rule); });

}  // namespace
}  // namespace hone
