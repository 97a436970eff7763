#include "worker/app/options.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/ascii.hpp"
#include "base/shown.hpp"
#include "schemas/codec/turns.hpp"
#include "sdk/cpp/credential_flags.hpp"
#include "worker/process/environment.hpp"
#include "worker/process/gpus.hpp"
#include "worker/process/machine_meter.hpp"

namespace hone::worker {
namespace {

constexpr int exit_usage = 2;
constexpr int slots_max = 1024;

struct Arguments {  // as typed
  std::string server;
  std::string slots = "auto";
  std::string gpus = "auto";
  std::string gpu_memory = "auto";
  std::string memory = "auto";
  std::string data = "hone-worker-data";
  std::string work_folder = ".";
  Credentials credentials;
};

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

Result<Endpoint> endpoint_of(const Arguments& arguments) {
  auto endpoint =
      arguments.server.empty() ? endpoint_of_environment() : parse_endpoint(arguments.server);
  if (!endpoint) return endpoint;
  if (const auto equipped = equip(*endpoint, arguments.credentials); !equipped)
    return equipped.error();
  return endpoint;
}

struct Bounds {
  int least;
  int most;
};

Result<int> number_of(const char* flag, const std::string& text, Bounds bounds) {
  const int number = is_digits(text) && text.size() <= 4 ? std::stoi(text) : -1;
  if (number < bounds.least || number > bounds.most)
    return refuse(Code::invalid, std::string(flag) + " must be 'auto' or a number from " +
                                     std::to_string(bounds.least) + " to " +
                                     std::to_string(bounds.most) + ", not '" + text + "'");
  return number;
}

Result<int> slots_of(const std::string& text) {
  if (text == "auto") return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return number_of("--slots", text, {1, slots_max});
}

// "16GiB", or a number of bytes, as the server writes it for a fleet's workers.
Result<std::int64_t> size_of(const std::string& text) {
  const bool is_number = is_digits(text) && text.size() < 16;
  return decode_size(is_number ? Json(std::stoll(text)) : Json(text), "");
}

// `names`: as Gpus::names.
struct OfferedGpus {
  int count = 0;
  std::vector<std::int64_t> memory{};
  std::vector<std::string> names{};
};

Result<OfferedGpus> gpus_of(const Arguments& arguments) {
  OfferedGpus offered;
  const bool all = arguments.gpus == "auto";
  if (!all) {
    const auto number = number_of("--gpus", arguments.gpus, {0, gpus_max});
    if (!number) return number.error();
    offered.count = *number;
  }
  if (all || offered.count > 0) {
    Gpus found = find_gpus(own_environment());
    if (all) offered.count = found.count;
    offered.names = std::move(found.names);
    if (static_cast<int>(found.memory.size()) >= offered.count) offered.memory = found.memory;
    offered.memory.resize(std::min(offered.memory.size(), static_cast<std::size_t>(offered.count)));
  }
  if (arguments.gpu_memory == "auto") return offered;
  const auto bytes = size_of(arguments.gpu_memory);
  if (!bytes)
    return refuse(Code::invalid, "--gpu-memory must be 'auto' or a size such as 24GiB, not '" +
                                     arguments.gpu_memory + "'");
  offered.memory.assign(static_cast<std::size_t>(offered.count), *bytes);
  return offered;
}

// A run sees the entries of the worker's own list that it gets.
void name_gpus(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
  if (!list.empty()) ::setenv("CUDA_VISIBLE_DEVICES", list.c_str(), 1);
}

Result<std::int64_t> memory_of(const std::string& text) {
  if (text == "auto") return MachineMeter().memory();
  const auto bytes = size_of(text);
  if (!bytes)
    return refuse(Code::invalid,
                  "--memory must be 'auto' or a size such as 500MiB or 16GiB, not '" + text + "'");
  return *bytes;
}

Status check_labels(const std::vector<std::string>& labels) {
  const auto read = decode_labels(Json(labels), "");
  if (read) return Done{};
  return refuse(Code::invalid, "--label " + read.error().detail);
}

void declare(CLI::App& app, Options& options, Arguments& arguments) {
  app.set_version_flag("--version", "hone-worker " HONE_VERSION);
  app.add_option(
      "--server", arguments.server,
      "URL of the hone server, or of it and its standbys with commas (default: HONE_SERVER, or "
      "http://127.0.0.1:7777)");
  for (const CredentialFlag& flag : credential_flags)
    app.add_option(flag.option, arguments.credentials.*flag.member, flag.help)
        ->type_name(flag.value);
  app.add_option("--slots", arguments.slots, "number of CPU slots, or 'auto' for one per processor")
      ->capture_default_str();
  app.add_option("--gpus", arguments.gpus,
                 "number of GPUs to assign to runs that request them, or 'auto' for all there are")
      ->capture_default_str();
  app.add_option("--gpu-memory", arguments.gpu_memory,
                 "memory of each GPU, for runs that share it, or 'auto' for what the driver tells")
      ->capture_default_str();
  app.add_option("--memory", arguments.memory,
                 "memory for runs that request some, as 16GiB, or 'auto' for that of the machine")
      ->capture_default_str();
  app.add_option("--label", options.labels,
                 "KEY=VALUE for runs that require it (resources.labels); repeatable")
      ->expected(1)
      ->take_all();
  app.add_option("--data", arguments.data,
                 "folder for logs, checkpoints and run files, used by one worker")
      ->capture_default_str();
  app.add_option("--workdir", arguments.work_folder, "working folder of command trainers")
      ->capture_default_str();
  app.add_option("--name", options.name,
                 "name of this worker on the server (default: the host name)");
  app.add_flag("--die-with-parent", options.die_with_parent, "exit when the parent process exits");
  app.add_flag("--until-idle", options.until_idle,
               "exit when the server has no work and no run is left");
  const auto time = [&](const char* name, double& value, const char* help) {
    const std::map<std::string, double> units{{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86'400}};
    app.add_option(name, value, help)
        ->transform(CLI::AsNumberWithUnit(units))
        ->check(CLI::Range(0.0, 3650.0 * 86'400));
  };
  time("--idle", options.idle_s, "exit after this time without a run (90s, 15m, 2h)");
  time("--ends-in", options.ends_in_s,
       "the machine is taken away then: take only runs whose next phase fits, return the others");
  time("--drain", options.drain_s, "with --ends-in: take no run so long before the end (60s)");
  app.add_option("--pilot", options.pilot, "token of the fleet that started this worker");
  app.add_flag("--verbose", options.verbose, "log debug messages");
  app.add_option("--rerun", options.rerun, "for hone reproduce: execute the run of this file")
      ->group("");
}

Status settle(Options& options, const Arguments& arguments) {
  auto endpoint = endpoint_of(arguments);
  if (!endpoint) return endpoint.error();
  const auto slots = slots_of(arguments.slots);
  if (!slots) return slots.error();
  const auto gpus = gpus_of(arguments);
  if (!gpus) return gpus.error();
  const auto memory = memory_of(arguments.memory);
  if (!memory) return memory.error();
  if (const auto labels = check_labels(options.labels); !labels) return labels;
  options.endpoint = std::move(*endpoint);
  options.cpus = *slots;
  options.gpus = gpus->count;
  options.gpu_memory = gpus->memory;
  name_gpus(gpus->names);
  options.memory = *memory;
  options.memory_given = arguments.memory != "auto";
  options.data = std::filesystem::absolute(arguments.data);
  options.work_folder = std::filesystem::absolute(arguments.work_folder);
  if (!std::filesystem::is_directory(options.work_folder))
    return refuse(Code::invalid, "--workdir " + options.work_folder + " is not a folder");
  if (options.name.empty()) options.name = host_name();
  return Done{};
}

}  // namespace

std::optional<Options> read_options(int argc, char** argv, int& exit_code) {
  CLI::App app{"Lease runs from a hone server and execute them on this machine."};
  Options options;
  Arguments arguments;
  declare(app, options, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error) == 0 ? 0 : exit_usage;
    return std::nullopt;
  }
  hide_tokens(argc, argv);
  if (const Status settled = settle(options, arguments); !settled) {
    std::cerr << "hone-worker: " << shown_text(settled.error().detail) << '\n';
    exit_code = exit_usage;
    return std::nullopt;
  }
  return options;
}

}  // namespace hone::worker
