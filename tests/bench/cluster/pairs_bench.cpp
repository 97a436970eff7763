// Two jobs on a GPU by measured speeds of pairs, against bars that were set before it was built.
// Everything is simulated.
//
// Usage: pairs_bench simulation_throughputs.json [SEEDS], the file of
// github.com/stanford-futuredata/gavel; 10 seeds if none are given.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "server/cluster/summary.hpp"

namespace hone::cluster {
namespace {

ClusterSetup setup_of(const Json& table, std::vector<std::string> kinds, double per_interval) {
  constexpr int gpus = 36;  // of each kind
  ClusterSetup setup;
  setup.rule = SpeedRule::pairs;
  setup.interval_s = 360;
  setup.preempts = true;
  setup.restart_s = 30;
  setup.kinds = std::move(kinds);
  for (int kind = 0; kind < static_cast<int>(setup.kinds.size()); ++kind)
    setup.servers.insert(setup.servers.end(), gpus, {0, 2, kind});
  auto read = PairTable::read(table, setup.kinds, "v100");
  if (!read) {
    std::fprintf(stderr, "%s\n", read.error().detail.c_str());
    std::exit(1);
  }
  setup.pair_table = std::make_shared<const PairTable>(*std::move(read));
  for (const std::string& name : setup.pair_table->types()) setup.types.emplace_back().name = name;
  setup.workload = {.jobs = 600,
                    .per_interval = per_interval,
                    .workers_min = 1,
                    .workers_max = 1,
                    .has_servers = false,
                    .length_median_s = 3'600,
                    .length_sigma = 1};
  return setup;
}

struct Results {
  Summary summary;
  int longest_a3c = 0;     // intervals in which two A3C shared a V100, the most of a seed
  int longest_resnet = 0;  // the same of ResNet-50 with 16 samples and A3C
};

int intervals(const ClusterSetup& setup, const Outcome& outcome, const std::string& one,
              const std::string& two) {
  int sum = 0;
  for (const auto& [key, count] : outcome.together) {
    const auto& a = setup.types[static_cast<std::size_t>(key.type)].name;
    const auto& b = setup.types[static_cast<std::size_t>(key.other)].name;
    if (key.kind == 0 && ((a == one && b == two) || (a == two && b == one))) sum += count;
  }
  return sum;
}

Results results_of(const ClusterSetup& setup, const char* policy, int seeds) {
  Tally tally;
  Results results;
  for (int i = 1; i <= seeds; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const auto outcome =
        *simulate(setup, draw_jobs(setup, seed), scheduler_of(*find_policy(policy)), seed);
    results.longest_a3c = std::max(results.longest_a3c, intervals(setup, outcome, "A3C", "A3C"));
    results.longest_resnet = std::max(
        results.longest_resnet, intervals(setup, outcome, "ResNet-50 (batch size 16)", "A3C"));
    tally.add(outcome);
  }
  results.summary = tally.summary();
  return results;
}

void print_setup(const char* name, const ClusterSetup& setup, int seeds) {
  const Results measured = results_of(setup, "pack-measured", seeds);
  const auto print = [&](const char* policy) {
    const Results other = results_of(setup, policy, seeds);
    const MeanOfSeeds ratio = relative_completion(measured.summary, other.summary);
    std::printf("| %s | %g | %s | %.3f ± %.3f |\n", name, setup.workload.per_interval, policy,
                ratio.mean, ratio.standard_error);
    std::fflush(stdout);
  };
  print("pack-oracle");
  print("never-pack");
  print("pack-all");
  std::printf(
      "| %s | %g | intervals of two A3C, of ResNet-50 and A3C on V100: the most of a seed | %d, %d |\n",
      name, setup.workload.per_interval, measured.longest_a3c, measured.longest_resnet);
}

void print_all(const Json& table, int seeds) {
  std::printf(
      "Simulated with seeds 1 to %d; mean completion under pack-measured, divided by that of:\n\n",
      seeds);
  std::printf("| GPUs | jobs an interval | | |\n|---|---:|---|---:|\n");
  for (const double rate : {4.0, 8.0, 12.0})
    print_setup("36 V100, 36 P100, 36 K80", setup_of(table, {"v100", "p100", "k80"}, rate), seeds);
  for (const double rate : {2.0, 4.0, 6.0})
    print_setup("36 V100", setup_of(table, {"v100"}, rate), seeds);
}

}  // namespace
}  // namespace hone::cluster

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto table = hone::parse_json(text);
  if (!table) {
    std::fprintf(stderr, "the first argument must name Gavel's table: %s\n",
                 table.error().detail.c_str());
    return 1;
  }
  hone::cluster::print_all(*table, argc > 2 ? std::max(2, std::atoi(argv[2])) : 10);
  return 0;
}
