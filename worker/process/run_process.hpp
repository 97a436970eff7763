// One trial process with all that belongs to it: folder, socket, pipes and log. Driven by the loop;
// never blocks.
#pragma once

#include <poll.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "worker/agent/collector.hpp"
#include "worker/agent/words.hpp"
#include "worker/process/child.hpp"
#include "worker/process/command_line.hpp"
#include "worker/process/followed_file.hpp"
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
  // That its own folder holds more than it may: a sentence, from then on.
  [[nodiscard]] const std::string& outgrown() const { return outgrown_; }

  // When the process has ended: kills its group, hands in its last lines and says how it ended.
  // Once. A long file is read in steps: while draining(), call it again.
  std::optional<Exited> collect(LeaseId lease, std::vector<Heard>& last_lines);
  // The process has ended, and there is more of its file to be read now.
  [[nodiscard]] bool draining() const { return end_ && (!held_ || cut_short_); }

  void signal(int number);
  // Its keeper; 0 once it has ended.
  [[nodiscard]] pid_t pid() const { return ended_ ? 0 : child_.pid; }
  void hold(bool held) { held_ = held; }
  void answer(const TrialAnswer& answer);
  [[nodiscard]] Result<std::string> checkpoint(const std::string& name) const {
    return folder_.checkpoint(name);
  }
  [[nodiscard]] const RunFolder& folder() const { return folder_; }

 private:
  // Read without the program's help.
  struct Following {
    Collector collector;
    std::optional<FollowedFile> file;  // absent: its standard output
    LineReader lines{};
    std::int64_t left = 0;  // bytes that were in the file when the program ended, and are not read
  };

  RunProcess(const Spawn& spawn, RunFolder folder, TrialSocket socket, LogFile log);
  Status begin(const Workplace& place, const Spawn& spawn);
  Status start_stage();
  bool goes_on(const ChildEnd& end);
  void serve_timer(std::vector<Heard>& heard);
  bool read_file(std::vector<Heard>& heard);
  void take_row_line(std::string_view text, bool too_long, std::vector<Heard>& heard);
  void hear_last(std::vector<Heard>& heard);
  bool drain_file(std::vector<Heard>& heard);
  void finish_rows(bool well, std::vector<Heard>& heard);
  void measure();
  bool read_output(std::vector<Heard>& heard);
  bool read_errors();
  void take_output_line(std::string_view text, bool too_long, std::vector<Heard>& heard);
  void hear_socket(std::vector<Heard>& heard);

  RunFolder folder_;
  TrialSocket socket_;
  Child child_;
  LogFile log_;
  ChildSpec stage_{};                              // environment and folder of every stage
  std::deque<std::vector<std::string>> stages_{};  // that are still to come
  std::optional<Following> following_{};
  FileHandle timer_{};  // of what is looked at now and then
  std::int64_t folder_bytes_max_ = 0;
  int timer_ticks_ = 0;
  std::string outgrown_{};
  LineReader output_;
  std::int64_t oom_kills_;  // before it started
  bool held_ = false;
  bool ended_ = true;              // or not begun
  std::optional<ChildEnd> end_{};  // until it was told
  bool cannot_go_on_ = false;      // what was prepared cannot be started
  bool told_to_end_ = false;
  bool cut_short_ = false;  // what is left of its file does not matter
};

}  // namespace hone::worker
