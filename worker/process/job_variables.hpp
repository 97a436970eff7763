// The variables of a job of a batch system, MPI or an elastic launcher, in which a worker runs.
// They describe the ranks and addresses of that job: a trial that found them would join it, or wait
// for ranks that do not exist. docs/fleets.md lists them.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace hone::worker {

// A name that ends with '*' stands for all that begin like it.
inline constexpr std::array<std::string_view, 27> job_variables{
    "SLURM_*",        "SLURMD_*",   "SRUN_*",           "SBATCH_*",        "PMI_*",
    "PMI2_*",         "PMIX_*",     "OMPI_*",           "PRTE_*",          "MPI_*",
    "MV2_*",          "PALS_*",     "FLUX_*",           "JSM_*",           "LSB_*",
    "TORCHELASTIC_*", "GROUP_RANK", "ROLE_RANK",        "NODE_RANK",       "RANK",
    "WORLD_SIZE",     "LOCAL_RANK", "LOCAL_WORLD_SIZE", "ROLE_WORLD_SIZE", "MASTER_ADDR",
    "MASTER_PORT",    "TF_CONFIG"};

// Places, and nothing about ranks.
inline constexpr std::array<std::string_view, 2> job_variables_kept{"SLURM_CONF", "SLURM_TMPDIR"};

constexpr bool matches_name(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  pattern.remove_suffix(1);
  return name.starts_with(pattern);
}

constexpr bool is_job_variable(std::string_view name) {
  const auto matches = [&](std::string_view pattern) { return matches_name(pattern, name); };
  return std::ranges::none_of(job_variables_kept, matches) &&
         std::ranges::any_of(job_variables, matches);
}

}  // namespace hone::worker
