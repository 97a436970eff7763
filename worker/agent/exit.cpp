#include "worker/agent/exit.hpp"

#include <csignal>
#include <string>

#include "worker/agent/evidence.hpp"

namespace hone::worker {
namespace {

// The exit statuses a trial process may choose (ARCHITECTURE.md, "The trial protocol").
constexpr int exit_requeue = 85;
constexpr int exit_infeasible = 86;
constexpr int exit_terminated = 143;  // 128 + SIGTERM, as a shell or a handler of TERM reports it

std::string signal_name(int number) {
  switch (number) {
    case SIGKILL:
      return "SIGKILL (out of memory, or kill -9)";
    case SIGSEGV:
      return "SIGSEGV (a crash)";
    case SIGABRT:
      return "SIGABRT (an assertion or an uncaught exception)";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL (an instruction this processor does not have)";
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGUSR2:
      return "SIGUSR2";
    default:
      return "signal " + std::to_string(number);
  }
}

EndRequest end_of_signal(int number, const std::string& log_tail) {
  return {EndReason::signal, number, "ended by " + signal_name(number) + ", not sent by hone",
          log_tail};
}

std::string counted(const Progress& progress) {
  return std::to_string(progress.reported) + " of " + std::to_string(progress.phases) + " phases";
}

EndRequest end_of_success(const Exited& exit, const Progress& progress) {
  if (progress.reported >= progress.phases) return {EndReason::budget_reached, 0, {}, {}};
  if (progress.reported > 0)
    return {EndReason::exited_early, 0, "exited with status 0 after " + counted(progress), {}};
  const std::string& why = progress.refused.empty() ? exit.nothing_found : progress.refused;
  return {EndReason::no_report, 0,
          "exited with status 0 without any report" + (why.empty() ? "" : ": " + why),
          exit.log_tail};
}

EndRequest end_of_preparation(const Exited& exit) {
  const std::string how = exit.by_signal ? "was ended by " + signal_name(exit.number)
                                         : "exited with status " + std::to_string(exit.number);
  return {EndReason::cannot_start, exit.number, "its preparing command " + how, exit.log_tail,
          Failure::user_error};
}

EndRequest reason_of_exit(const Exited& exit, const Progress& progress) {
  if (exit.preparing) return end_of_preparation(exit);
  if (exit.by_signal) return end_of_signal(exit.number, exit.log_tail);
  switch (exit.number) {
    case 0:
      return end_of_success(exit, progress);
    case exit_requeue:
      return {EndReason::requeue_requested,
              exit.number,
              "the process asked to be run again (exit status 85)",
              {}};
    case exit_infeasible:
      return {EndReason::infeasible, exit.number,
              "the process reported that these parameters cannot work (exit status 86)",
              exit.log_tail};
    case exit_terminated:
      return end_of_signal(SIGTERM, exit.log_tail);
    default:
      return {EndReason::exit_code, exit.number,
              "exited with status " + std::to_string(exit.number) + " after " + counted(progress),
              exit.log_tail};
  }
}

// A shell whose child died of signal n exits with status 128 + n.
int signal_of(const Exited& exit) {
  if (exit.by_signal) return exit.number;
  return exit.number > 128 && exit.number < 128 + NSIG ? exit.number - 128 : 0;
}

bool failed(EndReason reason) {
  return reason == EndReason::signal || reason == EndReason::exit_code ||
         reason == EndReason::no_report;
}

}  // namespace

EndRequest end_of_exit(const Exited& exit, const Progress& progress, bool files_bounded) {
  EndRequest end = reason_of_exit(exit, progress);
  if (!failed(end.reason)) return end;
  const Evidence evidence = evidence_of({exit.by_signal || exit.number != 0, signal_of(exit),
                                         exit.memory_ran_out, exit.memory_exceeded},
                                        exit.log_tail);
  end.failure = evidence.failure;
  end.gpu_full = evidence.gpu_full;
  if (!evidence.text.empty()) end.detail += "; " + evidence.text;
  if (!evidence.file_too_large || !files_bounded) return end;
  end.reason = EndReason::disk_limit;
  end.failure = Failure::user_error;
  end.detail = "a file that it wrote exceeded command.disk; it " + end.detail;
  return end;
}

}  // namespace hone::worker
