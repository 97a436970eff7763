#include "worker/train/placement/measure.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>

#include "placement/baselines/baselines.hpp"
#include "placement/core/random_generator.hpp"
#include "placement/read/placement_file.hpp"
#include "placement/setup.hpp"
#include "placement/simulator.hpp"
#include "worker/train/nn/torch_module.hpp"
#include "worker/train/placement/bench_here.hpp"
#include "worker/train/placement/ranks.hpp"
#include "worker/train/placement/search.hpp"

namespace hone::trainers {
namespace {

using placement::Placement;
using placement::Problem;
using KernelMaker = Kernels* (*)(int accelerators, int processors);

struct Candidate {
  std::string name;
  Placement placement;
};

// Equal placements are run once, under both names.
void add(std::vector<Candidate>& candidates, Candidate candidate) {
  for (Candidate& known : candidates)
    if (known.placement == candidate.placement) {
      known.name += ", " + candidate.name;
      return;
    }
  candidates.push_back(std::move(candidate));
}

// Every other one is uniform; the rest prefer some devices, so that step times differ.
Placement random_placement(const Problem& problem, bool uniform,
                           placement::RandomGenerator& generator) {
  const auto devices = static_cast<std::size_t>(problem.devices());
  std::vector<double> share(devices, 1);
  if (!uniform)
    for (double& weight : share) weight = generator.uniform() * generator.uniform();
  Placement placement;
  for (std::size_t g = 0; g < static_cast<std::size_t>(problem.groups); ++g) {
    double sum = 0;
    for (std::size_t d = 0; d < devices; ++d) sum += share[d] * problem.may_run[g * devices + d];
    double left = sum * generator.uniform();
    int chosen = -1;
    for (std::size_t d = 0; d < devices; ++d) {
      if (problem.may_run[g * devices + d] == 0) continue;
      if (chosen < 0 || left > 0) chosen = static_cast<int>(d);
      left -= share[d];
    }
    placement.push_back(chosen);
  }
  return placement;
}

std::vector<Candidate> usual_candidates(const Problem& problem, const MeasurePlan& plan,
                                        std::vector<std::string>& left_out) {
  std::vector<Candidate> candidates;
  for (int d = 0; d < problem.devices(); ++d)
    candidates.push_back(
        {"device " + std::to_string(d), Placement(static_cast<std::size_t>(problem.groups), d)});
  for (const auto& baseline : placement::baseline_table()) {
    if (baseline.name == "random") continue;
    auto placed = baseline.place(problem, plan.job.seed);
    if (placed)
      add(candidates, {std::string(baseline.name), *std::move(placed)});
    else
      left_out.push_back(std::string(baseline.name) + ": " + placed.error().detail);
  }
  placement::RandomGenerator generator(placement::RandomGenerator(plan.job.seed).bits());
  for (int i = 0; i < plan.random; ++i)
    add(candidates,
        {"random " + std::to_string(i + 1), random_placement(problem, i % 2 == 0, generator)});
  std::vector<double> bytes;
  std::erase_if(candidates, [&](const Candidate& candidate) {
    if (placement::fits(problem, candidate.placement, bytes)) return false;
    left_out.push_back(candidate.name + ": does not fit, or a node may not run where it is");
    return true;
  });
  return candidates;
}

Result<Candidate> from_file(const Problem& problem, const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return refuse(Code::not_found, "cannot read " + path.string());
  const std::string text(std::istreambuf_iterator<char>(file), {});
  auto placed = placement::read_placement(problem, text);
  if (!placed)
    return refuse(placed.error().code, path.string() + ": " + placed.error().detail,
                  placed.error().at);
  return Candidate{path.stem().string(), *std::move(placed)};
}

Status write_placement(const Problem& problem, const Candidate& learned,
                       const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary);
  file << placement::placement_text(problem, learned.placement);
  file.close();
  if (!file) return refuse(Code::invalid, "cannot write " + path.string());
  return Done{};
}

// Runs steps of all placements in turn, in several rounds, so that other load of the machine does
// not fall on one placement. Every step on one device also times the tasks again.
class Rounds {
 public:
  Rounds(const std::vector<Candidate>& candidates, Here& here, Kernels& kernels)
      : candidates_(candidates), here_(here), kernels_(kernels), times_(candidates.size()) {}

  void visit(std::size_t index, int steps) {
    const auto& placed = candidates_[index].placement;
    const auto step = real_step(here_.problem, placed, here_.works, kernels_);
    const bool alone = std::all_of(placed.begin(), placed.end(),
                                   [&](int device) { return device == placed.front(); });
    {
      LaneThreads threads(step, kernels_);
      for (int i = 0; i < steps; ++i) {
        const auto ran = threads.run();
        if (i == 0) continue;
        times_[index].push_back(ran.step_ms);
        if (alone) here_.learn(placed.front(), ran.job_ms, kernels_);
      }
    }
    kernels_.forget_tensors();
  }

  [[nodiscard]] MeasuredPlacement result(std::size_t index) const {
    auto times = times_[index];
    std::sort(times.begin(), times.end());
    return {candidates_[index].name, times.front(), times[times.size() / 2], times.back()};
  }

 private:
  const std::vector<Candidate>& candidates_;
  Here& here_;
  Kernels& kernels_;
  std::vector<std::vector<double>> times_;
};

void correlate(Measurement& measured) {
  std::vector<double> real;
  std::vector<double> simulated;
  std::vector<double> profile;
  for (const auto& row : measured.placements) {
    real.push_back(row.real_ms);
    simulated.push_back(row.simulated_ms);
    profile.push_back(row.profile_ms);
  }
  measured.correlation = rank_correlation(real, simulated);
  measured.profile_correlation = rank_correlation(real, profile);
}

Measurement describe(const Problem& problem, const Here& here, const Kernels& kernels) {
  Measurement measured;
  measured.graph = problem.graph.name;
  for (int d = 0; d < kernels.devices(); ++d) measured.devices.push_back(kernels.name(d));
  measured.cores = static_cast<int>(std::thread::hardware_concurrency());
  measured.scale = here.scale;
  measured.gflop_per_s = here.flop_per_s / 1e9;
  measured.gb_per_s = here.bytes_per_s / 1e9;
  measured.link_gb_per_s = 1e-6 / here.link.ms_per_byte;
  measured.latency_ms = here.link.latency_ms;
  return measured;
}

}  // namespace

Result<Measurement> measure_placements(const MeasurePlan& plan, const std::stop_token& stop,
                                       const std::function<void(const std::string&)>& tell) {
  const auto function = torch_function("hone_torch_kernels", "--measure needs");
  if (!function) return function.error();
  const auto problem = placement_problem(plan.job.settings);
  if (!problem) return problem.error();
  const int cpus = plan.job.settings.small_integer("cpus");
  const std::unique_ptr<Kernels> kernels(
      reinterpret_cast<KernelMaker>(*function)(problem->devices() - cpus, cpus));

  tell("timing every task on one device");
  auto here = bench_here(*problem, *kernels, plan.step_ms, plan.steps);
  auto measured = describe(*problem, here, *kernels);
  auto candidates = usual_candidates(here.problem, plan, measured.left_out);
  if (plan.model.empty()) {
    tell("searching a placement for these times");
    auto found = search_placement(here.problem, plan.job, stop);
    if (found.placement.empty())
      measured.left_out.push_back("learned: no placement that fits was found");
    else
      add(candidates, {found.method, found.placement});
    if (!plan.out.empty() && !found.placement.empty())
      if (auto wrote = write_placement(*problem, {found.method, found.placement}, plan.out); !wrote)
        return wrote.error();
  } else {
    auto told = from_file(*problem, plan.model);
    if (!told) return std::move(told).error();
    add(candidates, *std::move(told));
  }
  Rounds rounds(candidates, here, *kernels);
  const auto count = candidates.size();
  const auto visits = count * static_cast<std::size_t>(plan.rounds);
  for (std::size_t i = 0; i < visits && !stop.stop_requested(); ++i) {
    tell("running placement " + std::to_string(i % count + 1) + " of " + std::to_string(count) +
         ", round " + std::to_string(i / count + 1) + " of " + std::to_string(plan.rounds));
    rounds.visit(i % count, plan.steps);
  }
  if (stop.stop_requested()) return refuse(Code::unavailable, "stopped");
  placement::Simulator simulator(here.problem);
  placement::Simulator profile(*problem);
  for (std::size_t i = 0; i < count; ++i) {
    auto row = rounds.result(i);
    row.simulated_ms = simulator.step_ms(candidates[i].placement);
    row.profile_ms = profile.step_ms(candidates[i].placement);
    measured.placements.push_back(std::move(row));
  }
  correlate(measured);
  return measured;
}

}  // namespace hone::trainers
