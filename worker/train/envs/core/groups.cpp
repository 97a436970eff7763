#include "worker/train/envs/core/groups.hpp"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "base/in_parallel.hpp"

namespace hone::envs {

Result<std::vector<std::unique_ptr<VecEnv>>> make_groups(const Env& env, const EnvPlan& first,
                                                         int groups) {
  const auto count = static_cast<std::size_t>(std::max(groups, 0));
  std::vector<std::optional<Result<std::unique_ptr<VecEnv>>>> made(count);
  const auto threads = std::max(2U, std::thread::hardware_concurrency());
  in_parallel(threads, count, [&](std::size_t, std::size_t i) {
    auto plan = first;
    plan.first_index += i * static_cast<std::uint64_t>(first.count);
    made[i].emplace(env.make(plan));
  });
  std::vector<std::unique_ptr<VecEnv>> all;
  for (auto& one : made) {
    if (!*one) return std::move(*one).error();
    all.push_back(**std::move(one));
  }
  return all;
}

}  // namespace hone::envs
