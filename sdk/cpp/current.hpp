// The run of this process: its parameters and budget, and its connection to the worker.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "sdk/cpp/run_file.hpp"
#include "sdk/cpp/trial.hpp"

namespace hone {

class CurrentRun {
 public:
  // Opens the run that HONE_RUN_FILE, HONE_SOCKET and HONE_CHECKPOINT_DIR name. Returns not_found
  // if no sweep runs this program, unavailable if its worker is gone.
  static Result<CurrentRun> open();

  [[nodiscard]] const RunFile& file() const { return file_; }
  [[nodiscard]] const std::filesystem::path& checkpoint_dir() const { return checkpoints_; }

  // Returns the parameter converted to the requested type, or `fallback` if it is absent or of
  // another type. real() also converts integers.
  [[nodiscard]] double real(std::string_view name, double fallback) const;
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t fallback) const;
  [[nodiscard]] bool truth(std::string_view name, bool fallback) const;
  [[nodiscard]] std::string text(std::string_view name, std::string fallback) const;

  [[nodiscard]] int first_phase() const { return file_.next_phase; }
  [[nodiscard]] int phases() const { return file_.budget.phases; }
  // The step at which a phase ends.
  [[nodiscard]] std::int64_t phase_end(int phase) const {
    return file_.budget.per_run * (phase + 1) / file_.budget.phases;
  }

  // Call at the end of a phase; exit with status 0 unless the verdict is to continue.
  Result<TrialVerdict> report(int phase, double value);
  Status metric(std::string_view name, std::int64_t step, double value);
  Result<std::string> checkpoint(const std::filesystem::path& file, int phase);

  // The connection, for everything else.
  [[nodiscard]] Trial& trial() const { return *trial_; }

 private:
  CurrentRun(RunFile file, std::unique_ptr<Trial> trial, std::filesystem::path checkpoints);
  template <class T>
  [[nodiscard]] const T* find_as(std::string_view name) const;

  RunFile file_;
  std::unique_ptr<Trial> trial_;
  std::filesystem::path checkpoints_;
};

}  // namespace hone
