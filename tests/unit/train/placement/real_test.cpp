// Real steps of placed graphs: the jobs are those of the simulator, and no job runs before its
// inputs are there.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "placement/baselines/baselines.hpp"
#include "placement/retime.hpp"
#include "placement/setup.hpp"
#include "placement/simulator.hpp"
#include "worker/train/placement/bench_here.hpp"
#include "worker/train/placement/ranks.hpp"

namespace hone::trainers {
namespace {

using placement::Placement;
using placement::Problem;

// Devices with one number as a tensor, which count their work.
class CountingKernels : public Kernels {
 public:
  explicit CountingKernels(int devices) : devices_(devices) {}
  [[nodiscard]] int devices() const override { return devices_; }
  [[nodiscard]] std::string name(int) const override { return "counter"; }
  void work(int, const RealWork& work) override {
    if (work.flop < 0) throw std::runtime_error("less than nothing to do");
    ++works_;
  }
  int make_tensor(int, double) override {
    tensors_.push_back(0);
    return static_cast<int>(tensors_.size()) - 1;
  }
  void forget_tensors() override { tensors_.clear(); }
  void copy(int from, int to) override { put(to, get(from)); }
  void put(int tensor, float number) override {
    tensors_[static_cast<std::size_t>(tensor)] = number;
  }
  float get(int tensor) override { return tensors_[static_cast<std::size_t>(tensor)]; }
  [[nodiscard]] int works() const { return works_; }

 private:
  int devices_;
  std::atomic<int> works_ = 0;
  std::vector<float> tensors_;
};

Problem problem_of(const std::string& graph, int devices) {
  placement::Setup setup;
  setup.graph = graph;
  setup.devices = devices;
  return *placement::set_up(setup);
}

// The number that each task must write, computed without devices.
std::vector<float> tokens_of(const Problem& problem) {
  std::vector<std::vector<float>> inputs(static_cast<std::size_t>(problem.tasks));
  std::vector<float> tokens(inputs.size());
  auto needs = problem.needs;
  std::vector<std::size_t> ready;
  for (std::size_t t = 0; t < tokens.size(); ++t)
    if (needs[t] == 0) ready.push_back(t);
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const std::size_t t = ready[i];
    tokens[t] = token_of(inputs[t]);
    for (int a = problem.arc_begin[t]; a < problem.arc_begin[t + 1]; ++a) {
      const auto to = static_cast<std::size_t>(problem.arcs[static_cast<std::size_t>(a)].to);
      inputs[to].push_back(tokens[t]);
      if (--needs[to] == 0) ready.push_back(to);
    }
  }
  return tokens;
}

class RealStepOf : public testing::TestWithParam<const char*> {};

TEST_P(RealStepOf, gives_every_task_what_its_producers_wrote) {
  const auto problem = problem_of(GetParam(), 3);
  const std::vector<RealWork> works(static_cast<std::size_t>(problem.tasks));
  const auto expected = tokens_of(problem);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    CountingKernels kernels(3);
    const auto step = real_step(problem, *placement::find_baseline("random")->place(problem, seed),
                                works, kernels);
    LaneThreads threads(step, kernels);
    for (int i = 0; i < 2; ++i) threads.run();
    EXPECT_EQ(kernels.works(), 2 * problem.tasks);
    for (std::size_t t = 0; t < expected.size(); ++t)
      ASSERT_EQ(kernels.get(step.jobs[t].writes), expected[t]) << "task " << t;
  }
}

TEST_P(RealStepOf, sends_what_the_simulator_sends) {
  const auto problem = problem_of(GetParam(), 4);
  const std::vector<RealWork> works(static_cast<std::size_t>(problem.tasks));
  for (const std::uint64_t seed : {4U, 5U}) {
    CountingKernels kernels(4);
    const auto placed = *placement::find_baseline("random")->place(problem, seed);
    const auto step = real_step(problem, placed, works, kernels);
    const auto simulated = placement::Simulator(problem).trace(placed);
    EXPECT_EQ(step.jobs.size() - static_cast<std::size_t>(problem.tasks),
              simulated.transfers.size());
    EXPECT_GT(simulated.transfers.size(), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, RealStepOf,
                         testing::Values("inception-v3", "rnnlm", "transformer"),
                         [](const auto& graph) {
                           std::string name = graph.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(LaneThreads, says_what_a_kernel_threw) {
  const auto problem = problem_of("resnet-50", 2);
  std::vector<RealWork> works(static_cast<std::size_t>(problem.tasks));
  works[5].flop = -1;
  CountingKernels kernels(2);
  const auto step =
      real_step(problem, *placement::find_baseline("random")->place(problem, 1), works, kernels);
  LaneThreads threads(step, kernels);
  EXPECT_THROW(threads.run(), std::runtime_error);
}

TEST(Retimed, with_the_same_times_and_links_is_the_same_step) {
  const auto problem = problem_of("rnnlm", 2);
  const auto placed = *placement::find_baseline("expert")->place(problem, 1);
  const auto same = placement::retimed(problem, {1, problem.cost_ms, problem.links[1]});
  EXPECT_DOUBLE_EQ(placement::Simulator(same).makespan(placed),
                   placement::Simulator(problem).makespan(placed));
  EXPECT_DOUBLE_EQ(same.failed_ms, problem.failed_ms);
}

TEST(Retimed, at_half_the_size_on_half_the_times_takes_half_as_long_and_fits_as_before) {
  const auto problem = problem_of("nmt", 2);
  const auto placed = *placement::find_baseline("expert")->place(problem, 1);
  auto costs = problem.cost_ms;
  for (double& cost : costs) cost /= 2;
  auto link = problem.links[1];
  link.latency_ms /= 2;
  const auto half = placement::retimed(problem, {0.5, costs, link});
  EXPECT_NEAR(placement::Simulator(half).makespan(placed),
              placement::Simulator(problem).makespan(placed) / 2, 1e-9);
  std::vector<double> bytes;
  EXPECT_EQ(placement::fits(half, placed, bytes), placement::fits(problem, placed, bytes));
}

TEST(BenchHere, makes_a_graph_small_enough_and_times_each_of_its_tasks) {
  const auto problem = problem_of("inception-v3", 2);
  CountingKernels kernels(2);
  const auto here = bench_here(problem, kernels, 1e-6, 3);
  EXPECT_LT(here.scale, 1);
  EXPECT_EQ(here.works.size(), static_cast<std::size_t>(problem.tasks));
  for (const double cost : here.problem.cost_ms) EXPECT_GT(cost, 0);
}

TEST(RankCorrelation, is_spearmans) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {10, 20, 30, 400}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  EXPECT_NEAR(rank_correlation({1, 2, 3, 4, 5}, {2, 1, 4, 3, 5}), 0.8, 1e-12);
  EXPECT_NEAR(rank_correlation({1, 1, 2}, {1, 2, 3}), 0.8660254037844387, 1e-12);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 1, 1}, {1, 2, 3}), 0);
}

}  // namespace
}  // namespace hone::trainers
