// A sweep's past, taken in elsewhere: with ids of there, at the times of here, and nothing else
// harmed by a document that does not fit.
#include "server/sweep/history/renumber.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

// The events of a whole small sweep, as a document has them.
struct Exported : Given {
  SweepPast past;

  Exported() {
    submit(small_spec(2, 2));
    const WorkerId worker = join();
    for (int i = 0; i < 2; ++i) {
      const auto grant = acquire_logged(worker, "a" + std::to_string(i));
      for (int phase = 0; phase < 2; ++phase)
        log(Report{grant->lease, {phase, 15 * (phase + 1), Score::of(i + phase)}});
    }
    past.workers.push_back({"", "host", 1, 2, 0, "test"});
  }

  std::optional<LeaseGrant> acquire_logged(WorkerId worker, const std::string& request) {
    const Command command = Acquire{{request, worker, 1, 0, {}}};
    log(command);
    return std::get<std::optional<LeaseGrant>>(answer(book, command));
  }
  void log(const Command& command) {
    now = now + seconds(1);
    for (const EventBody& body : when(command)) past.events.push_back(Event{0, now, body});
  }
  SweepId submit(const SweepSpec& spec) {
    const Command command = Submit{{"submit", spec, {}}};
    for (const EventBody& body : when(command))
      if (std::holds_alternative<SweepSubmitted>(body)) past.events.push_back(Event{0, now, body});
    return SweepId{1};
  }
};

TEST(Import, a_past_is_folded_as_it_was) {
  const Exported there;
  Given here;
  here.submit(small_spec(1), "own");
  here.acquire(here.join(), "own");
  const auto events = here.when(Import{{"import", there.past}});
  ASSERT_FALSE(here.error) << here.error->detail << here.error->at;
  ASSERT_FALSE(events.empty());
  const Sweep& sweep = here.book.sweeps.at(SweepId{2});
  EXPECT_EQ(sweep.state, SweepState::completed);
  EXPECT_EQ(sweep.trials, (std::vector<TrialId>{{2}, {3}}));
  const hone::Run& run = here.book.trials.at(TrialId{3}).second.runs.at(0);
  EXPECT_EQ(run.reports.size(), 2U);
  EXPECT_EQ(run.last_lease, LeaseId{3});
  EXPECT_EQ(here.book.leases.size(), 1U);  // its own
  EXPECT_TRUE(here.when(Import{{"import", there.past}}).empty());
  EXPECT_EQ(std::get<Submitted>(answer(here.book, Import{{"import", there.past}})).sweep,
            SweepId{2});
}

TEST(Import, no_document_can_harm_the_server) {
  const Exported there;
  for (std::size_t left_out = 0; left_out < there.past.events.size(); ++left_out)
    for (const bool twice : {false, true}) {
      SweepPast past = there.past;
      const auto at = past.events.begin() + static_cast<std::ptrdiff_t>(left_out);
      if (twice)
        past.events.insert(at, *at);
      else
        past.events.erase(at);
      Given here;
      here.when(Import{{"import", past}});  // must not end the process
      if (here.error) {
        EXPECT_TRUE(here.book.sweeps.empty());
      }
    }
}

TEST(Import, a_sweep_that_goes_on_is_refused) {
  Exported there;
  there.past.events.pop_back();
  Given here;
  here.when(Import{{"import", there.past}});
  ASSERT_TRUE(here.error);
  EXPECT_NE(here.error->detail.find("had not ended"), std::string::npos) << here.error->detail;
}

TEST(Import, agreements_of_ranks_that_cannot_be_are_refused) {
  using Tenths = std::vector<RankAgreement>;
  for (const auto& tenths : {Tenths(8, {0.5, 0.1}), Tenths(10, {0.5, 0.1}), Tenths(9, {1.5, 0.1}),
                             Tenths(9, {0.5, -0.1})}) {
    Exported there;
    std::get<SweepSubmitted>(there.past.events.front().body).rank_prior = RankPrior{3, tenths};
    Given here;
    here.when(Import{{"import", there.past}});
    ASSERT_TRUE(here.error);
    EXPECT_NE(here.error->detail.find("agreements of ranks"), std::string::npos);
  }
  Exported there;
  Tenths nine(9, {0.5, 0.1});
  nine.front() = {-1, 0};
  nine.back() = {1, 0.1};
  const RankPrior prior{3, nine};
  std::get<SweepSubmitted>(there.past.events.front().body).rank_prior = prior;
  Given here;
  here.when(Import{{"import", there.past}});
  ASSERT_FALSE(here.error) << here.error->detail;
  EXPECT_EQ(here.book.sweeps.at(SweepId{1}).rank_prior, prior);
}

TEST(Import, telemetry_of_no_run_is_refused) {
  Exported there;
  there.past.metrics.push_back({RunId{{9}, 0}, "loss", {}});
  Given here;
  here.when(Import{{"import", there.past}});
  ASSERT_TRUE(here.error);
  EXPECT_EQ(here.error->at, "/export/metrics/0/run");
}

TEST(Renumber, there_and_back_is_the_same) {
  const Exported there;
  Renumbering ids;
  ids.sweep = SweepId{9};
  ids.trials = 100;
  ids.worker[WorkerId{1}] = WorkerId{7};
  for (const Event& event : there.past.events) {
    EventBody body = event.body;
    EXPECT_TRUE(renumber(body, ids));
  }
  EXPECT_EQ(ids.trials, 102);
  EXPECT_EQ(ids.leases, 2);
  EventBody foreign = RunStarted{LeaseId{77}};
  EXPECT_FALSE(renumber(foreign, ids));
}

TEST(Import, evaluations_are_numbered_after_those_of_this_server) {
  const auto evaluation = [](std::int64_t model) {
    return Evaluate{ModelId{model}, {"evaluation", {"return", {3}}}};
  };
  const auto checkpoint = [](LeaseId lease, int phase) {
    return SaveModel{lease, {std::string(64, 'a'), 10, 15 * (phase + 1), phase}};
  };
  Exported there;
  there.log(checkpoint(LeaseId{2}, 1));
  there.log(evaluation(1));
  Given here;
  here.submit(small_spec(1), "own");
  here.when(checkpoint(here.acquire(here.join(), "own")->lease, 0));
  here.when(evaluation(1));
  ASSERT_EQ(here.book.last_evaluation, 1);
  const Events events = here.when(Import{{"import", there.past}});
  ASSERT_FALSE(here.error) << here.error->detail << here.error->at;
  const auto& past = std::get<SweepImported>(events.back()).past;
  const auto found = std::ranges::find_if(
      past, [](const Event& event) { return std::holds_alternative<ModelEvaluated>(event.body); });
  ASSERT_NE(found, past.end());
  EXPECT_EQ(std::get<ModelEvaluated>(found->body).evaluation, EvaluationId{2});
}

}  // namespace
}  // namespace hone
