// How sweeps share slots: the whole rule on a simulated cluster, from submissions to reports. Times
// are virtual; every decision is one of decide().
#include <map>
#include <queue>

#include "server/engine/book_archive.hpp"
#include "server/sweep/state/rules.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

SweepSpec endless(int phases = 20) {
  SweepSpec spec = small_spec(100'000, phases);
  spec.budget.per_run = phases;
  return spec;
}

// Workers that train runs in phases of `phase` seconds, and save a checkpoint at the end of each.
class Cluster : public Given {
 public:
  Cluster(int count, int slots) {
    for (int i = 0; i < count; ++i) {
      const Command command =
          Join{{"worker-" + std::to_string(i), "host", 1, slots, 0, "test", {}, memory, {}}};
      when(command);
      workers_.push_back(std::get<JoinReply>(answer(book, command)).worker);
    }
    slots_ = slots;
  }

  SweepId add(const SweepSpec& spec, double phase_s, bool saves = true) {
    const SweepId id = submit(spec, "submit-" + std::to_string(traits_.size()));
    traits_[id] = {phase_s, saves};
    return id;
  }

  // Until `seconds` from now; `each` is called after every step.
  template <class Each>
  void run_for(double for_s, Each each) {
    const Instant end = now + microseconds(static_cast<std::int64_t>(for_s * 1e6));
    lease_all();
    while (!ends_.empty() && ends_.top().first <= end) {
      const auto [at, lease] = ends_.top();
      ends_.pop();
      now = std::max(now, at);
      renew();
      tick();
      finish_phase(lease);
      lease_all();
      each();
    }
    now = end;
    renew();
    tick();
  }
  void run_for(double for_s) {
    run_for(for_s, [] {});
  }

  // Slot-seconds of a sweep so far.
  [[nodiscard]] double used(SweepId id) const {
    const auto found = used_.find(id);
    double sum = found == used_.end() ? 0 : found->second;
    for (const auto& [lease, since] : live_)
      if (book.leases.at(lease).sweep == id) sum += slot_seconds(id, since);
    return sum;
  }
  [[nodiscard]] std::int64_t held(SweepId id) const { return sweep(id).service.held; }

  static constexpr std::int64_t memory = 8LL << 30;
  int yields = 0;

 private:
  struct Traits {
    double phase_s = 1;
    bool saves = true;
  };

  [[nodiscard]] double slot_seconds(SweepId id, Instant since) const {
    return static_cast<double>((now - since).us) / 1e6 * sweep(id).spec.resources.cpus;
  }
  void renew() {
    for (const WorkerId worker : workers_) {
      BeatRequest request;
      for (const auto& [lease, since] : live_)
        if (book.leases.at(lease).worker == worker) request.leases.push_back(lease);
      when(Beat{worker, request});
    }
  }
  void plan(LeaseId lease, SweepId id) {
    ends_.emplace(now + microseconds(static_cast<std::int64_t>(traits_.at(id).phase_s * 1e6)),
                  lease);
  }
  void lease_all() {
    for (bool again = true; again;) {
      again = false;
      for (const WorkerId worker : workers_) {
        const Command command =
            Acquire{{"offer-" + std::to_string(++offers_), worker, slots_, 0, {}}};
        when(command);
        const auto grant = std::get<std::optional<LeaseGrant>>(answer(book, command));
        if (!grant) continue;
        again = true;
        live_.emplace(grant->lease, now);
        plan(grant->lease, grant->sweep);
      }
    }
  }
  void finish_phase(LeaseId id) {
    const Lease& lease = book.leases.at(id);
    const SweepId of = lease.sweep;
    const RunId run_id = lease.attempt.run;
    const auto phase = static_cast<int>(run(run_id).reports.size());
    if (traits_.at(of).saves)
      when(SaveModel{id, {text(run_id) + std::to_string(phase), 1, phase + 1, phase}});
    const Command command = Report{id, {phase, phase + 1, Score::of(1)}};
    when(command);
    ASSERT_FALSE(error) << error->detail;
    const Verdict verdict = std::get<ReportReply>(answer(book, command)).verdict;
    if (verdict.action == Action::go_on) return plan(id, of);
    if (verdict.reason == VerdictReason::yields) ++yields;
    used_[of] += slot_seconds(of, live_.at(id));
    live_.erase(id);
  }

  using End = std::pair<Instant, LeaseId>;
  std::vector<WorkerId> workers_;
  int slots_ = 1;
  int offers_ = 0;
  std::map<SweepId, Traits> traits_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::map<LeaseId, Instant> live_;
  std::map<SweepId, double> used_;
};

double share_of_first(const Cluster& cluster, SweepId first, SweepId second) {
  return cluster.used(first) / (cluster.used(first) + cluster.used(second));
}

TEST(Turns, equal_sweeps_get_equal_slot_seconds) {
  for (const int slots : {1, 2, 4, 7}) {
    Cluster cluster(1, slots);
    const auto first = cluster.add(endless(), 5);
    const auto second = cluster.add(endless(), 4);
    cluster.run_for(600);
    EXPECT_NEAR(share_of_first(cluster, first, second), 0.5, 0.025) << slots << " slots";
    EXPECT_NEAR(cluster.used(first) + cluster.used(second), 600.0 * slots, 1) << "no slot is idle";
  }
}

TEST(Turns, shares_of_three_and_one) {
  for (const int slots : {1, 2, 4, 8}) {
    Cluster cluster(1, slots);
    SweepSpec heavy = endless();
    heavy.share = 3;
    const auto first = cluster.add(heavy, 5);
    const auto second = cluster.add(endless(), 5);
    cluster.run_for(600);
    EXPECT_NEAR(share_of_first(cluster, first, second), 0.75, 0.0375) << slots << " slots";
  }
}

// Without checkpoints slots change hands only when runs end.
TEST(Turns, shares_hold_for_runs_that_cannot_be_continued) {
  Cluster cluster(2, 4);
  SweepSpec heavy = endless(4);
  heavy.share = 3;
  const auto first = cluster.add(heavy, 5, false);
  const auto second = cluster.add(endless(2), 5, false);
  cluster.run_for(600);
  EXPECT_NEAR(share_of_first(cluster, first, second), 0.75, 0.0375);
  EXPECT_EQ(cluster.yields, 0);
}

TEST(Turns, one_trial_starts_within_a_phase) {
  Cluster cluster(2, 4);
  cluster.add(endless(1000), 10);
  cluster.run_for(600);
  const auto single = cluster.add(small_spec(1, 3), 10);
  cluster.run_for(10.5);
  EXPECT_EQ(cluster.held(single), 1);
  EXPECT_EQ(cluster.yields, 1);
  cluster.run_for(60);
  EXPECT_TRUE(is_end(cluster.sweep(single).state)) << "it kept its slot until its end";
}

TEST(Turns, max_is_never_exceeded_and_min_comes_first) {
  Cluster cluster(3, 4);
  SweepSpec bounded = endless();
  bounded.resources.cpus = 2;
  bounded.slots = {0, 5};
  bounded.share = 100;
  SweepSpec sure = endless();
  sure.slots = {6, std::nullopt};
  const auto most = cluster.add(bounded, 5);
  cluster.add(endless(), 5);
  const auto least = cluster.add(sure, 5);
  std::int64_t highest = 0, lowest = 99;
  cluster.run_for(20);
  cluster.run_for(300, [&] {
    highest = std::max(highest, cluster.held(most));
    lowest = std::min(lowest, cluster.held(least));
  });
  EXPECT_EQ(highest, 4) << "of at most 5 slots, in runs of 2";
  EXPECT_GE(lowest, 6);
}

TEST(Turns, an_edit_cannot_leave_a_run_without_slots) {
  Given given;
  SweepSpec spec = small_spec();
  spec.resources.cpus = 3;
  EditRequest request{"edit"};
  request.slots = SlotsSpec{0, 2};
  const auto id = given.submit(spec);
  given.when(Edit{id, request});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->at, "/slots/max");
  request.slots->max = 3;
  given.when(Edit{id, request});
  EXPECT_FALSE(given.error);
}

// Narrow runs, whose ends never free four slots at once, do not starve a wide one.
TEST(Turns, a_wide_run_gets_its_slots) {
  for (const bool saves : {true, false}) {
    Cluster cluster(2, 4);
    for (int i = 0; i < 3; ++i) cluster.add(endless(3), 3 + i, saves);
    SweepSpec wide = endless(3);
    wide.resources.cpus = 4;
    const auto id = cluster.add(wide, 5, saves);
    cluster.run_for(900);
    EXPECT_GT(cluster.used(id), 0.7 * 900 * 8 / 4) << "of a quarter";
    double all = 0;
    for (const auto& [sweep, one] : cluster.book.sweeps) all += cluster.used(sweep);
    EXPECT_GT(all, 0.85 * 900 * 8) << "few slots are idle while they are kept for it";
  }
}

TEST(Turns, a_late_sweep_gets_more_and_leaves_the_others_a_part) {
  Cluster cluster(1, 10);
  SweepSpec late = endless(10);
  late.search.trials = 400;
  late.by = Deadline{.after = seconds(600)};
  const auto hurried = cluster.add(late, 1);
  const auto other = cluster.add(endless(), 1);
  cluster.run_for(300);
  const double share = share_of_first(cluster, hurried, other);
  EXPECT_GT(share, 0.6) << "half of the slots give 5 of the 6.7 that it needs: a weight of 2";
  EXPECT_LT(share, 0.85);
  cluster.run_for(400);
  EXPECT_TRUE(is_end(cluster.sweep(hurried).state));
}

TEST(Turns, a_deadline_in_reach_changes_nothing) {
  Cluster cluster(1, 10);
  SweepSpec early = endless(10);
  early.search.trials = 100;
  early.by = Deadline{.after = seconds(6000)};
  const auto first = cluster.add(early, 1);
  const auto second = cluster.add(endless(), 1);
  cluster.run_for(100);
  EXPECT_NEAR(share_of_first(cluster, first, second), 0.5, 0.025);
}

// Idle time is not saved: after an hour in which it wanted one slot, a sweep is behind by no more
// than credit_max.
TEST(Turns, a_sweep_saves_little_while_it_wants_little) {
  Cluster cluster(1, 4);
  SweepSpec modest = endless();
  modest.limits.concurrency = 1;
  const auto first = cluster.add(modest, 5);
  const auto second = cluster.add(endless(), 5);
  cluster.run_for(3600);
  cluster.when(Edit{first, {"edit", std::nullopt, 0}});
  const double before_first = cluster.used(first), before_second = cluster.used(second);
  cluster.run_for(1200);
  const double first_got = cluster.used(first) - before_first;
  const double second_got = cluster.used(second) - before_second;
  EXPECT_GT(second_got, first_got - 2 * credit_max);
  EXPECT_GT(second_got, 0.25 * (first_got + second_got));
}

TEST(Turns, the_ledger_records_why_a_sweep_came_first) {
  Cluster cluster(1, 1);
  SweepSpec heavy = endless();
  heavy.share = 3;
  cluster.add(heavy, 5);
  const auto second = cluster.add(endless(), 5);
  cluster.run_for(100);
  const Command command = Acquire{{"more", WorkerId{1}, 1, 0, {}}};
  EndRequest over;
  over.reason = EndReason::exited_early;
  for (const auto& [id, lease] : std::map(cluster.book.leases)) cluster.when(End{id, over});
  const Events events = cluster.when(command);
  ASSERT_TRUE(std::holds_alternative<LeaseGranted>(events.back()));
  const auto& turn = std::get<LeaseGranted>(events.back()).turn;
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->rule, TurnRule::share);
  EXPECT_EQ(turn->waiting, 1);
  EXPECT_TRUE(turn->next == second || turn->weight == 1);
}

// The same events make the same book, and the same commands the same events.
TEST(Turns, replay_decides_alike) {
  const auto play = [] {
    Cluster cluster(2, 3);
    SweepSpec heavy = endless(7);
    heavy.share = 2;
    heavy.by = Deadline{.after = seconds(100)};
    heavy.search.trials = 30;
    cluster.add(heavy, 3);
    cluster.add(endless(5), 4);
    cluster.add(endless(3), 2, false);
    cluster.run_for(200);
    return std::tuple(archive_book(cluster.book), cluster.seq, cluster.yields);
  };
  EXPECT_EQ(play(), play());
}

// Random clusters: no sweep exceeds its maximum, no slot is idle while a run waits, and every sweep
// has its share of the slots within what single runs allow.
TEST(Turns, random_clusters_are_fair) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed, Purpose::simulation, 0);
    const auto pick = [&](int from, int to) {
      return from + static_cast<int>(rng.uniform() * (to - from + 1));
    };
    const int workers = pick(1, 3), slots = pick(2, 6), count = pick(2, 4);
    Cluster cluster(workers, slots);
    std::map<SweepId, int> shares;
    for (int i = 0; i < count; ++i) {
      SweepSpec spec = endless(pick(5, 50));
      spec.share = pick(1, 4);
      shares[cluster.add(spec, pick(1, 6))] = *spec.share;
    }
    cluster.run_for(900);
    double sum = 0, used = 0;
    for (const auto& [id, share] : shares) sum += share, used += cluster.used(id);
    EXPECT_NEAR(used, 900.0 * workers * slots, 5) << "seed " << seed;
    for (const auto& [id, share] : shares)
      EXPECT_NEAR(cluster.used(id) / used, share / sum, 0.05) << "seed " << seed << text(id);
  }
}

// Each of its narrow runs frees one slot: fewer than the wide run needs.
TEST(Turns, runs_that_never_end_give_their_slots_to_a_wide_run_together) {
  Cluster cluster(1, 2);
  cluster.add(endless(), 61);
  SweepSpec wide = endless();
  wide.resources.cpus = 2;
  const auto id = cluster.add(wide, 10);
  cluster.run_for(200);
  EXPECT_GE(cluster.yields, 2);
  EXPECT_GT(cluster.used(id), 0);
}

}  // namespace
}  // namespace hone
