#include "sdk/cpp/import/formats.hpp"

#include <algorithm>
#include <array>

namespace hone {
namespace {

constexpr std::array table{
    ImportFormat{"wandb", "a sweep of Weights & Biases (YAML or JSON)", import_wandb},
    ImportFormat{"katib", "an Experiment of Kubeflow Katib", import_katib},
    ImportFormat{"nni", "a configuration of Microsoft NNI, or its search space alone", import_nni},
    ImportFormat{"optuna", "a search space of Optuna (as for optuna ask --search-space)",
                 import_optuna},
    ImportFormat{"ray", "an experiment or a search space of Ray Tune, RLlib or Ludwig", import_ray},
    ImportFormat{"hydra", "a configuration of a sweeper of Hydra (basic, Optuna, Ax, Nevergrad)",
                 import_hydra},
    ImportFormat{"determined", "a configuration of Determined AI", import_determined},
};

}  // namespace

std::span<const ImportFormat> import_formats() { return table; }

const ImportFormat* find_import_format(std::string_view name) {
  const auto* row = std::find_if(table.begin(), table.end(),
                                 [&](const ImportFormat& format) { return format.name == name; });
  return row == table.end() ? nullptr : row;
}

}  // namespace hone
