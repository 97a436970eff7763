// The environments hone-train knows. To add one of ours: write acrobot.hpp/.cpp's like, add its row
// to table.cpp; tests/contract/env_contract_test.cpp takes it from there. One whose spec is known
// only when it runs (another program's) is a branch of find_env that returns an Env of its own.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "schemas/types/result.hpp"
#include "worker/envs/env.hpp"

namespace hone::envs {

// An environment by its name: what it is like, and how to get one.
struct Env {
  std::string name;
  EnvSpec spec;
  std::function<Result<std::unique_ptr<VecEnv>>(const EnvPlan& plan)> make;
};

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
