// The inputs of the agent and the actions that it returns. Pure data: no socket, clock or process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/wire.hpp"
#include "worker/agent/trial_line.hpp"

namespace hone::worker {

// Calls: requests of the agent to the server. Each is answered once by Replied with the same id, in
// any order. The caller of the agent sets the time limits: without an answer it replies timed_out.

struct BeatCall {
  WorkerId worker;
  BeatRequest request;
};
struct ReportCall {
  LeaseId lease;
  ReportRequest request;
};
struct SaveModelCall {
  LeaseId lease;
  SaveModelRequest request;
};
struct MetricsCall {
  LeaseId lease;
  MetricsRequest request;
};
struct EndCall {
  LeaseId lease;
  EndRequest request;
};
// Hash a file of a run's checkpoint folder and upload it.
struct StoreBlob {
  LeaseId lease;
  std::string path;  // as the trial process named it
};
// A snapshot of code, unpacked on this machine.
struct UnpackedCode {
  std::string folder;      // absolute
  std::string git_commit;  // of the folder from which it was taken
  std::string git_branch;
  std::string patch_file;  // its uncommitted changes; empty without any
};
// Download the snapshot of a command, unless it is unpacked on this machine.
struct FetchCode {
  LeaseId lease;
  CodeSnapshot code;
};
// Record the code that the run will execute and send it to the server. `before`: what was recorded
// before its process started, now that it has ended; only what differs from that is sent.
struct RecordCode {
  LeaseId lease;
  TrainerSpec trainer;
  std::optional<UnpackedCode> code{};
  std::optional<WorkflowInfo> before{};
  std::string folder{};          // filled in by the loop: the agent knows no folder
  std::string python{};          // and no interpreter
  std::string program_folder{};  // where hone-train is installed
};
struct KeptFile {
  std::string path;  // absolute
  std::string name;  // relative to the run's folder
};
// Download a checkpoint, unless it is cached on this machine.
struct FetchBlob {
  LeaseId lease;
  ModelRef model;
};
// Download the files of earlier steps and check their digests.
struct FetchInputs {
  LeaseId lease;
  std::vector<FileRef> files;
};

// Upload the files of a run's folder that match the patterns of its command.
struct KeepFiles {
  LeaseId lease;
  std::vector<std::string> patterns{};
  std::string step{};                 // of a pipeline: the first part of the files' names
  std::vector<std::string> needed{};  // the folders of earlier steps, which are not its own files
  std::vector<KeptFile> files{};      // filled in by the loop: the agent knows no folder
  AttemptId attempt{};                // for the worker's log
};

using Call =
    std::variant<JoinRequest, AcquireRequest, BeatCall, ReportCall, SaveModelCall, MetricsCall,
                 EndCall, StoreBlob, FetchBlob, FetchInputs, FetchCode, KeepFiles, RecordCode>;

struct StoredBlob {
  std::string sha256;
  std::int64_t bytes = 0;
};
struct FetchedBlob {
  std::string path;  // absolute
};
struct FetchedInputs {
  std::string folder;  // absolute; has a folder for each step
};

struct RecordedCode {
  WorkflowInfo workflow;  // as it was found
};

// By call: JoinReply, optional<LeaseGrant>, BeatReply, ReportReply, SaveModelReply, Done (metrics,
// end, files), StoredBlob, FetchedBlob, FetchedInputs, UnpackedCode, RecordedCode.
using CallReply =
    std::variant<Done, JoinReply, std::optional<LeaseGrant>, BeatReply, ReportReply, SaveModelReply,
                 StoredBlob, FetchedBlob, FetchedInputs, UnpackedCode, RecordedCode>;

using CallId = std::int64_t;

// Inputs.

struct Tick {};  // next_deadline has come, or nothing happened
struct Replied {
  CallId id = 0;
  Result<CallReply> reply = CallReply{Done{}};
};
struct LineReceived {  // a valid line; invalid ones are answered where they are read
  LeaseId lease;
  TrialLine line;
  Origin origin = Origin::socket;
};
struct NotStarted {  // Spawn failed
  LeaseId lease;
  std::string detail;
  bool fault_is_here = false;  // this machine's (a full disk): the run may start on another one
  bool is_elsewhere = false;   // what the command needs is not on this machine
};
struct Exited {  // after every line that it wrote was passed in as LineReceived
  LeaseId lease;
  bool by_signal = false;
  int number = 0;  // exit status, or the signal's number
  std::string log_tail;
  bool memory_ran_out = false;   // the kernel killed a process for lack of memory while it ran
  bool preparing = false;        // the program had not begun: a preparing command ended
  std::string nothing_found{};   // why command.collect found nothing; empty if it found something
  bool memory_exceeded = false;  // of these kills one was for resources.memory, by its own group
};
enum class Exceeded { disk, memory };  // command.disk, resources.memory
struct LimitExceeded {                 // it uses more than its sweep allows
  LeaseId lease;
  Exceeded what = Exceeded::disk;
  std::string detail{};
};
// What an earlier process of this worker left on disk. Its lease may still be valid. Comes before
// every other input.
struct Recovered {
  LeaseGrant grant;
  std::vector<TrialLine> lines;  // perhaps not acknowledged
  std::optional<Exited> exited;  // absent: the process died with its worker
};
struct DiskFull {  // or broken: lines are not spooled
  std::string detail;
};
struct Drain {           // SIGTERM to the worker: end every run; they return to the queue
  bool at_once = false;  // a second SIGTERM: KILL instead of TERM
};

struct Leave {  // a hint that the machine will be taken away: return each run after its next report
  std::string why;
};

using Input = std::variant<Tick, Replied, LineReceived, NotStarted, Exited, Drain, Recovered,
                           DiskFull, LimitExceeded, Leave>;

// Actions, to be performed in order.

struct Send {
  CallId id = 0;
  Call call;
};
struct Spawn {  // answered by NotStarted, or later by Exited
  LeaseGrant grant;
  std::string resume_path;    // empty without a checkpoint to continue from
  std::string inputs_path{};  // empty without files of earlier steps
  std::vector<int> gpus{};    // the device numbers this run may see
  std::string code_folder{};  // of its snapshot; empty without one
};
struct AnswerTrial {  // answers the oldest unanswered report or checkpoint of the socket
  LeaseId lease;
  TrialAnswer answer;
};
struct Terminate {  // SIGTERM to the run's process group
  LeaseId lease;
};
struct Kill {  // SIGKILL to the same
  LeaseId lease;
};
struct Hold {  // stop or resume reading from the process
  LeaseId lease;
  bool held = false;
};
struct Forget {  // the lease is over and its process has exited: remove its folder
  LeaseId lease;
  bool refused = false;  // the ledger never granted it: keep what was not delivered
};
struct Delivered {  // the server has acknowledged every line of this lease so far
  LeaseId lease;
  int next_phase = 0;
};
struct Joined {  // the server has registered this worker under this id
  JoinReply reply;
};
enum class NoteLevel { info, warning, error };
struct Note {  // for the worker's log
  NoteLevel level = NoteLevel::info;
  std::string text;
};
struct Remark {  // for the log of the run
  LeaseId lease;
  std::string text;
};
struct Quit {};  // the worker exits

using AgentAction = std::variant<Send, Spawn, AnswerTrial, Terminate, Kill, Hold, Forget, Joined,
                                 Note, Quit, Delivered, Remark>;
using Actions = std::vector<AgentAction>;

}  // namespace hone::worker
