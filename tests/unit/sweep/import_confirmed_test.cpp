// The link of an imported confirmation. Given two servers, when a document is imported, then its
// sweep confirms the one that was imported before, or the document is refused.
#include "server/sweep/history/renumber.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

// Logs the events of its sweeps, as a document has them.
struct There : Given {
  SweepPast tuned, confirmation;

  There() : There(Empty{}) {
    log(tuned, Submit{{"submit", small_spec(3, 2), {}}});
    train(tuned);
    log(confirmation, Confirm{SweepId{1}, {"confirm", 2, 2}});
    train(confirmation);
    finish();
  }

  void log(SweepPast& past, const Command& command) {
    now = now + seconds(1);
    for (const EventBody& body : when(command))
      if (!std::holds_alternative<WorkflowRecorded>(body) &&
          !std::holds_alternative<DatasetRecorded>(body))
        past.events.push_back(Event{0, now, body});
  }
  void train(SweepPast& past) {
    while (true) {
      const Command command = Acquire{{"a" + std::to_string(++asked_), worker(), 1, 0, {}}};
      log(past, command);
      const auto grant = std::get<std::optional<LeaseGrant>>(answer(book, command));
      if (!grant) return;
      for (int phase = 0; phase < 2; ++phase)
        log(past, Report{grant->lease,
                         {phase, 15 * (phase + 1),
                          Score::of(static_cast<double>(grant->attempt.run.trial.value))}});
    }
  }

 protected:
  struct Empty {};
  explicit There(Empty) {
    tuned.workers.push_back({"", "host", 1, 2, 0, "test"});
    confirmation.workers = tuned.workers;
  }
  WorkerId worker() {
    if (worker_ == WorkerId{}) worker_ = join();
    return worker_;
  }
  void finish() {
    PastConfirmed confirms{sweep(SweepId{1}).submitted_at, sweep(SweepId{1}).spec.seed, {}};
    for (std::int64_t number = 1; const auto of = origin_of(confirmation, number); ++number)
      confirms.trials.push_back({TrialId{number}, *of});
    confirmation.confirms = confirms;
    renumber_all(tuned);
    renumber_all(confirmation);
  }

 private:
  static std::optional<TrialId> origin_of(const SweepPast& past, std::int64_t number) {
    for (const Event& event : past.events)
      if (const auto* e = std::get_if<TrialProposed>(&event.body); e && e->number == number - 1)
        return e->from;
    return std::nullopt;
  }
  static void renumber_all(SweepPast& past) {
    Renumbering ids;
    ids.sweep = SweepId{1};
    ids.workflow = WorkflowId{1};
    ids.worker[WorkerId{1}] = WorkerId{1};
    for (Event& event : past.events) ASSERT_TRUE(renumber(event.body, ids));
  }

  WorkerId worker_{};
  int asked_ = 0;
};

TEST(ImportConfirmed, names_the_sweep_and_the_trials_of_this_server) {
  const There there;
  Given here;
  here.submit(small_spec(1), "own");
  here.acquire(here.join(), "own");
  here.when(Import{{"tuned", there.tuned}});
  ASSERT_FALSE(here.error) << here.error->detail;
  const Events events = here.when(Import{{"confirmation", there.confirmation}});
  ASSERT_FALSE(here.error) << here.error->detail << here.error->at;
  const auto& imported = std::get<SweepImported>(events.back());
  EXPECT_EQ(imported.confirms, SweepId{2});
  EXPECT_EQ(here.sweep(SweepId{2}).confirmed_by, std::vector<SweepId>{imported.sweep});
  int proposed = 0;
  for (const Event& event : imported.past)
    if (const auto* e = std::get_if<TrialProposed>(&event.body)) {
      ++proposed;
      ASSERT_TRUE(e->from);
      EXPECT_EQ(find_trial(here.book, *e->from)->params, e->params);
      EXPECT_EQ(here.book.trials.at(*e->from).first, SweepId{2});
    }
  EXPECT_EQ(proposed, 2);
}

TEST(ImportConfirmed, is_refused_without_the_sweep_that_it_confirms) {
  const There there;
  Given here;
  EXPECT_TRUE(here.when(Import{{"confirmation", there.confirmation}}).empty());
  ASSERT_TRUE(here.error);
  EXPECT_EQ(here.error->code, Code::not_found);
  SweepPast alone = there.confirmation;
  alone.confirms.reset();
  here.when(Import{{"alone", alone}});
  EXPECT_FALSE(here.error);
}

TEST(ImportConfirmed, counts_no_seed_twice) {
  const There there;
  Given here;
  here.when(Import{{"tuned", there.tuned}});
  here.when(Import{{"confirmation", there.confirmation}});
  here.when(Import{{"again", there.confirmation}});
  ASSERT_TRUE(here.error);
  EXPECT_EQ(here.error->code, Code::conflict);
}

TEST(ImportConfirmed, refuses_trials_that_do_not_fit) {
  const There there;
  for (const Retrained one :
       {Retrained{{9}, {1}}, Retrained{{1}, {9}}, Retrained{{1}, {0}}, Retrained{{1}, {1}}}) {
    Given here;
    here.when(Import{{"tuned", there.tuned}});
    SweepPast past = there.confirmation;
    past.confirms->trials = {one};  // the first confirms the third: the best value
    here.when(Import{{"confirmation", past}});
    ASSERT_TRUE(here.error) << text(one.trial) << " of " << text(one.of);
    EXPECT_EQ(here.error->at, "/export/confirms/trials/0");
  }
}

// A run of four phases and its fork after the second, which is confirmed.
struct ThereForked : There {
  ThereForked() : There(Empty{}) {
    SweepSpec spec = small_spec(2, 4);
    spec.trainer = CommandTrainer{.argv = {"train", "${x}"}, .may_change = {"x"}};
    log(tuned, Submit{{"submit", spec, {}}});
    const LeaseGrant first = lease(tuned);
    phase(tuned, first, 0, 1);
    phase(tuned, first, 1, 2);
    log(tuned, Enqueue{SweepId{1},
                       {"fork", {{"x", 0.125}}, std::nullopt, ForkRequest{first.attempt.run}}});
    phase(tuned, first, 2, 1);
    phase(tuned, first, 3, 1);
    const LeaseGrant fork = lease(tuned);
    phase(tuned, fork, 2, 7);
    phase(tuned, fork, 3, 9);
    log(confirmation, Confirm{SweepId{1}, {"confirm", 1, 2}});
    for (int seed = 0; seed < 2; ++seed)
      for (int part = 0; part < 2; ++part) {
        const LeaseGrant grant = lease(confirmation);
        phase(confirmation, grant, 2 * part, 1);
        phase(confirmation, grant, 2 * part + 1, 1);
      }
    finish();
  }

 private:
  LeaseGrant lease(SweepPast& past) {
    const Command command = Acquire{{"f" + std::to_string(++leased_), worker(), 1, 0, {}}};
    log(past, command);
    const auto grant = std::get<std::optional<LeaseGrant>>(answer(book, command));
    EXPECT_TRUE(grant.has_value());
    return grant.value_or(LeaseGrant{});
  }
  void phase(SweepPast& past, const LeaseGrant& to, int number, double value) {
    const std::string digest = std::to_string(1000 * leased_ + number);
    log(past,
        SaveModel{to.lease,
                  {std::string(64 - digest.size(), 'a') + digest, 10, 10 * (number + 1), number}});
    log(past, Report{to.lease, {number, 10 * (number + 1), Score::of(value)}});
  }

  int leased_ = 0;
};

TEST(ImportConfirmed, knows_the_schedule_of_a_fork) {
  const ThereForked there;
  Given here;
  here.when(Import{{"tuned", there.tuned}});
  ASSERT_FALSE(here.error) << here.error->detail;
  here.when(Import{{"confirmation", there.confirmation}});
  ASSERT_FALSE(here.error) << here.error->detail << here.error->at;
  EXPECT_EQ(here.sweep(SweepId{1}).confirmed_by, std::vector<SweepId>{SweepId{2}});

  SweepPast changed = there.confirmation;
  for (Event& event : changed.events)
    if (auto* e = std::get_if<TrialProposed>(&event.body))
      e->schedule.at(0).params.at(0).value = 0.25;
  Given other;
  other.when(Import{{"tuned", there.tuned}});
  other.when(Import{{"confirmation", changed}});
  ASSERT_TRUE(other.error);
  EXPECT_EQ(other.error->at, "/export/confirms/trials/0");
}

TEST(ImportConfirmed, refusals_name_the_sweep_of_this_server) {
  const There there;
  Given here;
  here.submit(small_spec(1), "own");
  here.acquire(here.join(), "own");
  here.when(Import{{"tuned", there.tuned}});
  here.when(Import{{"confirmation", there.confirmation}});
  ASSERT_FALSE(here.error) << here.error->detail;
  here.when(Confirm{SweepId{3}, {"again", 1, 2}});
  ASSERT_TRUE(here.error);
  EXPECT_NE(here.error->detail.find("sw_2"), std::string::npos) << here.error->detail;
  EditRequest more{.request_id = "more"};
  more.trials = 9;
  here.when(Edit{SweepId{3}, more});
  ASSERT_TRUE(here.error);
  EXPECT_NE(here.error->detail.find("hone confirm sw_2"), std::string::npos) << here.error->detail;
}

}  // namespace
}  // namespace hone
