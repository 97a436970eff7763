// Any sequence of commands, sensible or not, through decide and evolve: a book on which commands
// were refused decides the others as one that never got those, no event breaks a promise of evolve,
// a tick handles the deadline that is due, the aggregate of every trial's seeds is right, and the
// ledger replays to the same book. If the input requests it, a reliable worker then takes over, and
// every sweep that trains must end.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "schemas/codec/event_codec.hpp"
#include "schemas/types/event.hpp"
#include "schemas/types/submit.hpp"
#include "server/engine/book_archive.hpp"
#include "server/sweep/decide.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/sim/honest.hpp"

namespace hone::fuzz {
namespace {

constexpr std::size_t commands_max = 400;
constexpr int steady_turns_max = 5000;

struct Method {
  const char* search;
  const char* rule;
};
constexpr std::array methods{
    Method{"random", "none"},     Method{"hone", "hone"},        Method{"sobol", "hypertrick"},
    Method{"random", "asha"},     Method{"grid", "sha"},         Method{"random", "hyperband"},
    Method{"random", "median"},   Method{"random", "patience"},  Method{"random", "asha_stopping"},
    Method{"sobol", "threshold"}, Method{"random", "percentile"}};

class World {
 public:
  explicit World(Choices choices) : choices_(choices) { perform(Start{"fuzz", seconds(15)}); }

  void play() {
    for (std::size_t i = 0; i < commands_max && !choices_.over(); ++i) {
      const Command command = next();
      if (!perform(command)) continue;
      tick();
    }
    expect_honest();
    if (ledger_.size() % 8 == 0) settle();
    expect_replay();
  }

 private:
  bool perform(const Command& command) {
    const auto events = decide(book_, command, now_);
    if (!events) {
      expect(!events.error().detail.empty(), "a refusal says why");
      return false;
    }
    const auto unspoilt = decide(never_refused_, command, now_);
    expect(unspoilt.ok() && alike(*events, *unspoilt), "a refused command changes nothing");
    for (const EventBody& body : *events) {
      ledger_.push_back(Event{static_cast<std::int64_t>(ledger_.size()) + 1, now_, body});
      evolve(book_, ledger_.back());
      evolve(never_refused_, ledger_.back());
    }
    static_cast<void>(answer(book_, command));
    return true;
  }

  static bool alike(const Events& left, const Events& right) {
    return std::ranges::equal(left, right, [](const EventBody& one, const EventBody& other) {
      return one.index() == other.index() && encode(one) == encode(other);
    });
  }

  void tick() {
    while (true) {
      const auto deadline = next_deadline(book_);
      if (!deadline || *deadline > now_) return;
      const auto events = ledger_.size();
      expect(perform(Tick{}) && ledger_.size() > events, "a tick meets the deadline that is due");
    }
  }

  void expect_replay() const {
    Book again;
    for (const Event& event : ledger_) evolve(again, event);
    expect(archive_book(again) == archive_book(book_), "the ledger replays to the same book");
  }

  void expect_honest() const {
    expect(sim::dishonest_aggregate(book_).empty(), "a trial counts for what its seeds did");
    expect(sim::dishonest_confirmation(book_).empty(), "a confirmation has new seeds");
  }

  [[nodiscard]] bool training() const {
    return std::any_of(book_.open_sweeps.begin(), book_.open_sweeps.end(), [&](SweepId id) {
      return !std::holds_alternative<AskTrainer>(book_.sweeps.at(id).spec.trainer);
    });
  }

  // Without faults: a worker trains every run that it gets until none is left.
  void settle() {
    for (std::int64_t id = 1; id <= book_.last_sweep; ++id)
      perform(Steer{SweepId{id}, {Verb::resume}});
    perform(Join{{"steady", "host", 1, 4, 1, "fuzz"}});
    const WorkerId worker = book_.workers_by_request.at("steady");
    const auto held = book_.leases;
    for (const auto& [id, lease] : held)  // clients that ask return; lost workers do not
      if (lease.expires_at == never) train(id, lease.attempt.run);
    for (int turn = 0; training(); ++turn) {
      expect(turn < steady_turns_max, "every sweep that trains ends");
      const std::string request = "steady-" + std::to_string(turn);
      expect(perform(Acquire{{request, worker, 4, 1, {}}}), "a worker that joined may ask");
      const auto granted = book_.leases_by_request.find(request);
      if (granted != book_.leases_by_request.end())
        train(granted->second, book_.leases.at(granted->second).attempt.run);
      else
        now_ = now_ + seconds(10);
      tick();
    }
    expect_honest();
    expect(sim::waited_for_ever(book_).empty(), "no trial waits permanently for a missing seed");
  }

  void train(LeaseId lease, RunId id) {
    const Run& run = *find_run(book_, id);
    while (book_.leases.contains(lease)) {
      const auto phase = static_cast<int>(run.reports.size());
      const double value = static_cast<double>((run.seed >> static_cast<unsigned>(phase)) % 32U);
      expect(perform(Report{lease, {phase, 10'000 + phase, Score::of(value), {}}}),
             "the next phase of a live lease may be reported");
    }
  }

  std::string request() { return "request-" + std::to_string(choices_.below(64)); }
  LeaseId lease() { return LeaseId{1 + static_cast<std::int64_t>(choices_.below(24))}; }
  Score score() {
    const auto roll = choices_.byte();
    const auto eighth = roll / 8;
    return roll == 255 ? Score::diverged() : Score::of(eighth);
  }

  SweepSpec spec() {
    const Method& method = methods[choices_.below(methods.size())];
    SweepSpec spec;
    spec.name = "fuzz";
    spec.seed = choices_.byte();
    spec.objective = {"score", choices_.below(2) == 0 ? Goal::maximize : Goal::minimize};
    if (choices_.below(4) == 0)
      spec.trainer = AskTrainer{};
    else
      spec.trainer = CommandTrainer{{"train", "${n}"}};
    spec.parameters = {{"n", IntDomain{1, 4, Scale::linear, 1}, ""},
                       {"x", FloatDomain{0, 1, Scale::linear, 0.25}, "n > 2"}};
    spec.search = {method.search, 1 + static_cast<std::int64_t>(choices_.below(8))};
    spec.terminator = {method.rule, {}};
    if (spec.terminator.rule == "threshold")
      spec.terminator.settings = {{"value", 10}, {"phases", 1}};
    spec.budget = {"steps", 1000, 1 + static_cast<int>(choices_.below(9))};
    draw_replicates(spec);
    spec.limits.max_retries = static_cast<int>(choices_.below(3));
    if (choices_.below(4) == 0) spec.limits.duration = seconds(1 + choices_.byte());
    if (choices_.below(4) == 0) spec.checkpoints.keep = Keep::all;
    return spec;
  }

  void draw_replicates(SweepSpec& spec) {
    spec.seeds = 1 + static_cast<int>(choices_.below(3));
    ReplicatesSpec& replicates = spec.replicates;
    const auto shape = choices_.byte();
    if (shape % 2 == 0) replicates.max = spec.seeds + 1 + shape / 2 % 2;
    replicates.race = replicates.max > 0 || shape / 4 % 2 == 0;
    replicates.aggregate = static_cast<Aggregate>(shape / 8 % (spec.seeds > 1 ? 4 : 3));
    if (shape / 32 % 4 == 0)
      replicates.instances =
          InstancesSpec{"game", {std::string("a"), std::string("b")}, {0, 4}, {31, 20}};
    if (replicates.instances && shape / 4 % 2 == 1)
      replicates.instances =
          InstancesSpec{"game", {std::string("a"), std::string("b")}, {}, {}, Normalize::ranks};
    if (shape / 128 == 1) spec.confirm = ConfirmSpec{2, 2};
  }

  Command next() {
    switch (choices_.below(13)) {
      case 0:
        return Submit{{request(), spec(), {}}};
      case 1:
        return Join{{request(), "host", 1, 4, 1, "fuzz"}};
      case 2:
        return Acquire{
            {request(), WorkerId{1 + static_cast<std::int64_t>(choices_.below(4))}, 4, 1, {}}};
      case 3:
      case 4:
      case 5:
        return report();
      case 6:
        return save();
      case 7:
        return end();
      case 8:
        return steer();
      case 9:
        return ask();
      case 10:
        return tell();
      case 11:
        return Confirm{sweep(), {request(), 1 + static_cast<int>(choices_.below(3)), 2}};
      default:
        now_ = now_ + milliseconds(100 * choices_.byte());
        return choices_.below(8) == 0 ? Command(Start{"fuzz", seconds(15)}) : Command(beat());
    }
  }

  Command report() {
    ReportRequest report;
    report.phase = static_cast<int>(choices_.below(10));
    report.step = 100 * report.phase;
    report.score = score();
    return Report{lease(), report};
  }
  Command save() {
    SaveModelRequest save;
    save.sha256 = std::string(64, static_cast<char>('a' + choices_.below(6)));
    save.bytes = 1;
    save.phase = static_cast<int>(choices_.below(9));
    save.step = 10 * save.phase;
    return SaveModel{lease(), save};
  }
  Command end() {
    EndRequest end;
    end.reason = static_cast<EndReason>(choices_.below(reasons));
    end.exit_code = choices_.byte();
    return End{lease(), end};
  }
  Command steer() {
    constexpr std::array verbs{Verb::pause, Verb::resume, Verb::stop, Verb::cancel, Verb::kill};
    return Steer{sweep(), {verbs[choices_.below(verbs.size())]}};
  }
  Command ask() {
    AskRequest ask;
    ask.asker = "asker-" + std::to_string(choices_.below(3));
    return Ask{sweep(), ask};
  }
  Command tell() {
    TellRequest tell;
    tell.told = static_cast<Told>(choices_.below(3));
    if (tell.told == Told::value) tell.score = score();
    if (choices_.below(2) == 0) tell.phase = static_cast<int>(choices_.below(9));
    return Tell{TrialId{1 + static_cast<std::int64_t>(choices_.below(24))}, tell};
  }
  Beat beat() {
    BeatRequest beat;
    for (auto count = choices_.below(3); count > 0; --count) beat.leases.push_back(lease());
    return Beat{WorkerId{1 + static_cast<std::int64_t>(choices_.below(4))}, beat};
  }
  SweepId sweep() { return SweepId{1 + static_cast<std::int64_t>(choices_.below(6))}; }

  static constexpr std::size_t reasons = static_cast<std::size_t>(EndReason::time_limit) + 1;

  Choices choices_;
  Book book_;
  Book never_refused_;  // the same events; the refused commands were not decided on it
  Instant now_{1'700'000'000'000'000};
  std::vector<Event> ledger_;
};

}  // namespace

void feed(const std::uint8_t* data, std::size_t size) { World(Choices(data, size)).play(); }

}  // namespace hone::fuzz
