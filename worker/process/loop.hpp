// The event loop of a worker, one thread: waits for processes, their lines, signals, replies of the
// server and deadlines, passes each to the agent, and performs the actions that the agent returns.
#pragma once

#include <poll.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "worker/agent/agent.hpp"
#include "worker/process/call_threads.hpp"
#include "worker/process/gpu_watch.hpp"
#include "worker/process/log_sender.hpp"
#include "worker/process/machine_watch.hpp"
#include "worker/process/mailbox.hpp"
#include "worker/process/run_process.hpp"
#include "worker/process/spool.hpp"

namespace hone::worker {

struct LoopConfig {
  AgentConfig agent;
  Endpoint endpoint;
  WorkerPaths paths;
  // Called whenever the server registers this worker under a new id.
  std::function<void(const JoinReply&)> joined;
};

class Loop {
 public:
  // Call block_signals first, before any thread starts. Throws std::system_error if a descriptor
  // cannot be created.
  explicit Loop(LoopConfig config);
  ~Loop();

  // Blocks until the agent quits: after SIGTERM or SIGINT, or when idle with --until-idle. The
  // calling thread must live as long as the process.
  void run();

 private:
  void wait();
  void serve(const std::vector<pollfd>& fds, const std::vector<LeaseId>& owners);
  void read_signals();
  void collect();
  void take_replies();
  void follow_logs(const BeatReply& reply);
  void offer_logs();
  void end_orphans() const;
  void process_inputs();

  void perform(const Send& action);
  void perform(const Spawn& action);
  void perform(const AnswerTrial& action);
  void perform(const Terminate& action);
  void perform(const Kill& action);
  void perform(const Hold& action);
  void perform(const Forget& action);
  void perform(const Delivered& action);
  void perform(const Joined& action);
  void perform(const Note& action);
  void perform(const Remark& action);
  void perform(const Quit& action);
  [[nodiscard]] RunProcess* find(LeaseId lease) const;
  Result<std::string> checkpoint_path(const StoreBlob& store);
  Result<std::vector<KeptFile>> files_to_keep(const KeepFiles& keep);
  void recover();
  void line_received(LeaseId lease, TrialLine line, Origin origin);
  void pass_on(LeaseId lease, TrialLine line, Origin origin);
  // Monotonic: a step of the wall clock must not shorten a grace period. Only used in this process.
  static Instant now();
  Call with_machine(Call call);
  void sample_runs();
  void watch_gpus();
  void sample(LeaseId lease, UseMeter& meter);
  void pass_on(LeaseId lease, std::vector<MetricPoint> points);
  void stamp(LeaseId lease, ReportLine& report);
  void note_disk(const Status& spooled);
  // Adds a line to the log of a run, also after the log was sent at the end of its process.
  void remark(LeaseId lease, const std::string& text);
  void send_late_remarks(LeaseId lease);

  LoopConfig config_;
  Agent agent_;
  FileHandle signals_;
  int stop_signals_ = 0;
  WorkerId joined_as_;
  bool quit_ = false;
  std::deque<Input> inputs_;
  std::map<LeaseId, std::unique_ptr<RunProcess>> runs_;
  std::map<LeaseId, UseMeter> meters_;  // of those that execute
  struct Timed {
    Instant begun;
    RunClock clock = RunClock::seconds;
    std::optional<double> cpu_s{};  // the last that could be read
  };
  std::map<LeaseId, Timed> timed_;          // those whose objective is a time
  std::map<LeaseId, RunFolder> recovered_;  // folders of an earlier process
  std::set<LeaseId> remarked_late_;         // their logs are sent again
  GpuWatch gpus_;
  Spool spool_;
  Mailbox mailbox_;
  BlobCache cache_;
  CodeFolders code_;
  CallThreads calls_;
  LogSender logs_;
  MachineWatch machine_;
  bool takes_machine_ = false;  // the server knows its samples
  Instant logs_at_;             // when the followed logs are offered next
  Instant use_at_;              // when what the runs use is sampled next
};

// Blocks the signals that Loop waits for, in this and every later thread. Ignores SIGPIPE.
void block_signals();

}  // namespace hone::worker
