// A large import: a part for each of its events.
#include "server/sweep/history/import_parts.hpp"

#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

SweepPast past_of_one_trial() {
  Given there;
  SweepPast past;
  past.workers.push_back({"", "host", 1, 2, 0, "test"});
  const auto log = [&](const Command& command) {
    there.now = there.now + seconds(1);
    for (const EventBody& body : there.when(command))
      if (!std::holds_alternative<WorkflowRecorded>(body))
        past.events.push_back(Event{0, there.now, body});
  };
  log(Submit{{"submit", small_spec(1, 1), {}}});
  log(Acquire{{"acquire", there.join(), 1, 0, {}}});
  log(Report{LeaseId{1}, {0, 30, Score::of(1)}});
  return past;
}

TEST(ImportParts, the_first_takes_the_ids_of_all_until_the_last_is_recorded) {
  Given here;
  here.submit(small_spec(1), "own");
  here.acquire(here.join(), "own");
  const auto record = [&](const EventBody& body) {
    here.ledger.push_back({++here.seq, here.now, body});
    evolve(here.book, here.ledger.back());
  };
  auto parts = ImportParts::plan(here.book, Import{{"import", past_of_one_trial()}});
  ASSERT_TRUE(parts) << parts.error().detail;
  bool first = true;
  while (!parts->is_done())
    for (const EventBody& body : parts->next(1)) {
      const auto* part = std::get_if<SweepImported>(&body);
      if (part != nullptr) {
        EXPECT_EQ(part->ids.has_value(), std::exchange(first, false));
      }
      record(body);
    }
  ASSERT_TRUE(here.book.unfinished.contains(SweepId{2}));
  EXPECT_EQ(here.book.unfinished.at(SweepId{2}).trials, (TakenIds{1, 1}));
  record(parts->last());
  EXPECT_TRUE(here.book.unfinished.empty());
  EXPECT_EQ(here.sweep(SweepId{2}).state, SweepState::completed);
}

}  // namespace
}  // namespace hone
