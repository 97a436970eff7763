// up: a server and workers on this machine.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

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

struct Wish {
  std::string data = default_data_folder();
  std::string listen = "127.0.0.1:7777";
  std::string slots = "auto";
  int workers = 1;
  int gpus = 0;
  std::string work_folder = ".";
  std::string log;
  Credentials shown;  // of TLS: the server's certificate and key, and whom the workers trust
  bool auth = false;
  bool insecure = false;
};

// As the server decides it (server/app/main.cpp).
bool asks_for_tokens(const Wish& wish) {
  const bool is_local = wish.listen.starts_with("127.") || wish.listen.starts_with("localhost:") ||
                        wish.listen.starts_with("[::1]:");
  return wish.auth || (!is_local && !wish.insecure);
}

std::string worker_token_file(const Wish& wish) {
  return (fs::absolute(wish.data) / "worker.token").string();
}

// Of each worker. "auto" shares the cores of this machine among them.
Result<int> slots_of(const Wish& wish) {
  if (wish.slots == "auto") {
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    return std::max(1, cores / std::max(1, wish.workers));
  }
  const int slots = std::atoi(wish.slots.c_str());
  if (slots < 1 || std::to_string(slots) != wish.slots)
    return refuse(Code::invalid,
                  "--slots " + wish.slots + " is neither a number from 1 on nor auto");
  return slots;
}

Status make_folder(const fs::path& folder) {
  std::error_code trouble;
  fs::create_directories(folder, trouble);
  if (trouble)
    return refuse(Code::invalid, "cannot make the folder " + folder.string() + ": " +
                                     trouble.message() + "; choose another one with --data DIR");
  return Done{};
}

// GPUs go to the first worker alone: two that hand out the same ones would double them.
Program worker_program(const Wish& wish, const std::string& path, int number, int slots) {
  const fs::path data = fs::absolute(wish.data);
  const std::string name = "worker-" + std::to_string(number);
  Program program{"worker " + std::to_string(number),
                  {path, "--server", "@URL@", "--slots", std::to_string(slots), "--gpus",
                   std::to_string(number == 1 ? wish.gpus : 0), "--data",
                   (data / "workers" / std::to_string(number)).string(), "--workdir",
                   fs::absolute(wish.work_folder).string(), "--die-with-parent"},
                  (data / "logs" / (name + ".log")).string()};
  if (asks_for_tokens(wish))
    program.argv.insert(program.argv.end(), {"--token-file", worker_token_file(wish)});
  const auto& trusted = wish.shown.tls_ca.empty() ? wish.shown.tls_cert : wish.shown.tls_ca;
  if (!trusted.empty()) program.argv.insert(program.argv.end(), {"--tls-ca", trusted});
  return program;
}

Program server_program(const Wish& wish, const std::string& path) {
  const fs::path data = fs::absolute(wish.data);
  Program program{"server",
                  {path, "--data", data.string(), "--listen", wish.listen, "--die-with-parent"},
                  wish.log.empty() ? (data / "logs" / "server.log").string() : wish.log};
  if (!wish.shown.tls_cert.empty())
    program.argv.insert(program.argv.end(),
                        {"--tls-cert", wish.shown.tls_cert, "--tls-key", wish.shown.tls_key});
  if (wish.auth) program.argv.emplace_back("--auth");
  if (wish.insecure) program.argv.emplace_back("--insecure");
  if (asks_for_tokens(wish))
    program.argv.insert(program.argv.end(), {"--worker-token-file", worker_token_file(wish)});
  return program;
}

Result<UpPlan> plan_of(const Wish& wish, int slots) {
  const auto server = find_program("hone-server");
  if (!server) return server.error();
  const auto worker = find_program("hone-worker");
  if (!worker) return worker.error();
  const fs::path data = fs::absolute(wish.data);
  if (const auto made = make_folder(data / "logs"); !made) return made.error();
  UpPlan plan;
  plan.server = server_program(wish, *server);
  for (int number = 1; number <= wish.workers; ++number)
    plan.workers.push_back(worker_program(wish, *worker, number, slots));
  return plan;
}

std::string welcome(const Wish& wish, int slots, const std::string& url, const Screen& screen) {
  const std::string shared = wish.workers == 1
                                 ? std::to_string(slots)
                                 : std::to_string(slots * wish.workers) + " (" +
                                       std::to_string(wish.workers) + " workers with " +
                                       std::to_string(slots) + " each)";
  const bool usual = url == "http://127.0.0.1:7777";
  const std::string server = usual ? "" : " --server " + url;
  const fs::path data = fs::absolute(wish.data);
  std::vector<RecordLine> lines{
      {"  server", url, Ink::accent},
      {"  data", data.string()},
      {"  slots", shared},
      {"  commands", "run in " + fs::weakly_canonical(wish.work_folder).string()},
      {"  logs", (data / "logs").string()}};
  if (asks_for_tokens(wish))
    lines.push_back({"  token", "export HONE_TOKEN_FILE=" + (data / "admin.token").string()});
  lines.push_back({"  submit", "hone submit FILE --watch" + server});
  lines.push_back({"  stop", "Ctrl-C (runs are resumed by the next hone up)"});
  return paint(screen, Ink::bold, "hone is up") + "\n" + record_text(lines, screen);
}

Result<Exit> up(Session& session, const Wish& wish) {
  const auto slots = slots_of(wish);
  if (!slots) return slots.error();
  if (!fs::is_directory(wish.work_folder))
    return refuse(Code::invalid, "--workdir " + wish.work_folder + " is no folder");
  auto plan = plan_of(wish, *slots);
  if (!plan) return plan.error();
  const auto say = [&](const std::string& message) { session.note("hone up: " + message); };
  const auto ready = [&](const std::string& url) {
    session.print(welcome(wish, *slots, url, session.screen()));
  };
  Supervisor supervisor(std::move(*plan), say, ready);
  const Exit exit = supervisor.run();
  if (exit == Exit::ok) session.note("hone up: stopped");
  return exit;
}

}  // namespace

Work declare_up(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.text("--data DIR", wish->data, "where all is kept (HONE_DATA, or ~/.hone)");
  flags.text("--listen HOST:PORT", wish->listen,
             "address of the server (127.0.0.1:7777); port 0: any");
  flags.text("--slots N", wish->slots, "cores each worker may use; auto: this machine's, shared");
  flags.integer("--workers N", wish->workers, {0, 256}, "how many workers (1)");
  flags.integer("--gpus N", wish->gpus, {0, 64}, "GPUs of this machine to hand out (0)");
  flags.text("--workdir DIR", wish->work_folder, "where a sweep's own command runs (this folder)");
  flags.text("--log FILE", wish->log, "the server's log (DATA/logs/server.log)");
  flags.flag("--auth", wish->auth, "ask for tokens; the first one is in DATA/admin.token");
  flags.flag("--insecure", wish->insecure, "beyond loopback without TLS and tokens");
  return [wish](Session& session) {
    wish->shown = session.options().credentials;
    return up(session, *wish);
  };
}

Work declare_passed_on(Flags&) {
  return [](Session&) -> Result<Exit> { return Exit::ok; };
}

}  // namespace hone::cli
