#include "worker/process/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <string_view>

#include "base/process.hpp"
#include "worker/process/keeper.hpp"

namespace hone::worker {
namespace {

std::string_view path_of(const std::vector<std::string>& env) {
  constexpr std::string_view key = "PATH=";
  for (const auto& entry : env)
    if (entry.starts_with(key)) return std::string_view(entry).substr(key.size());
  return "/usr/local/bin:/usr/bin:/bin";
}

bool is_program(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// Done here and not in the child: a refusal can say what was looked for and where.
Result<std::string> find_program(const ChildSpec& spec) {
  const std::string& name = spec.argv.front();
  if (name.find('/') != std::string::npos) {
    const std::string path = name.starts_with('/') ? name : spec.folder + "/" + name;
    if (is_program(path)) return path;
    return refuse(Code::not_found, path + " is not a program that this user may run");
  }
  std::string_view rest = path_of(spec.env);
  while (!rest.empty()) {
    const auto end = rest.find(':');
    const std::string path = std::string(rest.substr(0, end)) + "/" + name;
    if (is_program(path)) return path;
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return refuse(Code::not_found, "there is no program '" + name + "' on the worker's PATH");
}

struct TrialProcess : ProcessSpec {
  int group = -1;
};

// The keeper is not in the group: it must outlive a trial that the kernel ends.
void begin_trial(const void* context) {
  const auto& image = *static_cast<const ChildImage*>(context);
  // Dies with its keeper; if the keeper is already dead, exec() reports it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int group = static_cast<const TrialProcess&>(image.spec()).group;
  if (group >= 0) {
    [[maybe_unused]] const auto joined = ::write(group, "0", 1);
  }
  image.exec();
}

void begin_keeper(const ChildImage& image) {
  keep(image.parent(), begin_trial, &image, image.fault());
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

void set_nonblocking(const FileHandle& file) { ::fcntl(file.fd(), F_SETFL, O_NONBLOCK); }

}  // namespace

Result<Child> start_child(const ChildSpec& spec) {
  if (spec.argv.empty() || spec.argv.front().empty())
    return refuse(Code::invalid, "the command is empty");
  const auto program = find_program(spec);
  if (!program) return program.error();
  auto out = make_pipe();
  auto err = make_pipe();
  const FileHandle null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!out || !err || !null) return refuse(Code::busy, "this worker is out of file descriptors");
  TrialProcess trial;
  trial.argv = spec.argv;
  trial.program = *program;
  trial.env = spec.env;
  trial.folder = spec.folder;
  trial.in = null.fd();
  trial.out = out->write.fd();
  trial.err = err->write.fd();
  trial.own_group = true;
  trial.file_bytes_max = spec.file_bytes_max;
  trial.group = spec.group;
  const auto pid = start_process(trial, begin_keeper);
  if (!pid && pid.error().code == Code::busy)
    return refuse(Code::busy, "no process can be started: " + pid.error().detail);
  if (!pid)
    return refuse(Code::invalid,
                  "cannot run " + *program + " in " + spec.folder + ": " + pid.error().detail);
  set_nonblocking(out->read);
  set_nonblocking(err->read);
  return Child{*pid, std::move(out->read), std::move(err->read)};
}

void signal_child(pid_t pid, int signal) {
  ::kill(pid, signal == SIGKILL ? keeper_kill : keeper_end);
  ::kill(pid, SIGCONT);  // a trial may have stopped its keeper
}

std::optional<ChildEnd> collect_child(pid_t pid) {
  int status = 0;
  rusage used{};
  if (::wait4(pid, &status, WNOHANG | WUNTRACED, &used) != pid) return std::nullopt;
  if (WIFSTOPPED(status)) {  // by its trial, whose end it would not see
    ::kill(pid, SIGCONT);
    return std::nullopt;
  }
  const double cpu_s = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  if (WIFSIGNALED(status)) return ChildEnd{true, WTERMSIG(status), cpu_s};
  return ChildEnd{false, WEXITSTATUS(status), cpu_s};
}

}  // namespace hone::worker
