// The environments hone-train knows. To add one of ours: write acrobot.hpp/.cpp's like, add its row
// to table.cpp; tests/contract/env_contract_test.cpp takes it from there. One whose spec is known
// only when it runs (another program's) is a branch of find_env that returns an Env of its own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "worker/train/envs/core/env.hpp"

namespace hone::envs {

struct EnvRow {
  std::string_view name;
  const EnvSpec* spec = nullptr;
  std::unique_ptr<VecEnv> (*make)(const EnvPlan& plan) = nullptr;
};

// Those that are built in.
std::span<const EnvRow> env_table();

// Refuses a name that is not known, or one of an environment that hone was built without, and says
// which.
Result<Env> find_env(std::string_view name);

}  // namespace hone::envs
