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
  log(SaveModel{LeaseId{1}, {std::string(64, 'a'), 1, 0, 0}});
  for (const char* request : {"first", "second"}) {
    Evaluate evaluate{ModelId{1}, {}};
    evaluate.request.request_id = request;
    log(evaluate);
  }
  log(Report{LeaseId{1}, {0, 30, Score::of(1)}});
  return past;
}

// Every door to what is attached to an object, by the kind of the object.
std::vector<Command> attaching(const ObjectId& on) {
  std::vector<Command> all{AddNote{{"note " + text(on), on, "text"}},
                           ChangeTags{{on, {"tag"}, {}}}};
  if (const auto* sweep = std::get_if<SweepId>(&on)) all.push_back(Archive{*sweep, {true}});
  if (const auto* trial = std::get_if<TrialId>(&on)) all.push_back(Pin{*trial, {true}});
  if (const auto* model = std::get_if<ModelId>(&on)) {
    Evaluate evaluate{*model, {}};
    evaluate.request.request_id = "evaluate " + text(on);
    all.push_back(evaluate);
  }
  return all;
}

// A sweep, its objects, and a second sweep of whose import the last part is missing.
void expect_only_what_is_there(Given& given) {
  const RunId run{TrialId{1}, 0}, taken{TrialId{2}, 0};
  const std::vector<ObjectId> there{SweepId{1},        TrialId{1},  run,
                                    AttemptId{run, 1}, WorkerId{1}, WorkflowId{1}};
  const std::vector<ObjectId> importing{SweepId{2},          TrialId{2}, taken,
                                        AttemptId{taken, 1}, ModelId{1}, EvaluationId{1},
                                        EvaluationId{2}};
  const RunId next{TrialId{9}, 0};
  const std::vector<ObjectId> future{SweepId{9},           TrialId{9},        next,
                                     RunId{TrialId{1}, 1}, ModelId{9},        WorkerId{9},
                                     DatasetId{9},         WorkflowId{9},     EvaluationId{9},
                                     AttemptId{next, 1},   AttemptId{run, 2}, AttemptId{run, 0}};
  for (const ObjectId& on : there)
    for (const Command& command : attaching(on)) {
      given.when(command);
      EXPECT_FALSE(given.error) << text(on) << ": " << given.error->detail;
    }
  for (const auto& missing : {importing, future})
    for (const ObjectId& on : missing)
      for (const Command& command : attaching(on)) {
        given.when(command);
        ASSERT_TRUE(given.error) << text(on);
        EXPECT_EQ(given.error->code, Code::not_found) << text(on);
        EXPECT_EQ(given.error->detail, "there is no " + text(on));
      }
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
  EXPECT_EQ(here.book.unfinished.at(SweepId{2}).models, (TakenIds{0, 1}));
  EXPECT_EQ(here.book.unfinished.at(SweepId{2}).evaluations, (TakenIds{0, 2}));
  expect_only_what_is_there(here);
  record(parts->last());
  EXPECT_TRUE(here.book.unfinished.empty());
  EXPECT_EQ(here.sweep(SweepId{2}).state, SweepState::completed);
}

}  // namespace
}  // namespace hone
