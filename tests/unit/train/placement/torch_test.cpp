// A placed graph on the devices of libtorch.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "placement/baselines/baselines.hpp"
#include "placement/retime.hpp"
#include "placement/setup.hpp"
#include "worker/train/nn/torch_module.hpp"
#include "worker/train/placement/lane_threads.hpp"
#include "worker/train/run/host.hpp"

namespace hone::trainers {
namespace {

std::vector<float> tokens_on(Kernels& kernels, const placement::Problem& problem,
                             const placement::Placement& placed) {
  std::vector<RealWork> works(static_cast<std::size_t>(problem.tasks));
  for (std::size_t t = 0; t < works.size(); ++t)
    works[t] = t % 2 == 0 ? RealWork{1e5, 0} : RealWork{0, 1e5};
  const auto step = real_step(problem, placed, works, kernels);
  LaneThreads threads(step, kernels);
  EXPECT_GT(threads.run().step_ms, 0);
  std::vector<float> tokens;
  for (std::size_t t = 0; t < works.size(); ++t) tokens.push_back(kernels.get(step.jobs[t].writes));
  return tokens;
}

TEST(TorchKernels, carry_every_tensor_to_where_it_is_read) {
  tune_process();
  const auto function = torch_function("hone_torch_kernels", "this test needs");
  ASSERT_TRUE(function.ok()) << function.error().detail;
  const auto make = reinterpret_cast<Kernels* (*)(int, int)>(*function);
  const std::unique_ptr<Kernels> kernels(make(0, 3));
  placement::Setup setup;
  setup.graph = "resnet-50";
  setup.devices = 3;
  const auto whole = *placement::set_up(setup);
  const auto problem = placement::retimed(whole, {1e-3, whole.cost_ms, whole.links[1]});
  const auto single =
      tokens_on(*kernels, problem, *placement::find_baseline("single")->place(problem, 1));
  const auto spread =
      tokens_on(*kernels, problem, *placement::find_baseline("random")->place(problem, 1));
  EXPECT_EQ(single, spread);
  EXPECT_GT(*std::max_element(single.begin(), single.end()), 1);
}

}  // namespace
}  // namespace hone::trainers
