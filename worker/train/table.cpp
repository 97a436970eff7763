#include "worker/train/table.hpp"

#include <array>

#include "worker/train/actor_critic/actor_critic.hpp"
#include "worker/train/actor_critic/evaluate.hpp"
#include "worker/train/episodic/episodic.hpp"
#include "worker/train/placement/search.hpp"

namespace hone::trainers {
namespace {

constexpr std::array rows{
    TrainerRow{"ga3c", ga3c::make_ga3c, ga3c::evaluate},
    TrainerRow{"a3c", ga3c::make_a3c, ga3c::evaluate},
    TrainerRow{"a2c", ga3c::make_a2c, ga3c::evaluate},
    TrainerRow{"placement", make_placement, evaluate_placement, true},
    TrainerRow{"cem", episodic::make_cem, episodic::evaluate},
    TrainerRow{"reinforce", episodic::make_reinforce, episodic::evaluate},
};

}  // namespace

std::span<const TrainerRow> trainer_table() { return rows; }

const TrainerRow* find_trainer_row(std::string_view name) {
  for (const auto& row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace hone::trainers
