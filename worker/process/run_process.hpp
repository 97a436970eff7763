// One trial process with all that belongs to it: folder, socket, pipes and log. Driven by the loop;
// never blocks.
#pragma once

#include <poll.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "worker/agent/words.hpp"
#include "worker/process/child.hpp"
#include "worker/process/log_file.hpp"
#include "worker/process/run_folder.hpp"
#include "worker/process/trial_socket.hpp"

namespace hone::worker {

// Where runs are executed.
struct Workplace {
  std::string data;            // runs/, logs/ and cache/ are in it; absolute
  std::string program_folder;  // where hone-train is
  std::string work_folder;     // the working folder of commands
};

class RunProcess {
 public:
  using Heard = std::pair<TrialLine, Origin>;

  // Call from the thread that lives as long as the worker. Refuses with a sentence for the run's
  // end: internal or busy where this machine is at fault, anything else where the run is.
  static Result<std::unique_ptr<RunProcess>> start(const Workplace& place, const Spawn& spawn);
  ~RunProcess();  // kills what still runs
  RunProcess(const RunProcess&) = delete;
  RunProcess& operator=(const RunProcess&) = delete;

  void watch(std::vector<pollfd>& fds) const;
  // Reads and writes what can be. Lines of its output that are wrong are noted in the log.
  std::vector<Heard> serve();

  // When the process has ended: kills its group, hands in its last lines and says how it ended.
  // Once.
  std::optional<Exited> collect(LeaseId lease, std::vector<Heard>& last_lines);

  void signal(int number) const;
  // Its keeper; 0 once it has ended.
  [[nodiscard]] pid_t pid() const { return ended_ ? 0 : child_.pid; }
  void hold(bool held) { held_ = held; }
  void answer(const TrialAnswer& answer);
  [[nodiscard]] Result<std::string> checkpoint(const std::string& name) const {
    return folder_.checkpoint(name);
  }

 private:
  RunProcess(RunFolder folder, TrialSocket socket, Child child, LogFile log);
  bool read_output(std::vector<Heard>& heard);
  bool read_errors();
  void take_output_line(std::string_view text, bool too_long, std::vector<Heard>& heard);
  void hear_socket(std::vector<Heard>& heard);

  RunFolder folder_;
  TrialSocket socket_;
  Child child_;
  LogFile log_;
  LineReader output_;
  std::int64_t oom_kills_;  // before it started
  bool held_ = false;
  bool ended_ = false;
};

}  // namespace hone::worker
