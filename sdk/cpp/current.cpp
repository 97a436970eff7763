#include "sdk/cpp/current.hpp"

#include <cstdlib>
#include <string>
#include <utility>

namespace hone {
namespace {

// Call before the program starts threads that change its environment.
std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? std::string() : value;
}

}  // namespace

Result<CurrentRun> CurrentRun::open() {
  const auto path = variable("HONE_RUN_FILE");
  const auto socket = variable("HONE_SOCKET");
  if (path.empty() || socket.empty())
    return refuse(Code::not_found,
                  "no sweep runs this program: HONE_RUN_FILE and HONE_SOCKET are not set");
  auto file = read_run_file(path);
  if (!file) return file.error();
  auto trial = Trial::connect(socket);
  if (!trial) return trial.error();
  return CurrentRun(*std::move(file), *std::move(trial), variable("HONE_CHECKPOINT_DIR"));
}

CurrentRun::CurrentRun(RunFile file, std::unique_ptr<Trial> trial,
                       std::filesystem::path checkpoints)
    : file_(std::move(file)), trial_(std::move(trial)), checkpoints_(std::move(checkpoints)) {}

template <class T>
const T* CurrentRun::find_as(std::string_view name) const {
  const Value* value = find(file_.params, name);
  return value == nullptr ? nullptr : std::get_if<T>(value);
}

double CurrentRun::real(std::string_view name, double fallback) const {
  if (const auto* number = find_as<double>(name)) return *number;
  const auto* whole = find_as<std::int64_t>(name);
  return whole == nullptr ? fallback : static_cast<double>(*whole);
}

std::int64_t CurrentRun::integer(std::string_view name, std::int64_t fallback) const {
  const auto* number = find_as<std::int64_t>(name);
  return number == nullptr ? fallback : *number;
}

bool CurrentRun::truth(std::string_view name, bool fallback) const {
  const auto* found = find_as<bool>(name);
  return found == nullptr ? fallback : *found;
}

std::string CurrentRun::text(std::string_view name, std::string fallback) const {
  const auto* found = find_as<std::string>(name);
  return found == nullptr ? std::move(fallback) : *found;
}

Result<TrialVerdict> CurrentRun::report(int phase, double value) {
  return trial_->report(phase, phase_end(phase), Score::of(value));
}

Status CurrentRun::metric(std::string_view name, std::int64_t step, double value) {
  return trial_->metric(name, step, value);
}

Result<std::string> CurrentRun::checkpoint(const std::filesystem::path& file, int phase) {
  return trial_->checkpoint(file, phase_end(phase), phase);
}

}  // namespace hone
