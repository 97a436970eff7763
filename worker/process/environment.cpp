#include "worker/process/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sdk/cpp/secrets.hpp"
#include "worker/process/job_variables.hpp"

namespace hone::worker {
namespace {

class Environment {
 public:
  explicit Environment(std::vector<std::string> entries) : entries_(std::move(entries)) {}

  [[nodiscard]] std::optional<std::string> get(std::string_view name) const {
    for (const auto& entry : entries_)
      if (is(entry, name)) return entry.substr(name.size() + 1);
    return std::nullopt;
  }

  void drop(std::string_view name) {
    std::erase_if(entries_, [&](const std::string& entry) { return is(entry, name); });
  }

  // Drops the variables of a job around the worker, except those that `named` names.
  void drop_job(const std::vector<std::string>& named) {
    std::erase_if(entries_, [&](const std::string& entry) {
      const auto name = std::string_view(entry).substr(0, entry.find('='));
      return is_job_variable(name) && std::ranges::none_of(named, [&](const std::string& one) {
               return matches_name(one, name);
             });
    });
  }

  void set(std::string_view name, const std::string& value) {
    drop(name);
    entries_.push_back(std::string(name) + "=" + value);
  }

  [[nodiscard]] std::vector<std::string> take() { return std::move(entries_); }

 private:
  static bool is(const std::string& entry, std::string_view name) {
    return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
  }

  std::vector<std::string> entries_;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> items(1);
  for (const char c : list) {
    if (c == ',')
      items.emplace_back();
    else
      items.back() += c;
  }
  return items;
}

}  // namespace

std::vector<std::string> device_names(const std::vector<std::string>& own,
                                      const std::vector<int>& gpus) {
  const auto visible = Environment(own).get("CUDA_VISIBLE_DEVICES");
  const auto names = visible && !visible->empty() ? split(*visible) : std::vector<std::string>{};
  std::vector<std::string> devices;
  for (const int gpu : gpus) {
    const auto index = static_cast<std::size_t>(gpu);
    devices.push_back(index < names.size() ? names[index] : std::to_string(gpu));
  }
  return devices;
}

bool named_as_by_driver(const std::vector<std::string>& environment,
                        const std::vector<std::string>& devices) {
  const auto order = Environment(environment).get("CUDA_DEVICE_ORDER");
  if (!order || *order == "PCI_BUS_ID") return true;
  return std::ranges::none_of(devices, [](const std::string& device) {
    return device.find_first_not_of("0123456789") == std::string::npos;
  });
}

std::vector<std::string> trial_environment(const std::vector<std::string>& own,
                                           const TrialPlaces& places, int cpus,
                                           const std::vector<int>& gpus) {
  static constexpr std::array<std::string_view, 5> thread_counts{
      "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
      "VECLIB_MAXIMUM_THREADS"};
  Environment environment(own);
  for (const auto secret : secret_variables) environment.drop(secret);
  environment.drop_job(split(environment.get("HONE_PASS_ENV").value_or("")));
  environment.set("HONE_RUN_FILE", places.run_file);
  environment.set("HONE_SOCKET", places.socket);
  environment.set("HONE_CHECKPOINT_DIR", places.checkpoints);
  environment.set("HONE_FOLDER", places.files);
  environment.set("HONE_PARAMS_FILE", places.params_file);
  for (const auto name : thread_counts) environment.set(name, std::to_string(cpus));
  std::string devices;
  for (const std::string& device : device_names(own, gpus))
    devices += (devices.empty() ? "" : ",") + device;
  environment.set("CUDA_VISIBLE_DEVICES", devices);
  if (!gpus.empty() && !environment.get("CUDA_DEVICE_ORDER"))
    environment.set("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
  // A Python program's `@hone` lines must not wait in its buffer.
  if (!environment.get("PYTHONUNBUFFERED")) environment.set("PYTHONUNBUFFERED", "1");
  return environment.take();
}

std::vector<std::string> sharing_gpus(std::vector<std::string> environment, std::int64_t bytes) {
  if (bytes == 0) return environment;
  Environment shared(std::move(environment));
  shared.set("HONE_GPU_MEMORY", std::to_string(bytes));
  const auto usually = [&](std::string_view name, const char* value) {
    if (!shared.get(name)) shared.set(name, value);
  };
  usually("XLA_PYTHON_CLIENT_PREALLOCATE", "false");
  usually("TF_FORCE_GPU_ALLOW_GROWTH", "true");
  return shared.take();
}

std::vector<std::string> with_variables(std::vector<std::string> environment,
                                        const std::vector<EnvVar>& variables) {
  Environment all(std::move(environment));
  for (const EnvVar& variable : variables) all.set(variable.name, variable.value);
  return all.take();
}

std::vector<std::string> own_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    entries.emplace_back(*entry);
  return entries;
}

}  // namespace hone::worker
