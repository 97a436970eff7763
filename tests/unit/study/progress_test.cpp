// The study's file in the ledger, and the time that a study has left.
#include "study/results/progress.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "study/file/study_note.hpp"

namespace hone::study {
namespace {

Instant at(std::int64_t s) { return {s * 1'000'000}; }

TEST(StudyNote, holds_the_document_of_the_study) {
  const Json document{{"study", "tiny"}, {"question", "a \n```\n quote"}, {"seed", 3}};
  const auto read = document_of(note_of(document));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, document);
}

TEST(StudyNote, is_no_other_note) {
  const std::string note = note_of({{"study", "tiny"}});
  for (const auto& other : {std::string(), std::string("the study file"), "x" + note,
                            note.substr(0, note.size() - 9), note.substr(0, 40)})
    EXPECT_FALSE(document_of(other).has_value()) << other;
}

TEST(StudyTimeLeft, follows_the_mean_pace_of_few_outcomes_from_the_first_sweep) {
  const auto left = time_left({at(100), at(0)}, {at(20), at(10)}, 5, at(40));
  ASSERT_TRUE(left.has_value());
  EXPECT_EQ(*left, seconds(60));  // 20 s each, of which three are missing
}

TEST(StudyTimeLeft, follows_the_last_twenty_of_many) {
  std::vector<Instant> ends;
  for (int i = 0; i < 30; ++i) ends.push_back(at(i < 10 ? 1000 * i : 9000 + i - 9));
  const auto left = time_left({at(0)}, ends, 40, at(9020));
  ASSERT_TRUE(left.has_value());
  EXPECT_EQ(*left, seconds(10));
}

TEST(StudyTimeLeft, is_unknown_before_an_end_and_after_the_last) {
  EXPECT_FALSE(time_left({at(0)}, {}, 4, at(9)).has_value());
  EXPECT_FALSE(time_left({}, {at(1)}, 4, at(9)).has_value());
  EXPECT_FALSE(time_left({at(0)}, {at(1), at(2)}, 2, at(9)).has_value());
}

}  // namespace
}  // namespace hone::study
