// Environments by name: the built-in ones of schemas/trainers/environments.hpp, which says how
// to add one, and those of another program (bridge/), whose specs are known only when it runs.
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

// The built-in environments.
std::span<const EnvRow> env_table();

// Refuses an unknown name, and the name of an environment that needs a library without which hone
// was built.
Result<Env> find_env(std::string_view name);

}  // namespace hone::envs
