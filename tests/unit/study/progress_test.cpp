// The study's file in the ledger, and the time that a study has left.
#include "study/results/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "study/file/study_note.hpp"

namespace hone::study {
namespace {

Instant at(std::int64_t s) { return {s * 1'000'000}; }

std::optional<Json> read_from(const std::vector<std::string>& notes) {
  NotedDocuments documents;
  for (const auto& note : notes) documents.add(note);
  return documents.newest();
}

TEST(StudyNote, holds_the_document_of_the_study) {
  const Json document{{"study", "tiny"}, {"question", "a \n```\n quote"}, {"seed", 3}};
  EXPECT_EQ(notes_of(document).size(), 1U);
  EXPECT_EQ(read_from(notes_of(document)), document);
}

TEST(StudyNote, of_a_large_file_has_parts_that_the_ledger_takes) {
  std::string question;
  while (question.size() < 40'000) question += "ä€𝄞x";
  const Json document{{"study", "large"}, {"question", question}};
  auto notes = notes_of(document);
  ASSERT_EQ(notes.size(), 3U);
  for (const auto& note : notes) {
    EXPECT_LE(note.size(), 16'384U);
    EXPECT_TRUE(parse_json(to_text(Json(note))).ok());
    EXPECT_EQ(to_text(Json(note)).find("\\ufffd"), std::string::npos) << "no character is cut";
  }
  EXPECT_EQ(read_from(notes), document);
  std::ranges::reverse(notes);
  EXPECT_EQ(read_from(notes), document);
  notes.pop_back();
  EXPECT_FALSE(read_from(notes).has_value());
}

TEST(StudyNote, of_a_changed_file_counts) {
  auto notes = notes_of({{"study", "tiny"}, {"seed", 1}});
  const auto changed = notes_of({{"study", "tiny"}, {"seed", 2}});
  notes.insert(notes.end(), changed.begin(), changed.end());
  EXPECT_EQ(read_from(notes)->at("seed"), 2);
}

TEST(StudyNote, is_no_other_note) {
  const std::string note = notes_of({{"study", "tiny"}}).front();
  std::string damaged = note;
  damaged[damaged.find("tiny")] = 'T';
  for (const auto& other : {std::string(), std::string("the study file"), "x" + note, damaged,
                            note.substr(0, note.size() - 9), note.substr(0, 40)})
    EXPECT_FALSE(read_from({other}).has_value()) << other;
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
