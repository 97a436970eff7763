// Runs simulated fleets; prints the seed of the first that breaks a promise.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "tests/sim/fleet/world.hpp"

int main(int argc, char** argv) {
  CLI::App app("Runs simulated fleets on a cluster with faults, one from each seed.");
  std::uint64_t first = 1;
  std::uint64_t count = 1000;
  app.add_option("--seed", first, "the first seed");
  app.add_option("--seeds", count, "how many");
  CLI11_PARSE(app, argc, argv);
  hone::sim::FleetTally sum;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    hone::sim::FleetWorld world(seed);
    const std::string broken = world.run();
    if (!broken.empty()) {
      std::fprintf(stderr, "broken: %s\nagain: fleet_sim --seed %llu --seeds 1\n", broken.c_str(),
                   static_cast<unsigned long long>(seed));
      return EXIT_FAILURE;
    }
    sum.submissions += world.tally.submissions;
    sum.adopted += world.tally.adopted;
    sum.crashes += world.tally.crashes;
    sum.preempted += world.tally.preempted;
    sum.outages += world.tally.outages;
    sum.hours += world.tally.hours;
    sum.events += world.tally.events;
  }
  std::printf(
      "%llu fleets: %lld submissions, %lld adopted, %lld crashes, %lld preemptions, %lld outages "
      "(%lld of an hour), %lld events; none leaked, none twice, no run lost\n",
      static_cast<unsigned long long>(count), static_cast<long long>(sum.submissions),
      static_cast<long long>(sum.adopted), static_cast<long long>(sum.crashes),
      static_cast<long long>(sum.preempted), static_cast<long long>(sum.outages),
      static_cast<long long>(sum.hours), static_cast<long long>(sum.events));
  return EXIT_SUCCESS;
}
