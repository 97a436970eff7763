// Runs simulated installations; prints the seed and the plan of the first that breaks a promise.
#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "tests/sim/world.hpp"

namespace {

// A broken promise inside the engine aborts: say which world it was.
char now_running[512] = "";

void on_abort(int) {
  std::fprintf(stderr, "in the world of %s\n", now_running);
  std::_Exit(1);
}

int print_promises() {
  for (const hone::sim::Promise& promise : hone::sim::promises())
    std::printf("%-52.*s  %.*s\n", static_cast<int>(promise.name.size()), promise.name.data(),
                static_cast<int>(promise.when.size()), promise.when.data());
  return 0;
}

int print_ledger(std::uint64_t seed) {
  hone::sim::World world(seed);
  const std::string broken = world.run();
  std::fputs(world.ledger_text().c_str(), stdout);
  if (!broken.empty()) std::fprintf(stderr, "broken: %s\n", broken.c_str());
  return broken.empty() ? 0 : 1;
}

void add(hone::sim::Tally& sum, const hone::sim::Tally& world) {
  sum.crashes += world.crashes;
  sum.reports += world.reports;
  sum.acknowledged += world.acknowledged;
  sum.attempts += world.attempts;
  sum.promoted += world.promoted;
  sum.steps += world.steps;
  sum.reads += world.reads;
  sum.snapshots += world.snapshots;
  sum.offers += world.offers;
  sum.left += world.left;
  sum.told_of_ranks += world.told_of_ranks;
  sum.rule_forks += world.rule_forks;
  sum.widths.ranges += world.widths.ranges;
  sum.widths.wide += world.widths.wide;
  sum.widths.changed += world.widths.changed;
  for (std::size_t i = 0; i < sum.verdicts.size(); ++i) sum.verdicts[i] += world.verdicts[i];
  sum.simulated = sum.simulated + world.simulated;
}

void print(std::uint64_t count, const hone::sim::Tally& sum, double took_s) {
  std::printf(
      "%llu worlds, %.1f simulated hours, %d crashes, %lld attempts, %lld reports, %lld "
      "acknowledged (%lld continue, %lld pause, %lld stop), %lld promoted; %zu promises kept over "
      "%lld "
      "steps, %lld questions, %d boots from a snapshot, %lld offers of free slots, "
      "%lld exits, %lld sweeps told of earlier ranks, %lld forks of rules, %lld of %lld grants of a range above the least, %lld changes of slots: %.1f s\n",
      static_cast<unsigned long long>(count), static_cast<double>(sum.simulated.us) / 3.6e9,
      sum.crashes, static_cast<long long>(sum.attempts), static_cast<long long>(sum.reports),
      static_cast<long long>(sum.acknowledged), static_cast<long long>(sum.verdicts[0]),
      static_cast<long long>(sum.verdicts[1]), static_cast<long long>(sum.verdicts[2]),
      static_cast<long long>(sum.promoted), hone::sim::promises().size(),
      static_cast<long long>(sum.steps), static_cast<long long>(sum.reads), sum.snapshots,
      static_cast<long long>(sum.offers), static_cast<long long>(sum.left),
      static_cast<long long>(sum.told_of_ranks), static_cast<long long>(sum.rule_forks),
      static_cast<long long>(sum.widths.wide), static_cast<long long>(sum.widths.ranges),
      static_cast<long long>(sum.widths.changed), took_s);
}

int run(std::uint64_t first, std::uint64_t count) {
  std::signal(SIGABRT, on_abort);
  const auto begin = std::chrono::steady_clock::now();
  hone::sim::Tally sum;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    hone::sim::World world(seed);
    std::snprintf(now_running, sizeof now_running, "%s", world.describe().c_str());
    const std::string broken = world.run();
    if (!broken.empty()) {
      std::fprintf(stderr, "broken: %s\nin the world of %s\nagain: sim --seed %llu\n",
                   broken.c_str(), now_running, static_cast<unsigned long long>(seed));
      return 1;
    }
    add(sum, world.tally());
  }
  print(count, sum,
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs simulated installations under faults, one from each seed.");
  std::optional<std::uint64_t> first;
  std::optional<std::uint64_t> count;
  std::optional<std::uint64_t> ledger;
  bool promised = false;
  app.add_option("--seed", first, "the first seed (1); without --seeds the only one");
  app.add_option("--seeds", count, "how many (1,000)");
  app.add_flag("--promises", promised, "only print what is promised, and when it is looked at");
  app.add_option("--ledger", ledger,
                 "only print the ledger of this seed, as tests/golden keeps one");
  CLI11_PARSE(app, argc, argv);
  if (promised) return print_promises();
  if (ledger) return print_ledger(*ledger);
  return run(first.value_or(1), count.value_or(first ? 1 : 1000));
}
