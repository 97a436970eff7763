// The trainer `harmony` against its bars, and its ablations. Everything is simulated: the
// interference model of hone with DL2's job table.
//
// Usage: harmony_bench policies|ablations [SEEDS [JOBS [ARRIVALS]]]: training seeds 1 to SEEDS
// (10), JOBS placed in each training (6000), ARRIVALS (30) held-out arrivals, the same for all.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "server/cluster/summary.hpp"
#include "worker/train/cluster/harmony.hpp"
#include "worker/train/cluster/reward_fit.hpp"

namespace hone::trainers {

struct Sizes {
  int seeds = 10;
  std::int64_t jobs = 6000;
  int arrivals = 30;
};

namespace {

Settings settings_of(const Params& params) {
  return std::move(Settings::resolve(*find_trainer("harmony"), {}, params)).value();
}

cluster::Summary summary_of(const cluster::ClusterSetup& setup, const cluster::Scheduler& scheduler,
                            const Sizes& sizes) {
  cluster::Tally tally;
  for (int i = 1; i <= sizes.arrivals; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    tally.add(*cluster::simulate(setup, cluster::draw_jobs(setup, seed), scheduler, seed));
  }
  return tally.summary();
}

struct Trained {
  double reward_error = 0;  // of unseen records
  double policy_s = 0;      // mean completion on the held-out arrivals
  double search_s = 0;
};

Trained train(const Params& params, std::uint64_t seed, const Sizes& sizes) {
  const Settings settings = settings_of(params);
  const auto setup = harmony_setup(settings);
  const auto trainer = std::move(make_harmony({settings, seed, sizes.jobs})).value();
  trainer->advance(sizes.jobs, {}, [] {});
  const auto file =
      std::filesystem::temp_directory_path() / ("hone-harmony-bench-" + std::to_string(seed));
  if (!trainer->save(file)) std::abort();
  std::ifstream stream(file);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  std::filesystem::remove(file);
  const auto model = cluster::read_harmony(*parse_json(text), setup);
  const auto unseen = record_speeds(setup, 1000, 0, seed + 1'000'000);
  const auto completion = [&](const char* name) {
    const auto scheduler = cluster::scheduler_of(*cluster::find_learned(name), *model);
    return summary_of(setup, scheduler, sizes).completion_s.mean;
  };
  return {mean_error(setup, unseen, model->reward), completion("harmony"),
          completion("learned-search")};
}

struct Spread {
  double mean = 0, deviation = 0, most = -1e300;
};
Spread spread_of(const std::vector<double>& values) {
  Spread out;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) {
    out.mean += value / count;
    out.most = std::max(out.most, value);
  }
  for (const double value : values)
    out.deviation += (value - out.mean) * (value - out.mean) / std::max(1.0, count - 1);
  out.deviation = std::sqrt(out.deviation);
  return out;
}

void print_bar(const char* what, const char* bar, const Spread& spread, bool met) {
  std::printf("| %s | %s | %.3f ± %.3f (worst %.3f) | %s |\n", what, bar, spread.mean,
              spread.deviation, spread.most, met ? "met" : "missed");
}

struct Others {
  double balance = 0, packing = 0, linear = 0, oracle = 0;  // mean completion
};

void print_policies(const std::vector<Trained>& trained, const Others& others) {
  std::vector<double> error, balance, packing, linear, oracle, search;
  for (const Trained& one : trained) {
    error.push_back(one.reward_error);
    balance.push_back(one.policy_s / others.balance);
    packing.push_back(one.policy_s / others.packing);
    linear.push_back(one.policy_s / others.linear);
    oracle.push_back(one.policy_s / others.oracle);
    search.push_back(one.search_s / others.oracle);
  }
  std::printf("| figure | bar | mean ± deviation of the training seeds | |\n|---|---|---|---|\n");
  const auto bar = [](const char* what, const char* text, const std::vector<double>& values,
                      double most) {
    const Spread spread = spread_of(values);
    print_bar(what, text, spread, spread.mean <= most);
  };
  bar("22 reward model, mean absolute error on unseen intervals", "<= 0.05", error, 0.05);
  bar("22 search with predicted speeds / placement-oracle", "<= 1.05", search, 1.05);
  bar("23 policy / load balancing", "<= 0.90", balance, 0.90);
  bar("23 policy / packing", "<= 0.95", packing, 0.95);
  bar("23 policy / placement-oracle", "<= 1.05", oracle, 1.05);
  bar("policy / lif-linear", "<= 1", linear, 1);
  std::printf(
      "\nOn these arrivals, relative to placement-oracle: load balancing %.3f, packing %.3f, "
      "lif-linear %.3f.\n",
      others.balance / others.oracle, others.packing / others.oracle,
      others.linear / others.oracle);
}

struct Ablation {
  const char* what;
  Params params;
};

void print_ablations(const Sizes& sizes, const Others& others) {
  const std::vector<Ablation> ablations{
      {"the trainer's defaults", {}},
      {"without job-aware exploration", {{"exploration", 0.0}}},
      {"without replay: only the last episode", {{"replay", std::int64_t{0}}}},
      {"without the value network", {{"baseline", std::string("none")}}},
  };
  std::printf(
      "| | reward error | policy / load balancing | policy / placement-oracle |\n"
      "|---|---|---|---|\n");
  for (const Ablation& ablation : ablations) {
    std::vector<double> error, balance, oracle;
    for (int seed = 1; seed <= sizes.seeds; ++seed) {
      const auto one = train(ablation.params, static_cast<std::uint64_t>(seed), sizes);
      error.push_back(one.reward_error);
      balance.push_back(one.policy_s / others.balance);
      oracle.push_back(one.policy_s / others.oracle);
    }
    std::printf("| %s | %.3f | %.3f | %.3f ± %.3f |\n", ablation.what, spread_of(error).mean,
                spread_of(balance).mean, spread_of(oracle).mean, spread_of(oracle).deviation);
    std::fflush(stdout);
  }
}

}  // namespace

void print_all(const Sizes& sizes, bool ablations) {
  const auto setup = harmony_setup(settings_of({}));
  const auto completion = [&](const char* name) {
    return summary_of(setup, cluster::scheduler_of(*cluster::find_policy(name)), sizes)
        .completion_s.mean;
  };
  const Others others{completion("load-balancing"), completion("packing"), completion("lif-linear"),
                      completion("placement-oracle")};
  std::printf(
      "Simulated, not measured: %d training seeds, %lld jobs placed in each, %d held-out "
      "arrivals (seeds 1 to %d); job table of DL2, interference model of hone.\n\n",
      sizes.seeds, static_cast<long long>(sizes.jobs), sizes.arrivals, sizes.arrivals);
  std::fflush(stdout);
  if (ablations) return print_ablations(sizes, others);
  std::vector<Trained> trained;
  for (int seed = 1; seed <= sizes.seeds; ++seed)
    trained.push_back(train({}, static_cast<std::uint64_t>(seed), sizes));
  print_policies(trained, others);
}

}  // namespace hone::trainers

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what != "policies" && what != "ablations") {
    std::fprintf(stderr, "usage: harmony_bench policies|ablations [SEEDS [JOBS [ARRIVALS]]]\n");
    return 2;
  }
  hone::trainers::Sizes sizes;
  if (argc > 2) sizes.seeds = std::max(2, std::atoi(argv[2]));
  if (argc > 3) sizes.jobs = std::max(40, std::atoi(argv[3]));
  if (argc > 4) sizes.arrivals = std::max(2, std::atoi(argv[4]));
  hone::trainers::print_all(sizes, what == "ablations");
  return 0;
}
