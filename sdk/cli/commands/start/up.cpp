// up: runs a server and workers on this machine.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/files.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/local/data_folder.hpp"
#include "sdk/cli/local/programs.hpp"
#include "sdk/cli/local/supervisor.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

struct UpOptions {
  std::string data = default_data_folder();
  std::string listen = "127.0.0.1:7777";
  std::string slots = "auto";
  int workers = 1;
  std::string gpus = "auto";
  std::string gpu_memory = "auto";
  std::string work_folder = ".";
  std::string log;
  Credentials credentials;  // the server's certificate and key, and the CA that the workers trust
  bool auth = false;
  bool insecure = false;
};

// The same rule as the server's (server/app/main.cpp).
bool requires_tokens(const UpOptions& options) {
  const bool is_local = options.listen.starts_with("127.") ||
                        options.listen.starts_with("localhost:") ||
                        options.listen.starts_with("[::1]:");
  return options.auth || (!is_local && !options.insecure);
}

std::string worker_token_file(const UpOptions& options) {
  return (fs::absolute(options.data) / "worker.token").string();
}

// Slots of each worker. "auto" shares the cores of this machine among the workers.
Result<int> slots_of(const UpOptions& options) {
  if (options.slots == "auto") {
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    return std::max(1, cores / std::max(1, options.workers));
  }
  const int slots = std::atoi(options.slots.c_str());
  if (slots < 1 || std::to_string(slots) != options.slots)
    return refuse(Code::invalid,
                  "--slots " + options.slots + " is neither a positive number nor auto");
  return slots;
}

// The worker itself finds the GPUs.
Status check_gpus(const std::string& gpus) {
  constexpr int most = 64;
  const int number = std::atoi(gpus.c_str());
  if (gpus == "auto" || (std::to_string(number) == gpus && number >= 0 && number <= most))
    return Done{};
  return refuse(Code::invalid, "--gpus " + gpus + " is neither a number from 0 to 64 nor auto");
}

Status make_folder(const fs::path& folder) {
  const auto made = make_durable_folder(folder);
  if (made) return made;
  return refuse(Code::invalid, "cannot create the folder " + folder.string() + ": " +
                                   made.error().detail + "; choose another with --data DIR");
}

// Only the first worker gets the GPUs: two workers would hand out the same GPUs twice.
Program worker_program(const UpOptions& options, const std::string& path, int number, int slots) {
  const fs::path data = fs::absolute(options.data);
  const std::string name = "worker-" + std::to_string(number);
  Program program{"worker " + std::to_string(number),
                  {path, "--server", "@URL@", "--slots", std::to_string(slots), "--gpus",
                   number == 1 ? options.gpus : "0", "--gpu-memory", options.gpu_memory, "--data",
                   (data / "workers" / std::to_string(number)).string(), "--workdir",
                   fs::absolute(options.work_folder).string(), "--die-with-parent"},
                  (data / "logs" / (name + ".log")).string()};
  if (requires_tokens(options))
    program.argv.insert(program.argv.end(), {"--token-file", worker_token_file(options)});
  const auto& trusted = options.credentials.tls_ca.empty() ? options.credentials.tls_cert
                                                           : options.credentials.tls_ca;
  if (!trusted.empty()) program.argv.insert(program.argv.end(), {"--tls-ca", trusted});
  return program;
}

Program server_program(const UpOptions& options, const std::string& path) {
  const fs::path data = fs::absolute(options.data);
  Program program{"server",
                  {path, "--data", data.string(), "--listen", options.listen, "--die-with-parent"},
                  options.log.empty() ? (data / "logs" / "server.log").string() : options.log};
  if (!options.credentials.tls_cert.empty())
    program.argv.insert(program.argv.end(), {"--tls-cert", options.credentials.tls_cert,
                                             "--tls-key", options.credentials.tls_key});
  if (options.auth) program.argv.emplace_back("--auth");
  if (options.insecure) program.argv.emplace_back("--insecure");
  if (requires_tokens(options))
    program.argv.insert(program.argv.end(), {"--worker-token-file", worker_token_file(options)});
  return program;
}

Result<UpPlan> up_plan(const UpOptions& options, int slots) {
  const auto server = find_program("hone-server");
  if (!server) return server.error();
  const auto worker = find_program("hone-worker");
  if (!worker) return worker.error();
  const fs::path data = fs::absolute(options.data);
  if (const auto made = make_folder(data / "logs"); !made) return made.error();
  UpPlan plan;
  plan.server = server_program(options, *server);
  for (int number = 1; number <= options.workers; ++number)
    plan.workers.push_back(worker_program(options, *worker, number, slots));
  return plan;
}

std::string welcome_text(const UpOptions& options, int slots, const std::string& url,
                         const Screen& screen) {
  const std::string shared = options.workers == 1
                                 ? std::to_string(slots)
                                 : std::to_string(slots * options.workers) + " (" +
                                       std::to_string(options.workers) + " workers with " +
                                       std::to_string(slots) + " each)";
  const bool usual = url == "http://127.0.0.1:7777";
  const std::string server = usual ? "" : " --server " + url;
  const fs::path data = fs::absolute(options.data);
  std::vector<RecordLine> lines{
      {"  server", url, Ink::accent},
      {"  data", data.string()},
      {"  slots", shared},
      {"  commands", "run in " + fs::weakly_canonical(options.work_folder).string()},
      {"  logs", (data / "logs").string()}};
  if (requires_tokens(options))
    lines.push_back({"  token", "export HONE_TOKEN_FILE=" + (data / "admin.token").string()});
  lines.push_back({"  submit", "hone submit FILE --watch" + server});
  lines.push_back({"  stop", "Ctrl-C (the next hone up resumes the runs)"});
  return paint(screen, Ink::bold, "hone is up") + "\n" + record_text(lines, screen);
}

// Removes the log and the empty folders of a server that could not start in a new data folder: its
// reason was printed. One that began to write has a lock there, and keeps everything.
void remove_unused(const fs::path& data) {
  std::error_code ignored;
  if (fs::exists(data / "lock", ignored)) return;
  fs::remove(data / "logs" / "server.log", ignored);
  for (const fs::path& folder : {data / "logs", data})
    if (fs::is_empty(folder, ignored)) fs::remove(folder, ignored);
}

Result<Exit> up(Session& session, const UpOptions& chosen) {
  UpOptions options = chosen;
  options.credentials = session.options().credentials;
  const auto slots = slots_of(options);
  if (!slots) return slots.error();
  if (const auto gpus = check_gpus(options.gpus); !gpus) return gpus.error();
  if (!fs::is_directory(options.work_folder))
    return refuse(Code::invalid, "--workdir " + options.work_folder + " is not a folder");
  const fs::path data = fs::absolute(options.data);
  const bool is_new = !fs::exists(data);
  auto plan = up_plan(options, *slots);
  if (!plan) return plan.error();
  const auto report = [&](const std::string& message) { session.note("hone up: " + message); };
  const auto ready = [&](const std::string& url) {
    session.print(welcome_text(options, *slots, url, session.screen()));
  };
  Supervisor supervisor(std::move(*plan), report, ready);
  const Exit exit = supervisor.run();
  if (is_new) remove_unused(data);
  if (exit == Exit::ok) session.note("hone up: stopped");
  return exit;
}

}  // namespace

CommandAction declare_up(Flags& flags) {
  return with_options(up, [&](UpOptions& options) {
    flags.text("--data DIR", options.data, "folder for all data (HONE_DATA, or ~/.hone)");
    flags.text("--listen HOST:PORT", options.listen,
               "address of the server (127.0.0.1:7777); port 0: any free port");
    flags.text("--slots N", options.slots, "cores for each worker; auto: share this machine's");
    flags.integer("--workers N", options.workers, {0, 256}, "number of workers (1)");
    flags.text("--gpus N", options.gpus, "GPUs of this machine to hand out; auto: all there are");
    flags.text("--gpu-memory SIZE", options.gpu_memory,
               "memory of each GPU, for runs that share it; auto: what the driver tells");
    flags.text("--workdir DIR", options.work_folder,
               "folder in which the commands of sweeps run (this folder)");
    flags.text("--log FILE", options.log, "log of the server (DATA/logs/server.log)");
    flags.flag("--auth", options.auth, "require tokens; the first one is in DATA/admin.token");
    flags.flag("--insecure", options.insecure, "allow other addresses without TLS and tokens");
  });
}

CommandAction declare_passed_on(Flags&) {
  return [](Session&) -> Result<Exit> { return Exit::ok; };
}

}  // namespace hone::cli
