// How long one decision about a fleet of many pilots takes, with a complete list and without news.
#include <benchmark/benchmark.h>

#include "server/fleet/rules.hpp"

namespace hone {
namespace {

Fleet fleet_of(int pilots, Listing& listing) {
  Fleet fleet{.id = FleetId{1}, .mark = "5eed"};
  fleet.spec.max = pilots;
  fleet.want = pilots;
  for (int i = 1; i <= pilots; ++i) {
    const PilotId id{i};
    fleet.pilots[id] = {id,     FleetRule::demand, PilotState::running, Instant{1},
                        "4711", WorkerId{i}};
    listing.pilots.push_back({id, PilotState::running, false, "4711"});
  }
  return fleet;
}

void decide_with_a_list(benchmark::State& state) {
  FleetNews news{.fleet = FleetId{1}, .listing = Listing{}};
  const Fleet fleet = fleet_of(static_cast<int>(state.range(0)), *news.listing);
  FleetLoad load;
  for (const auto& [id, pilot] : fleet.pilots) load.busy.insert(pilot.worker);
  for (auto _ : state)
    benchmark::DoNotOptimize(reconcile(fleet, news, load, PilotId{5000}, Instant{2}));
}
BENCHMARK(decide_with_a_list)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

void decide_when_all_vanish(benchmark::State& state) {
  Listing ignored;
  const Fleet fleet = fleet_of(static_cast<int>(state.range(0)), ignored);
  const FleetNews news{.fleet = FleetId{1}, .listing = Listing{}};
  for (auto _ : state)
    benchmark::DoNotOptimize(reconcile(fleet, news, {}, PilotId{5000}, Instant{2}));
}
BENCHMARK(decide_when_all_vanish)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hone

BENCHMARK_MAIN();
