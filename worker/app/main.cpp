// hone-worker: leases runs and executes them. The rules are in worker/agent/agent.hpp, the event
// loop in worker/process/loop.hpp.
#include <spdlog/formatter.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "base/files.hpp"
#include "base/hex.hpp"
#include "base/process.hpp"
#include "base/shown.hpp"
#include "worker/app/options.hpp"
#include "worker/process/loop.hpp"
#include "worker/process/memory_group.hpp"
#include "worker/process/rerun.hpp"

namespace hone::worker {
namespace {

constexpr int exit_failure = 1;

// A message may quote what a server sent.
class ShownLines final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    auto shown = message;
    const std::string text = shown_text({message.payload.data(), message.payload.size()});
    shown.payload = text;
    pattern_.format(shown, line);
    message.color_range_start = shown.color_range_start;
    message.color_range_end = shown.color_range_end;
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<ShownLines>();
  }

 private:
  spdlog::pattern_formatter pattern_{"%H:%M:%S.%e %^%l%$ %v"};
};

void log_to_stderr(bool verbose) {
  spdlog::set_default_logger(spdlog::stderr_color_mt("hone-worker"));
  spdlog::set_formatter(std::make_unique<ShownLines>());
  spdlog::set_level(verbose ? spdlog::level::debug : spdlog::level::info);
}

// What runs write is only for this account. An existing folder keeps its own mode: it may hold more
// than a worker's files.
void make_private_folders(const std::filesystem::path& data) {
  namespace fs = std::filesystem;
  if (fs::create_directories(data)) fs::permissions(data, fs::perms::owner_all);
  for (const char* name : {"runs", "logs", "spool", "cache"}) {
    fs::create_directories(data / name);
    fs::permissions(data / name, fs::perms::owner_all);
  }
}

// Locks the data folder: two workers in one folder would remove each other's runs.
FileHandle lock_data(const std::string& data) {
  make_private_folders(data);
  auto lock = lock_file(data + "/worker.lock");
  if (!lock && lock.error().code == Code::conflict)
    throw std::runtime_error("another worker uses the data folder " + data +
                             ": give each its own with --data");
  if (!lock)
    throw std::runtime_error("cannot write in the data folder " + data + ": " +
                             lock.error().detail);
  return *std::move(lock);
}

void die_with_parent() {
  // The loop finds the blocked signal.
  if (!end_with_parent(::getppid(), SIGTERM)) ::raise(SIGTERM);
}

std::string program_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

// Identifies this process among all workers. No result of a run depends on it.
std::uint64_t random_number() {
  return std::stoull(random_hex(sizeof(std::uint64_t)), nullptr, 16);
}

// Those that the slots of older workers did not name come only where they are given.
std::string further_offer(const Options& options) {
  std::string text = options.memory_given ? " " + std::to_string(options.memory) : "";
  for (const std::string& label : options.labels) text += " " + label;
  for (const std::int64_t bytes : options.gpu_memory) text += " gpu=" + std::to_string(bytes);
  return text;
}

// A worker that is started again with its data folder is the same worker and keeps its leases,
// unless its slots, labels or name changed or the folder was moved to another host.
std::string worker_id(const Options& options, std::uint64_t number) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string offer = std::to_string(options.cpus) + " " + std::to_string(options.gpus) +
                            " " + host.data() + " " + options.name + further_offer(options);
  const std::string path = options.data + "/worker-id";
  std::string name;
  std::string known;
  std::ifstream file(path);
  if (std::getline(file, name) && std::getline(file, known) && known == offer) return name;
  name = "worker-" + std::to_string(number);
  std::ofstream(path + ".new") << name << '\n' << offer << '\n';
  std::filesystem::rename(path + ".new", path);
  return name;
}

LoopConfig loop_config(const Options& options) {
  LoopConfig config;
  const std::uint64_t number = random_number();
  config.agent.join = {worker_id(options, number),
                       options.name,
                       ::getpid(),
                       options.cpus,
                       options.gpus,
                       HONE_VERSION,
                       options.pilot,
                       options.memory,
                       options.labels,
                       options.gpu_memory};
  config.agent.life = "-" + std::to_string(number);
  config.agent.seed = number;
  config.agent.until_idle = options.until_idle;
  const auto duration = [](double s) { return Duration{static_cast<std::int64_t>(s * 1e6)}; };
  if (options.idle_s > 0) config.agent.idle = duration(options.idle_s);
  if (options.ends_in_s > 0) config.agent.ends_in = duration(options.ends_in_s);
  config.agent.drain = duration(options.drain_s);
  config.agent.records_code = true;
  config.endpoint = options.endpoint;
  config.paths = {options.data, program_folder(), options.work_folder};
  config.joined = [options](const JoinReply& reply) {
    std::cout << "hone-worker " << text(reply.worker) << " ready: " << options.cpus
              << (options.cpus == 1 ? " slot" : " slots");
    if (options.gpus > 0)
      std::cout << ", " << options.gpus << (options.gpus == 1 ? " GPU" : " GPUs");
    for (const std::string& label : options.labels) std::cout << ", " << label;
    std::cout << ", server " << options.endpoint.urls() << std::endl;
  };
  return config;
}

int run_again(const Options& options) {
  const WorkerPaths paths{options.data, program_folder(), options.work_folder};
  const auto done = rerun(paths, options.rerun);
  if (done) return 0;
  std::cerr << "hone-worker: " << shown_text(done.error().detail) << '\n';
  return exit_failure;
}

int run(const Options& options) {
  log_to_stderr(options.verbose);
  block_signals();
  if (options.die_with_parent) die_with_parent();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // reaps the orphans of a keeper that is killed
  const FileHandle lock = lock_data(options.data);
  if (const auto groups = use_memory_groups())
    spdlog::info("resources.memory is enforced by control groups below {}", *groups);
  else
    spdlog::info("resources.memory is measured once a second, not enforced: {}",
                 groups.error().detail);
  if (!options.rerun.empty()) return run_again(options);
  Loop loop(loop_config(options));
  loop.run();
  return 0;
}

}  // namespace
}  // namespace hone::worker

int main(int argc, char** argv) {
  int exit_code = 0;
  const auto options = hone::worker::read_options(argc, argv, exit_code);
  if (!options) return exit_code;
  try {
    return hone::worker::run(*options);
  } catch (const std::exception& error) {
    std::cerr << "hone-worker: " << hone::shown_text(error.what()) << '\n';
    return hone::worker::exit_failure;
  }
}
