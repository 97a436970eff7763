// A worker that repeats itself: how much one attempt may record, by every command of a lease.
#include "server/sweep/state/attempt_limits.hpp"

#include <functional>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

// The repetition number `i` of each command that names a lease, as different from the others as a
// hostile worker can make it. A new command needs a row here to compile.
Command repeated(std::type_identity<Report>, LeaseId lease, int i) {
  return Report{lease, {i % 4, i, Score::of(i)}};
}
Command repeated(std::type_identity<SaveModel>, LeaseId lease, int i) {
  return SaveModel{lease, {"model " + std::to_string(i), 1, i, 0}};
}
Command repeated(std::type_identity<LogMetrics>, LeaseId lease, int) {
  return LogMetrics{lease, {}};
}
Command repeated(std::type_identity<SaveArtifact>, LeaseId lease, int i) {
  return SaveArtifact{lease, {"file", "content " + std::to_string(i), 1}};
}
Command repeated(std::type_identity<RecordCode>, LeaseId lease, int i) {
  WorkflowInfo code;
  code.patch_sha256 = std::to_string(i);
  return RecordCode{lease, {code}};
}
Command repeated(std::type_identity<End>, LeaseId lease, int) {
  return End{lease, {EndReason::exit_code, 1, "it broke", {}}};
}

struct Repeated {
  std::size_t events = 0;
  std::optional<Error> refused;
};

Repeated repeat(Given& given, const std::function<Command(int)>& command, int count) {
  Repeated all;
  for (int i = 0; i < count; ++i) {
    all.events += given.when(command(i)).size();
    if (given.error) all.refused = given.error;
  }
  return all;
}

// As if the attempt had recorded all but a few of what it may.
void nearly_exhaust(Given& given, LeaseId lease) {
  const RunId run = given.book.run_of_lease.at(*lease_index(given.book, lease));
  AttemptTally& tally = given.book.trials.at(run.trial).second.runs.at(0).tally;
  tally.codes = attempt_limits::codes.most - 4;
  tally.models = attempt_limits::models.most - 4;
  tally.files = attempt_limits::files.most - 4;
}

template <class T>
void expect_bounded() {
  if constexpr (requires(T command) {
                  { command.lease } -> std::same_as<LeaseId&>;
                }) {
    for (const bool ended : {false, true}) {
      Given given;
      given.submit(small_spec(1, 3));
      const LeaseId lease = given.acquire(given.join(), "a")->lease;
      if (ended)
        for (int phase = 0; phase < 3; ++phase) given.report(lease, phase, Score::of(1));
      nearly_exhaust(given, lease);
      int next = 0;
      const auto command = [&](int) { return repeated(std::type_identity<T>{}, lease, next++); };
      repeat(given, command, 20);
      EXPECT_EQ(repeat(given, command, 50).events, 0U)
          << typeid(T).name() << (ended ? " after the end" : "");
    }
  }
}

template <std::size_t... I>
void expect_all_bounded(std::index_sequence<I...>) {
  (expect_bounded<std::variant_alternative_t<I, Command>>(), ...);
}

TEST(AttemptLimits, every_command_of_a_lease_makes_few_events_however_often_it_comes) {
  expect_all_bounded(std::make_index_sequence<std::variant_size_v<Command>>{});
}

template <class T>
std::string limit_refusal() {
  Given given;
  given.submit(small_spec(1, 3));
  const LeaseId lease = given.acquire(given.join(), "a")->lease;
  nearly_exhaust(given, lease);
  const auto command = [&](int i) { return repeated(std::type_identity<T>{}, lease, i); };
  EXPECT_FALSE(repeat(given, command, 4).refused) << "the last ones are accepted";
  const auto refused = repeat(
                           given, [&](int) { return command(4); }, 1)
                           .refused;
  EXPECT_TRUE(refused && refused->code == Code::conflict);
  const Repeated again = repeat(
      given, [&](int) { return command(3); }, 1);
  EXPECT_FALSE(again.refused) << "what was recorded is repeated after a lost reply";
  EXPECT_EQ(again.events, 0U);
  return refused ? refused->detail : "";
}

TEST(AttemptLimits, a_refusal_names_the_limit) {
  EXPECT_EQ(limit_refusal<RecordCode>(),
            "an attempt records at most 8 versions of its code: the next attempt may record more");
  EXPECT_EQ(limit_refusal<SaveModel>(),
            "an attempt records at most 20000 checkpoints: the next attempt may record more");
  EXPECT_EQ(limit_refusal<SaveArtifact>(),
            "an attempt records at most 10000 versions of its files: the next attempt may record "
            "more");
}

// The worker of a run that ended recorded the code of its end as often as it sent it.
TEST(AttemptLimits, the_code_of_the_end_was_recorded_with_every_repetition) {
  Given given;
  given.submit(small_spec(1, 1));
  const LeaseId lease = given.acquire(given.join(), "a")->lease;
  given.report(lease, 0, Score::of(1));
  const Command code = repeated(std::type_identity<RecordCode>{}, lease, 1);
  EXPECT_EQ(given.when(code).size(), 2U);
  EXPECT_EQ(given.when(code).size(), 0U);
}

TEST(AttemptLimits, the_next_attempt_begins_again) {
  Given given;
  given.submit(small_spec(1, 3));
  const WorkerId worker = given.join();
  const LeaseId lease = given.acquire(worker, "a")->lease;
  const auto code = [](LeaseId of, int i) {
    return repeated(std::type_identity<RecordCode>{}, of, i);
  };
  EXPECT_TRUE(repeat(
                  given, [&](int i) { return code(lease, i); }, 20)
                  .refused);
  EndRequest end{EndReason::exit_code, 1, "it broke", {}};
  end.failure = Failure::infra;
  given.when(End{lease, end});
  given.rest();
  const auto again = given.acquire(worker, "b");
  ASSERT_TRUE(again);
  given.when(code(again->lease, 30));
  EXPECT_FALSE(given.error);
}

}  // namespace
}  // namespace hone
