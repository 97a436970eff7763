// sim [--seed N] [--seeds COUNT]: runs worlds; prints the seed and the plan of the first that
// breaks a promise.   sim --promises: what is promised.   sim --ledger N: prints the ledger of
// world N, as tests/golden keeps one.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t first = 1;
  std::uint64_t count = 1000;
  if (argc == 2 && std::strcmp(argv[1], "--promises") == 0) return print_promises();
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seed") == 0)
      first = std::strtoull(argv[i + 1], nullptr, 10), count = 1;
    else if (std::strcmp(argv[i], "--seeds") == 0)
      count = std::strtoull(argv[i + 1], nullptr, 10);
    else if (std::strcmp(argv[i], "--ledger") == 0)
      return print_ledger(std::strtoull(argv[i + 1], nullptr, 10));
  }
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
    sum.crashes += world.tally().crashes;
    sum.reports += world.tally().reports;
    sum.acknowledged += world.tally().acknowledged;
    sum.attempts += world.tally().attempts;
    sum.promoted += world.tally().promoted;
    sum.steps += world.tally().steps;
    sum.reads += world.tally().reads;
    sum.snapshots += world.tally().snapshots;
    for (std::size_t i = 0; i < sum.verdicts.size(); ++i)
      sum.verdicts[i] += world.tally().verdicts[i];
    sum.simulated = sum.simulated + world.tally().simulated;
  }
  const double took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf(
      "%llu worlds, %.1f simulated hours, %d crashes, %lld attempts, %lld reports, %lld "
      "acknowledged (%lld go on, %lld pause, %lld stop), %lld promoted; %zu promises kept over "
      "%lld "
      "steps, %lld questions, %d boots from a snapshot: %.1f s\n",
      static_cast<unsigned long long>(count), static_cast<double>(sum.simulated.us) / 3.6e9,
      sum.crashes, static_cast<long long>(sum.attempts), static_cast<long long>(sum.reports),
      static_cast<long long>(sum.acknowledged), static_cast<long long>(sum.verdicts[0]),
      static_cast<long long>(sum.verdicts[1]), static_cast<long long>(sum.verdicts[2]),
      static_cast<long long>(sum.promoted), hone::sim::promises().size(),
      static_cast<long long>(sum.steps), static_cast<long long>(sum.reads), sum.snapshots, took);
  return 0;
}
