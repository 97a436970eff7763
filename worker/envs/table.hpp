// The environments hone-train knows, one row each. To add one: write acrobot.hpp/.cpp's like, add
// its row to table.cpp; tests/contract/env_contract_test.cpp takes it from there.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "worker/envs/env.hpp"

namespace hone::envs {

struct EnvRow {
  const EnvSpec* spec = nullptr;
  std::unique_ptr<VecEnv> (*make)(const EnvPlan& plan) = nullptr;
};

std::span<const EnvRow> env_table();

// nullptr where there is none of that name.
const EnvRow* find_env(std::string_view name);

}  // namespace hone::envs
