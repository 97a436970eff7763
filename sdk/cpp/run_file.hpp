// The input of a trial process: the file that HONE_RUN_FILE names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/budget_spec.hpp"
#include "schemas/types/score.hpp"
#include "schemas/types/trainer_spec.hpp"
#include "schemas/types/value.hpp"

namespace hone {

struct RunFile {
  struct Resume {
    std::string model;
    std::filesystem::path path;
    std::int64_t step = 0;
    int phase = 0;
  };

  std::string run;  // "rn_42.0"
  int attempt = 1;
  std::string sweep;  // "sw_7"
  std::string sweep_name;
  TrainerSpec trainer;
  Params params;
  std::uint64_t seed = 0;
  Objective objective;
  std::vector<Objective> further_objectives;  // that are traded off against it
  BudgetSpec budget;
  int next_phase = 0;
  std::optional<Resume> resume;
};

Result<RunFile> parse_run_file(std::string_view text);
Result<RunFile> read_run_file(const std::filesystem::path& path);

}  // namespace hone
