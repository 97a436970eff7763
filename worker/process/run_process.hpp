// One trial process with its folder, socket, pipes and log. Driven by the loop; never blocks.
#pragma once

#include <poll.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "worker/agent/collector.hpp"
#include "worker/agent/messages.hpp"
#include "worker/agent/use_meter.hpp"
#include "worker/process/child.hpp"
#include "worker/process/command_line.hpp"
#include "worker/process/event_folder.hpp"
#include "worker/process/followed_file.hpp"
#include "worker/process/log_file.hpp"
#include "worker/process/memory_group.hpp"
#include "worker/process/params_watch.hpp"
#include "worker/process/run_folder.hpp"
#include "worker/process/trial_socket.hpp"
#include "worker/process/work_place.hpp"

namespace hone::worker {

// The folders of a worker.
struct WorkerPaths {
  std::string data;            // has runs/, logs/, cache/ and code/; absolute
  std::string program_folder;  // where hone-train is installed
  std::string work_folder;     // of commands that name none
};

class RunProcess {
 public:
  using Received = std::pair<TrialLine, Origin>;

  // Call from a thread that lives as long as the worker. The error becomes the detail of the run's
  // end: internal or busy if this machine is at fault, any other code if the run is.
  static Result<std::unique_ptr<RunProcess>> start(const WorkerPaths& paths, const WorkPlace& place,
                                                   const Spawn& spawn);
  ~RunProcess();  // kills what still runs
  RunProcess(const RunProcess&) = delete;
  RunProcess& operator=(const RunProcess&) = delete;

  void watch(std::vector<pollfd>& fds) const;
  // Reads and writes what is ready. Notes invalid lines of the output in the log.
  std::vector<Received> serve();
  // What of its sweep's limits it exceeds, with a sentence; from the time when it does.
  struct Excess {
    Exceeded what = Exceeded::disk;
    std::string detail;
  };
  [[nodiscard]] const std::optional<Excess>& exceeded() const { return exceeded_; }

  // Once the process has ended: adds its last lines and returns how it ended, once. A long result
  // file is read in steps: call again while draining().
  std::optional<Exited> collect(LeaseId lease, std::vector<Received>& last_lines);
  // The process has ended, and more of its result file can be read now.
  [[nodiscard]] bool draining() const { return end_ && (!held_ || skip_file_); }

  // Its GPUs, as entries of CUDA_VISIBLE_DEVICES; none where CUDA numbers them in its own order.
  [[nodiscard]] const std::vector<std::string>& devices() const { return devices_; }
  // What its processes use now, or used by their end; nullopt while that cannot be read.
  [[nodiscard]] std::optional<UseSample> use() const;

  void signal(int number);
  // Its keeper; 0 once it has ended.
  [[nodiscard]] pid_t pid() const { return ended_ ? 0 : child_.pid; }
  void hold(bool held) { held_ = held; }
  void answer(const TrialAnswer& answer);
  // Adds a line of hone to its log.
  void remark(const std::string& text) { log_.take("[hone: " + text + "]\n"); }
  [[nodiscard]] Result<std::string> checkpoint(const std::string& name) const {
    return folder_.checkpoint(name);
  }
  [[nodiscard]] const RunFolder& folder() const { return folder_; }
  [[nodiscard]] const LogFile& log() const { return log_; }

 private:
  // Results that are collected from a file or the output of a program without SDK.
  struct Following {
    Collector collector;
    CollectStream stream;
    std::string name, path;              // of the file
    bool runs_here;                      // the program runs in the run's own folder
    std::optional<FollowedFile> file{};  // absent: its events, or `stream`
    std::optional<EventFolder> events{};
    LineReader lines{};
    std::int64_t left = 0;  // bytes of the files that were unread when the program ended
    [[nodiscard]] bool is_output() const { return !file && !events; }
    [[nodiscard]] std::string nothing_found() const;
  };

  RunProcess(const Spawn& spawn, RunFolder folder, TrialSocket socket, LogFile log);
  Status begin(const WorkerPaths& paths, const WorkPlace& place, const Spawn& spawn);
  Status start_stage();
  bool start_next_stage(const ChildEnd& end);
  void serve_timer(std::vector<Received>& received);
  bool read_file(std::vector<Received>& received);
  bool read_events(std::vector<Received>& received);
  void take_rows(std::vector<TrialLine> rows, std::vector<Received>& received);
  void take_row_line(std::string_view text, bool too_long, std::vector<Received>& received);
  void read_last(std::vector<Received>& received);
  bool drain_file(std::vector<Received>& received);
  void note_unread_parameters();
  void finish_rows(bool well, std::vector<Received>& received);
  void measure();
  bool measures_memory() const;
  void measure_memory();
  bool read_output(std::vector<Received>& received);
  bool read_errors(std::vector<Received>& received);
  [[nodiscard]] bool collects_errors() const;
  void take_error_line(std::string_view text, bool too_long, std::vector<Received>& received);
  void take_bare_line(std::string_view text, bool too_long, std::vector<Received>& received);
  void take_output_line(std::string_view text, bool too_long, std::vector<Received>& received);
  void read_socket(std::vector<Received>& received);

  RunFolder folder_;
  TrialSocket socket_;
  Child child_;
  LogFile log_;
  ChildSpec stage_{};                              // the current stage
  std::deque<std::vector<std::string>> stages_{};  // that follow
  std::optional<Following> following_{};
  std::optional<ParamsWatch> params_watch_{};
  FileHandle timer_{};  // when to read the result file and measure the folder
  std::int64_t folder_bytes_max_ = 0;
  int timer_ticks_ = 0;
  std::vector<std::string> devices_{};
  std::int64_t memory_max_ = 0;         // resources.memory; 0: not limited
  std::optional<MemoryGroup> group_{};  // that the kernel limits; none: it is measured alone
  std::optional<Excess> exceeded_{};
  LineReader output_;
  LineReader errors_;
  std::int64_t oom_kills_;  // the count before it started
  double ended_cpu_s_ = 0;  // of the stages that have ended
  bool held_ = false;
  bool ended_ = true;              // or not started
  std::optional<ChildEnd> end_{};  // until collect() has returned it
  bool stage_failed_ = false;      // the next stage cannot be started
  bool signalled_ = false;
  bool skip_file_ = false;  // the rest of the result file is not read
};

}  // namespace hone::worker
