// A worker process: the real agent, a network that loses and repeats messages, and trial processes
// that train nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tests/sim/agenda.hpp"
#include "tests/sim/faults.hpp"
#include "worker/agent/agent.hpp"

namespace hone::sim {

// How a call gets to the server and its reply back; implemented by the World's network.
using Network =
    std::function<void(const worker::Call&, std::function<void(Result<worker::CallReply>)>)>;

// A score that depends on the parameters, the seed and the phase alone.
Score score_of(const LeaseGrant& grant, int phase, double diverged_share);

class WorkerHost {
 public:
  WorkerHost(Agenda& agenda, const FaultPlan& faults, Rng& rng, Network network, std::string name,
             worker::FreeSlots slots, std::function<void(WorkerId)> left);

  // kill -9: its trial processes die with it. A new worker process starts a little later.
  void kill();

  // TERM: it returns its runs and exits, and `left` is called. Then likewise.
  void end();

  // Null while no process of this worker is there.
  [[nodiscard]] const worker::Agent* agent() const { return agent_.get(); }
  [[nodiscard]] const worker::FreeSlots& slots() const { return slots_; }

 private:
  struct Process {
    LeaseGrant grant;
    int phase = 0;
    bool deaf = false;  // ignores TERM
    bool waits_for_verdict = false;
  };

  void boot();
  void boot_again();
  void feed(const worker::Input& input);
  void perform(const worker::AgentAction& action);
  void do_action(const worker::Send& action);
  void do_action(const worker::Spawn& action);
  void do_action(const worker::AnswerTrial& action);
  void do_action(const worker::Terminate& action);
  void do_action(const worker::Kill& action);
  void do_action(const worker::Forget& action);
  void do_action(const worker::Hold&) {}
  void do_action(const worker::Joined&) {}
  void do_action(const worker::Delivered&) {}
  void do_action(const worker::Note&) {}
  void do_action(const worker::Remark&) {}
  void do_action(const worker::Quit&) {}
  void wake();
  void leave();

  void train_phase(LeaseId lease);
  void finish_phase(LeaseId lease);
  void exit(LeaseId lease, bool by_signal, int number, Duration wait, const char* log = "");
  // Runs `what` later, unless this worker process was killed in between.
  void later(Duration wait, std::function<void()> what);
  Process* find(LeaseId lease);

  Agenda& agenda_;
  const FaultPlan& faults_;
  Rng& rng_;
  Network network_;
  std::string name_;
  worker::FreeSlots slots_;  // when nothing runs
  std::function<void(WorkerId)> left_;
  int life_ = 0;  // which process of this name; events of an earlier one are dropped
  std::unique_ptr<worker::Agent> agent_;
  std::optional<Instant> wake_at_;
  std::map<LeaseId, Process> processes_;
};

}  // namespace hone::sim
