// One lease from its grant to its end: fetch the checkpoint, record the code, run the process,
// deliver its lines, end it when it must, report how it ended. Sans-io; owned and driven by Agent.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "worker/agent/delivery.hpp"
#include "worker/agent/pending_call.hpp"
#include "worker/agent/process_control.hpp"

namespace hone::worker {

class Attempt {
 public:
  Attempt(LeaseGrant grant, std::vector<int> gpus, std::uint64_t seed,
          Capabilities capabilities = {});

  void start(Turn& turn);
  // Instead of start, for an attempt of an earlier process of this worker. Makes no call until a
  // heartbeat shows that the lease is still this worker's.
  void recover(Turn& turn, const Recovered& input);
  void line_received(Turn& turn, const LineReceived& input);
  void not_started(Turn& turn, const NotStarted& input);
  void exited(Turn& turn, const Exited& input);
  void exceeded(Turn& turn, const LimitExceeded& input);
  void replied(Turn& turn, CallId id, const Result<CallReply>& reply);
  // By a heartbeat's reply. stale_epoch: the ledger never granted the lease.
  void ordered(Turn& turn, Order order, bool stale_epoch);
  void drain(Turn& turn, bool at_once);
  // From here on its run is returned after its next report.
  void leave() { leaving_ = true; }
  void tick(Turn& turn);

  [[nodiscard]] std::optional<Instant> next_deadline() const;
  [[nodiscard]] bool over() const { return lease_ == Lease::forgotten; }
  [[nodiscard]] bool holds_slots() const;      // its process runs, or may be started
  [[nodiscard]] bool wants_heartbeat() const;  // so that its run is not given to another worker
  [[nodiscard]] const LeaseGrant& grant() const { return grant_; }
  [[nodiscard]] const std::vector<int>& gpus() const { return gpus_; }

 private:
  enum class Lease {
    unconfirmed,  // recovered: it may have expired
    held,
    closed,     // by a verdict: only what waits is delivered
    lost,       // expired or taken: the process is killed, and no further call is made
    forgotten,  // Forget was emitted
  };

  void advance(Turn& turn);
  void fetch_inputs(Turn& turn);
  void fetch_code(Turn& turn);
  void prepare(Turn& turn);
  void spawn(Turn& turn);
  void cannot_start(Turn& turn, std::string detail, bool fault_is_here);
  void is_elsewhere(Turn& turn, std::string detail);
  void end_unstarted(Turn& turn, EndRequest end);
  void end_process(Turn& turn, Stop stop);
  void lose(Turn& turn, const std::string& why, bool refused);
  void forget(Turn& turn);
  void answer_line(Turn& turn, TrialAnswer answer);
  // Kinds of what a program sends: refusals of each are logged a few times.
  enum class Sent { report, checkpoint, point, files };
  void refuse_line(Turn& turn, Sent what, const Error& error);
  void log_refusal(Turn& turn, Sent what, const std::string& text);
  [[nodiscard]] EndRequest end();
  void note(Turn& turn, NoteLevel level, const std::string& text) const;

  // The reply to each kind of call.
  void on_reply(Turn& turn, const FetchBlob& call, const FetchedBlob& reply);
  void on_reply(Turn& turn, const FetchInputs& call, const FetchedInputs& reply);
  void on_reply(Turn& turn, const FetchCode& call, const UnpackedCode& reply);
  void on_reply(Turn& turn, const StoreBlob& call, const StoredBlob& reply);
  void on_reply(Turn& turn, const SaveModelCall& call, const SaveModelReply& reply);
  void on_reply(Turn& turn, const ReportCall& call, const ReportReply& reply);
  void on_reply(Turn& turn, const MetricsCall& call, const Done& reply);
  void on_reply(Turn& turn, const KeepFiles& call, const Done& reply);
  void on_reply(Turn& turn, const EndCall& call, const Done& reply);
  void on_reply(Turn& turn, const RecordCode& call, const RecordedCode& reply);
  template <class AnyCall, class OtherReply>
  void on_reply(Turn& turn, const AnyCall& call, const OtherReply&) {
    on_error(turn, call, refuse(Code::internal, "the reply does not belong to the call"));
  }
  void on_error(Turn& turn, const FetchBlob& call, const Error& error);
  void on_error(Turn& turn, const FetchInputs& call, const Error& error);
  void on_error(Turn& turn, const FetchCode& call, const Error& error);
  void on_error(Turn& turn, const StoreBlob& call, const Error& error);
  void on_error(Turn& turn, const SaveModelCall& call, const Error& error);
  void on_error(Turn& turn, const ReportCall& call, const Error& error);
  void on_error(Turn& turn, const MetricsCall& call, const Error& error);
  void on_error(Turn& turn, const KeepFiles& call, const Error& error);
  void on_error(Turn& turn, const EndCall& call, const Error& error);
  bool loses_lease(Turn& turn, const Error& error);
  void on_error(Turn& turn, const RecordCode& call, const Error& error);

  LeaseGrant grant_;
  std::vector<int> gpus_;
  bool records_code_;
  std::optional<Instant> last_;
  Instant phase_from_{};
  std::string resume_path_{};
  std::string inputs_path_{};
  std::optional<UnpackedCode> code_{};
  std::optional<WorkflowInfo> recorded_{};  // the code to compare with when the process has ended
  Lease lease_ = Lease::held;
  ProcessControl process_;
  Delivery delivery_;
  PendingCall call_;
  bool leaving_ = false;
  std::string exceeded_{};         // as it was logged; empty until then
  bool refused_ = false;           // with stale_epoch
  std::array<int, 4> refusals_{};  // by Sent
  std::string refused_report_{};   // why the first was refused
  std::string late_remarks_{};     // lines of its log that followed the end of its process
};

}  // namespace hone::worker
