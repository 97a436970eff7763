// Pilots as processes of this machine. They outlive the server; the next one finds them by the
// token in their command lines.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <fstream>
#include <map>
#include <sstream>

#include "base/files.hpp"
#include "base/process.hpp"
#include "server/engines/engine.hpp"

namespace hone::engines {
namespace {

namespace fs = std::filesystem;

std::string whole_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The word after "--pilot" of a command line as /proc has it.
std::string token_in(const std::string& command) {
  constexpr std::string_view flag("\0--pilot\0", 9);
  const auto at = command.find(flag);
  if (at == std::string::npos) return {};
  const auto from = at + flag.size();
  return command.substr(from, command.find('\0', from) - from);
}

struct Process {
  std::string token;
  pid_t parent = 0;
  std::string start;  // clock ticks since boot
};

// Fields 4 and 22 of /proc/PID/stat; the name before them may hold blanks and brackets.
bool read_stat(const fs::path& folder, Process& process) {
  const auto text = whole_file(folder / "stat");
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return false;
  std::istringstream fields(text.substr(name_end + 1));
  std::string state, field;
  fields >> state >> process.parent;
  for (int number = 5; number <= 22; ++number) fields >> field;
  process.start = field;
  return !fields.fail() && state != "Z" && state != "X";
}

// This account's processes with a token of the fleet. Refuses where /proc cannot be read.
Result<std::map<pid_t, Process>> processes_of(const std::string& mark) {
  std::map<pid_t, Process> found;
  std::error_code trouble;
  for (fs::directory_iterator it("/proc", trouble), end; !trouble && it != end;
       it.increment(trouble)) {
    const std::string name = it->path().filename();
    pid_t pid = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc{} || stop != name.data() + name.size()) continue;
    Process process;
    process.token = token_in(whole_file(it->path() / "cmdline"));
    const auto token = parse_pilot_token(process.token);
    struct stat owner {};
    if (!token || token->mark != mark || ::stat(it->path().c_str(), &owner) != 0 ||
        owner.st_uid != ::geteuid())
      continue;
    if (read_stat(it->path(), process)) found.emplace(pid, std::move(process));
  }
  if (trouble) return refuse(Code::unavailable, "cannot read /proc: " + trouble.message());
  return found;
}

std::string handle_of(pid_t pid, const Process& process) {
  return std::to_string(pid) + "/" + process.start;
}

class LocalEngine : public Engine {
 public:
  LocalEngine(const FleetOrder& fleet, Site site)
      : spec_(fleet.spec), mark_(fleet.mark), site_(std::move(site)) {}
  ~LocalEngine() override { reap(); }

  SubmitResult submit(const PilotOrder& pilot) override {
    const auto log = log_file_of(site_, pilot);
    const FileHandle out(
        ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
    const FileHandle nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!out || !nothing)
      return {pilot.pilot, Submission::rejected, {}, "cannot write " + log.string()};
    const auto pid = start_process({.argv = pilot_argv(spec_, site_, pilot, data_of(pilot)),
                                    .in = nothing.fd(),
                                    .out = out.fd(),
                                    .err = out.fd(),
                                    .own_group = true});
    if (!pid) {
      const bool no_program = pid.error().code == Code::invalid;
      return {pilot.pilot,
              Submission::rejected,
              {},
              "cannot start hone-worker: " + pid.error().detail,
              no_program};
    }
    children_.push_back(*pid);
    Process process;
    if (!read_stat("/proc/" + std::to_string(*pid), process))
      return {pilot.pilot, Submission::unknown, {}, "it ended at once"};
    return {pilot.pilot, Submission::accepted, handle_of(*pid, process)};
  }

  // A keeper of a trial has the command line of its worker; only the topmost process is the pilot.
  Result<Listing> list() override {
    reap();
    const auto processes = processes_of(mark_);
    if (!processes) return processes.error();
    Listing listing;
    for (const auto& [pid, process] : *processes) {
      const auto parent = processes->find(process.parent);
      if (parent != processes->end() && parent->second.token == process.token) continue;
      add_row(listing, mark_, process.token,
              {.state = PilotState::running, .handle = handle_of(pid, process)});
    }
    return listing;
  }

  Status cancel(const std::vector<PilotOrder>& pilots) override {
    const auto processes = processes_of(mark_);
    if (!processes) return processes.error();
    for (const auto& [pid, process] : *processes)
      for (const PilotOrder& pilot : pilots)
        if (pilot.token == process.token && pilot.handle == handle_of(pid, process))
          terminate(pid, pilot);
    return Done{};
  }

 private:
  [[nodiscard]] fs::path data_of(const PilotOrder& pilot) const {
    return (spec_.folder.empty() ? site_.folder / "data" : fs::path(spec_.folder)) / pilot.token;
  }
  // A second TERM would kill its runs at once: a folder marks the first, also for later servers.
  void terminate(pid_t pid, const PilotOrder& pilot) const {
    std::error_code trouble;
    const bool first = fs::create_directories(data_of(pilot) / "canceled", trouble);
    if (first || trouble) ::kill(pid, SIGTERM);
  }
  void reap() {
    std::erase_if(children_, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
  }

  FleetSpec spec_;
  std::string mark_;
  Site site_;
  std::vector<pid_t> children_;
};

}  // namespace

std::unique_ptr<Engine> make_local(const FleetOrder& fleet, const Site& site) {
  return std::make_unique<LocalEngine>(fleet, site);
}

}  // namespace hone::engines
