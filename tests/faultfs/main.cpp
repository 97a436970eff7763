// Histories on a disk that fails. Each runs once without faults to count its operations, then once
// for each of some operations with a fault there, then with random faults. Prints the seed and the
// fault of the first history that breaks a promise.
#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <string>

#include "tests/faultfs/life.hpp"
#include "tests/faultfs/older.hpp"
#include "tests/unit/db/storm.hpp"

namespace hone::faultfs {
namespace {

constexpr int points_per_seed = 12;  // histories with one fault each
constexpr std::array faults{Fault::kill, Fault::power_cut, Fault::write_error, Fault::disk_full,
                            Fault::sync_error};

// Most are short, for many starts and ends; some are long enough for checkpoints of the WAL.
int length_of(std::uint64_t seed) {
  Rng rng(seed, Purpose::simulation, 81);
  return static_cast<int>(seed % 4 == 0 ? 200 + rng.below(400) : 10 + rng.below(90));
}

struct Sum {
  std::int64_t histories = 0, restarts = 0, events = 0, upgrades = 0;
  std::map<std::string, std::int64_t> met;
};

// Runs the history of `seed` after `prepare` has set up the disk. Returns the broken promise, or an
// empty string.
template <class Prepare>
std::string live(std::uint64_t seed, Sum& sum, std::int64_t& operations, const Prepare& prepare) {
  Life life(seed);
  prepare(life.disk);
  Storm storm(seed, [&](const Command& c, Instant now) { return life.perform(c, now); });
  storm.blow(length_of(seed));
  operations = life.disk.operations();
  life.disk.ask_before({});
  std::string broken = life.check_all();
  if (broken.empty()) {  // a restart from the disk gives the same
    life.interrupt(Fault::power_cut);
    broken = life.check_all();
  }
  ++sum.histories;
  sum.restarts += life.restarts();
  sum.events += life.acknowledged();
  return broken;
}

std::string one_fault(std::uint64_t seed, Sum& sum, std::int64_t at, Fault fault) {
  std::int64_t ignored = 0;
  ++sum.met[word(fault)];
  const auto broken = live(seed, sum, ignored, [&](Disk& disk) { disk.fail_at(at, fault); });
  if (broken.empty()) return {};
  return broken + ": " + word(fault) + " at operation " + std::to_string(at);
}

std::string many_faults(std::uint64_t seed, Sum& sum) {
  std::int64_t ignored = 0;
  Rng rng(seed, Purpose::simulation, 79);
  const double rate = 0.02 * rng.uniform();
  const auto broken = live(seed, sum, ignored, [&](Disk& disk) {
    disk.ask_before([&sum, rng, rate]() mutable {
      if (rng.uniform() >= rate) return Fault::none;
      const Fault fault = faults[rng.below(faults.size())];
      ++sum.met[word(fault)];
      return fault;
    });
  });
  return broken.empty() ? broken : broken + ": faults by chance";
}

// Upgrades an older file with one fault on the way; the next try must find all of its data.
std::string upgrades(std::uint64_t seed, Sum& sum) {
  Rng rng(seed, Purpose::simulation, 82);
  const std::int64_t operations = upgrade_operations(seed);
  for (int point = 0; point < points_per_seed; ++point) {
    const auto at = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(operations)));
    const Fault fault = faults[rng.below(faults.size())];
    ++sum.upgrades;
    if (auto broken = upgrade_with(seed, at, fault); !broken.empty())
      return broken + ": " + word(fault) + " at operation " + std::to_string(at) + " of an upgrade";
  }
  return {};
}

std::string run_seed(std::uint64_t seed, Sum& sum) {
  std::int64_t operations = 0;
  if (auto broken = live(seed, sum, operations, [](Disk&) {}); !broken.empty()) return broken;
  Rng rng(seed, Purpose::simulation, 80);
  for (int point = 0; point < points_per_seed; ++point) {
    const auto at = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(operations)));
    const Fault fault = faults[rng.below(faults.size())];
    if (auto broken = one_fault(seed, sum, at, fault); !broken.empty()) return broken;
  }
  if (auto broken = upgrades(seed, sum); !broken.empty()) return broken;
  return many_faults(seed, sum);
}

int run(std::uint64_t first, std::uint64_t count) {
  const auto begin = std::chrono::steady_clock::now();
  Sum sum;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string broken = run_seed(seed, sum);
    if (broken.empty()) continue;
    std::fprintf(stderr, "broken: %s\nagain: faultfs --seed %llu\n", broken.c_str(),
                 static_cast<unsigned long long>(seed));
    return 1;
  }
  const double took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%lld histories, %lld restarts, %lld events acknowledged, %lld upgrades",
              static_cast<long long>(sum.histories), static_cast<long long>(sum.restarts),
              static_cast<long long>(sum.events), static_cast<long long>(sum.upgrades));
  for (const auto& [fault, times] : sum.met)
    std::printf(", %s %lld", fault.c_str(), static_cast<long long>(times));
  std::printf(": nothing lost, nothing twice, %.1f s\n", took);
  return 0;
}

}  // namespace
}  // namespace hone::faultfs

int main(int argc, char** argv) {
  CLI::App app("Lives histories on a disk that fails, some from each seed; nothing may be lost.");
  std::optional<std::uint64_t> first;
  std::optional<std::uint64_t> count;
  app.add_option("--seed", first, "the first seed (1); without --seeds the only one");
  app.add_option("--seeds", count, "how many (100)");
  CLI11_PARSE(app, argc, argv);
  return hone::faultfs::run(first.value_or(1), count.value_or(first ? 1 : 100));
}
