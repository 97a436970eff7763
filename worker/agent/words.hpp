// What goes into the agent and what comes out. Pure data: no socket, clock or process.
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

// Calls: what the agent asks of the world outside. Each is answered once by Replied with the same
// id, in any order. Time limits are the performer's: one that got no answer replies timed_out.

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
// Hash the file of a run's checkpoint folder and put its bytes on the server.
struct StoreBlob {
  LeaseId lease;
  std::string path;  // as the trial process named it
};
struct KeptFile {
  std::string path;  // absolute
  std::string name;  // in the run's own folder
};
// Have the checkpoint on this machine.
struct FetchBlob {
  LeaseId lease;
  ModelRef model;
};

// Keep the files that a run has left, by the patterns of its command.
struct KeepFiles {
  LeaseId lease;
  std::vector<std::string> patterns{};
  std::vector<KeptFile> files{};  // filled in by the performer, who knows the run's folder
};

using Call = std::variant<JoinRequest, AcquireRequest, BeatCall, ReportCall, SaveModelCall,
                          MetricsCall, EndCall, StoreBlob, FetchBlob, KeepFiles>;

struct StoredBlob {
  std::string sha256;
  std::int64_t bytes = 0;
};
struct FetchedBlob {
  std::string path;  // absolute
};

// By call: JoinReply, optional<LeaseGrant>, BeatReply, ReportReply, SaveModelReply, Done (metrics,
// end, files), StoredBlob, FetchedBlob.
using CallReply = std::variant<Done, JoinReply, std::optional<LeaseGrant>, BeatReply, ReportReply,
                               SaveModelReply, StoredBlob, FetchedBlob>;

using CallId = std::int64_t;

// Inputs.

struct Tick {};  // next_deadline has come, or nothing in particular
struct Replied {
  CallId id = 0;
  Result<CallReply> reply = CallReply{Done{}};
};
struct TrialSaid {  // a line that parses; others are answered where they are read
  LeaseId lease;
  TrialLine line;
  Origin origin = Origin::socket;
};
struct NotStarted {  // the answer to Spawn, where it failed; silence means that it runs
  LeaseId lease;
  std::string detail;
  bool fault_is_here = false;  // of this machine (a full disk, say): the run may start elsewhere
};
struct Exited {  // all it ever wrote has been handed in as TrialSaid before
  LeaseId lease;
  bool by_signal = false;
  int number = 0;  // exit status, or the signal's number
  std::string log_tail;
  bool memory_ran_out = false;  // the kernel killed for want of memory while it ran
  bool preparing = false;       // it was not the program yet, but what prepares it
};
// Its own folder holds more than it may.
struct Outgrown {
  LeaseId lease;
  std::string detail;
};
// What an earlier process of this worker left on disk: its lease may still be ours. First of all
// inputs.
struct Recovered {
  LeaseGrant grant;
  std::vector<TrialLine> lines;  // said, and perhaps not acknowledged
  std::optional<Exited> exited;  // absent: it died with its worker
};
struct DiskFull {  // or broken: what is said is not spooled
  std::string detail;
};
struct Drain {           // SIGTERM to the worker: end everything, the runs go back to the queue
  bool at_once = false;  // a second one: KILL instead of TERM
};

using Input = std::variant<Tick, Replied, TrialSaid, NotStarted, Exited, Drain, Recovered, DiskFull,
                           Outgrown>;

// Actions, to be performed in order.

struct Send {
  CallId id = 0;
  Call call;
};
struct Spawn {  // answered by NotStarted, or later by Exited
  LeaseGrant grant;
  std::string resume_path;  // empty where there is nothing to continue from
  std::vector<int> gpus;    // the device numbers this run may see
};
struct TellTrial {  // the answer to the oldest report or checkpoint of the socket that has none
  LeaseId lease;
  TrialAnswer answer;
};
struct Terminate {  // SIGTERM to the run's process group
  LeaseId lease;
};
struct Kill {  // SIGKILL to the same
  LeaseId lease;
};
struct Hold {  // stop (or go on) reading what the process says
  LeaseId lease;
  bool held = false;
};
struct Forget {  // nothing more will be said about this lease: its folder may go. Its process, if
                 // any, has exited
  LeaseId lease;
};
struct Delivered {  // the server has acknowledged all that was said for this lease
  LeaseId lease;
  int next_phase = 0;
};
struct Joined {  // the server knows this worker, under this id
  JoinReply reply;
};
enum class NoteLevel { info, warning, error };
struct Note {  // for the worker's log
  NoteLevel level = NoteLevel::info;
  std::string text;
};
struct Quit {};  // nothing is left to do: the worker may exit

using AgentAction = std::variant<Send, Spawn, TellTrial, Terminate, Kill, Hold, Forget, Joined,
                                 Note, Quit, Delivered>;
using Actions = std::vector<AgentAction>;

}  // namespace hone::worker
