#include "worker/envs/table.hpp"

#include <array>

#include "worker/envs/acrobot.hpp"
#include "worker/envs/cartpole.hpp"

namespace hone::envs {
namespace {

constexpr std::array rows{
    EnvRow{&cartpole::spec, cartpole::make},
    EnvRow{&acrobot::spec, acrobot::make},
};

}  // namespace

std::span<const EnvRow> env_table() { return rows; }

const EnvRow* find_env(std::string_view name) {
  for (const auto& row : rows)
    if (row.spec->name == name) return &row;
  return nullptr;
}

}  // namespace hone::envs
