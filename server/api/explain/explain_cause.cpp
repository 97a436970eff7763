#include "server/api/explain/explain_cause.hpp"

#include "base/expect.hpp"
#include "schemas/codec/words.hpp"

namespace hone::api {
namespace {

// The cause of a failure as a clause, by its class.
std::string blame(Failure failure) {
  switch (failure) {
    case Failure::none:
      return "it failed";
    case Failure::oom:
      return "it needed more memory than there was (oom)";
    case Failure::infra:
      return "its machine or the network failed (infra)";
    case Failure::preempted:
      return "its machine was taken away (preempted)";
    case Failure::infeasible:
      return "its parameters cannot work (infeasible)";
    case Failure::diverged:
      return "it diverged";
    case Failure::timed_out:
      return "its time was over (timed_out)";
    case Failure::user_error:
      return "the program itself failed (user_error)";
    case Failure::crash:
      return "the program crashed (crash)";
  }
  unreachable();
}

}  // namespace

std::string cause(const RunRow& run, bool asked, const std::string& sweep_detail) {
  const auto code = run.exit_code ? std::to_string(*run.exit_code) : std::string("?");
  switch (run.reason) {
    case EndReason::exit_code:
      return "its process exited with status " + code;
    case EndReason::signal:
      if (run.failure == Failure::oom) return "its process was killed for the memory that it used";
      return "its process was killed by signal " + code + ", which hone did not send";
    case EndReason::cannot_start:
      return "its process could not be started";
    case EndReason::told_failed:
      return "the client that asked for it told that it failed";
    case EndReason::disk_limit:
      return "its folder outgrew command.disk";
    case EndReason::no_report:
      return "its process finished without any report";
    case EndReason::infeasible:
      return asked ? "the client that asked for it told that these parameters cannot work"
                   : "its process reported (exit status 86) that these parameters cannot work";
    case EndReason::worker_lost:
      return "its worker was lost";
    case EndReason::requeue_requested:
      return "its process asked to be run again";
    case EndReason::retries_exhausted:
      return run.failure == Failure::none
                 ? "it was lost or returned more often than limits.max_retries allows"
                 : "it was retried as often as limits.max_retries allows, and at last " +
                       blame(run.failure);
    case EndReason::diverged:
      return "it reported a value that is no finite number";
    case EndReason::user_stop:
      return "a user stopped the sweep";
    case EndReason::user_cancel:
      return "a user canceled the sweep";
    case EndReason::user_kill:
      return "a user killed the sweep";
    case EndReason::time_limit:
      return run.failure == Failure::timed_out ? "its time was over"
                                               : "the sweep's time limit was over";
    case EndReason::failure_limit:
      return "too many runs of the sweep had failed: " + sweep_detail;
    case EndReason::none:
    case EndReason::budget_reached:
    case EndReason::exited_early:
    case EndReason::bar_reached:
    case EndReason::evicted:
    case EndReason::not_promoted:
      return std::string("the reason recorded is ").append(word(run.reason));
  }
  unreachable();
}

}  // namespace hone::api
