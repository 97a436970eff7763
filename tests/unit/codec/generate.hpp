// Random but repeatable bodies for the codec's round trips: awkward numbers, awkward texts, every
// enumerator.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "schemas/codec/words.hpp"
#include "schemas/types/event.hpp"
#include "schemas/types/wire.hpp"

namespace hone {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : bits_(seed) {}

  std::int64_t integer(std::int64_t min, std::int64_t max) {
    return std::uniform_int_distribution<std::int64_t>(min, max)(bits_);
  }
  int small(int min, int max) { return static_cast<int>(integer(min, max)); }
  bool coin() { return integer(0, 1) == 1; }
  MachineSample sample() {
    const auto share = [this] {
      return coin() ? std::optional(static_cast<double>(integer(0, 8)) / 8) : std::nullopt;
    };
    const auto bytes = [this] { return coin() ? std::optional(integer(0, 3)) : std::nullopt; };
    return {duration(), share(), share(), share(), share(), bytes(), share(), bytes()};
  }

  // Any finite double there is, with the awkward ones often.
  double real() {
    static constexpr double awkward[] = {
        0.0,  -0.0, 0.1, 1.0 / 3, 1e-308, 5e-324, 1.7976931348623157e308, 9007199254740993.0,
        -2.5, 1e21};
    if (coin()) return awkward[integer(0, std::ssize(awkward) - 1)];
    double value = std::numeric_limits<double>::quiet_NaN();
    while (!std::isfinite(value)) {
      const std::uint64_t pattern = bits_();
      static_assert(sizeof pattern == sizeof value);
      std::copy_n(reinterpret_cast<const char*>(&pattern), sizeof value,
                  reinterpret_cast<char*>(&value));
    }
    return value;
  }

  // A text that names no parameter: commands may only name those that there are.
  std::string plain_text() {
    auto text = any_text();
    return text.find("${") == std::string::npos ? text : "plain";
  }
  std::string any_text() {
    static const char* const texts[] = {"",
                                        "a",
                                        "two words",
                                        "line\nend\ttab",
                                        "\"quoted\" \\ /",
                                        "größer 日本",
                                        "\x01\x1f",
                                        "${lr}",
                                        "null",
                                        "1e-4"};
    return texts[integer(0, std::ssize(texts) - 1)];
  }
  std::string name() { return numbered("n", integer(0, 999'999)); }
  // append, because gcc 12 warns wrongly (-Wrestrict) about "n" + std::to_string(...).
  static std::string numbered(std::string stem, std::int64_t number) {
    return stem.append(std::to_string(number));
  }
  std::string sha256() {
    std::string digest;
    for (int i = 0; i < 64; ++i) digest += "0123456789abcdef"[integer(0, 15)];
    return digest;
  }

  template <class E>
  E word() {
    return static_cast<E>(integer(0, std::ssize(words_of<E>) - 1));
  }
  template <class Tag>
  Id<Tag> id() {
    return {integer(1, std::numeric_limits<std::int64_t>::max())};
  }
  RunId run() { return {TrialId{integer(1, 1'000'000)}, small(0, 999)}; }
  Instant instant() { return {integer(0, 4'000'000'000'000'000)}; }
  Duration duration() { return {integer(0, 3650LL * 86'400 * 1'000'000)}; }
  std::vector<Score> scores() {
    std::vector<Score> scores;
    for (auto n = integer(0, 3); n > 0; --n) scores.push_back(score());
    return scores;
  }
  Score score() { return integer(0, 4) == 0 ? Score::diverged() : Score::of(real()); }

  Value value() {
    switch (integer(0, 3)) {
      case 0:
        return coin();
      case 1:
        return integer(std::numeric_limits<std::int64_t>::min(),
                       std::numeric_limits<std::int64_t>::max());
      case 2:
        return real();
      default:
        return any_text();
    }
  }
  Params params() {
    Params params;
    for (auto n = integer(0, 5); n > 0; --n) params.push_back({numbered("p", n), value()});
    return params;
  }
  std::vector<ScheduleStage> stages() {
    std::vector<ScheduleStage> stages;
    for (auto n = integer(0, 2); n > 0; --n) stages.push_back({small(1, 9999), params()});
    return stages;
  }
  Verdict verdict() {
    Verdict verdict{word<Action>(), word<VerdictReason>(), {}};
    for (auto n = integer(0, 3); n > 0; --n) verdict.inputs.push_back({numbered("i", n), real()});
    if (coin()) verdict.inputs.push_back({"cutoff", -std::numeric_limits<double>::infinity()});
    return verdict;
  }

  // What a sweep file may hold as a value: no text that looks like a number.
  Value setting() {
    Value drawn = value();
    if (drawn == Value("1e-4")) return "plain";
    return drawn;
  }
  std::optional<Prior> prior(double center);
  Domain float_domain();
  Domain int_domain();
  Domain choice_domain();
  Domain domain();
  FleetSpec fleet_spec();
  SearchSpec search();
  CommandTrainer command();
  PipelineTrainer pipeline();
  TrainerSpec trainer();
  SweepSpec spec();
  TellRequest tell();
  WorkflowInfo workflow();
  EvaluationInfo evaluation();
  LeaseGrant grant();
  ReplicatesSpec replicates(int seeds);
  std::vector<EventBody> one_of_each_event();
  Objective objective(std::string metric);
  ReportRecorded report_recorded();
  WorkerJoined worker_joined();
  LeaseGranted lease_granted();
  Neighbours neighbours();
  std::optional<KeptSlots> maybe_kept_slots();
  std::optional<Origin> origin() {
    if (coin()) return std::nullopt;
    Origin one{run(), id<ModelTag>(), small(0, 9999), integer(0, 1LL << 50)};
    if (coin()) one.replaces = run();
    if (coin()) one.rank = OriginRank{integer(1, 1'000'000), integer(1, 1'000'000)};
    return one;
  }
  std::optional<RankPrior> rank_prior();
  TakenIds taken_ids();
  SweepImported sweep_imported();
  std::vector<Learned> learned();
  std::vector<EventBody> sweep_events();
  std::vector<EventBody> fleet_events();

 private:
  std::mt19937_64 bits_;
};

}  // namespace hone
