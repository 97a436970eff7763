#include "worker/agent/evidence.hpp"

#include <array>
#include <csignal>

namespace hone::worker {
namespace {

struct Pattern {
  std::string_view text;
  Failure failure;
  bool of_gpu = false;  // oom: of the memory of a GPU
};

constexpr std::string_view file_too_large = "File too large";  // EFBIG, where SIGXFSZ is ignored

// What programs write before they fail, case-sensitive. The last match in the log counts, so that
// the final line of a Python traceback overrules a warning that the program survived.
constexpr std::array patterns{
    Pattern{"CUDA out of memory", Failure::oom, true},
    Pattern{"CUDA error: out of memory", Failure::oom, true},
    Pattern{"CUDA_ERROR_OUT_OF_MEMORY", Failure::oom, true},
    Pattern{"HIP out of memory", Failure::oom, true},
    Pattern{"torch.OutOfMemoryError", Failure::oom, true},
    Pattern{"CUBLAS_STATUS_ALLOC_FAILED", Failure::oom, true},
    Pattern{"CUDNN_STATUS_ALLOC_FAILED", Failure::oom, true},
    Pattern{"cudaErrorMemoryAllocation", Failure::oom, true},
    Pattern{"RESOURCE_EXHAUSTED: Out of memory", Failure::oom, true},
    Pattern{"DefaultCPUAllocator: can't allocate memory", Failure::oom},
    Pattern{"std::bad_alloc", Failure::oom},
    Pattern{"MemoryError", Failure::oom},
    Pattern{"Cannot allocate memory", Failure::oom},
    Pattern{"java.lang.OutOfMemoryError", Failure::oom},
    Pattern{"oom-kill", Failure::oom},

    Pattern{"No space left on device", Failure::infra},
    Pattern{file_too_large, Failure::infra},
    Pattern{"Disk quota exceeded", Failure::infra},
    Pattern{"Read-only file system", Failure::infra},
    Pattern{"Input/output error", Failure::infra},
    Pattern{"Stale file handle", Failure::infra},
    Pattern{"Transport endpoint is not connected", Failure::infra},
    Pattern{"Too many open files", Failure::infra},
    Pattern{"Resource temporarily unavailable", Failure::infra},
    Pattern{"Connection refused", Failure::infra},
    Pattern{"Connection reset by peer", Failure::infra},
    Pattern{"Connection timed out", Failure::infra},
    Pattern{"Network is unreachable", Failure::infra},
    Pattern{"No route to host", Failure::infra},
    Pattern{"Temporary failure in name resolution", Failure::infra},
    Pattern{"Name or service not known", Failure::infra},
    Pattern{"no CUDA-capable device is detected", Failure::infra},
    Pattern{"CUDA driver version is insufficient", Failure::infra},
    Pattern{"CUDA error: unspecified launch failure", Failure::infra},
    Pattern{"uncorrectable ECC error", Failure::infra},
    Pattern{"GPU has fallen off the bus", Failure::infra},
    Pattern{"NCCL error", Failure::infra},
    Pattern{"unhandled system error", Failure::infra},
    Pattern{"Bus error", Failure::infra},
    Pattern{"hone-train: not on this machine", Failure::infra},
    Pattern{"unable to open shared memory object", Failure::infra},

    Pattern{"DUE TO PREEMPTION", Failure::preempted},
    Pattern{"DUE TO TIME LIMIT", Failure::preempted},

    Pattern{"\nSyntaxError:", Failure::user_error},
    Pattern{"\nModuleNotFoundError:", Failure::user_error},
    Pattern{"\nImportError:", Failure::user_error},
    Pattern{"\nNameError:", Failure::user_error},
    Pattern{"\nTypeError:", Failure::user_error},
    Pattern{"\nValueError:", Failure::user_error},
    Pattern{"\nKeyError:", Failure::user_error},
    Pattern{"\nIndexError:", Failure::user_error},
    Pattern{"\nAttributeError:", Failure::user_error},
    Pattern{"\nAssertionError", Failure::user_error},
    Pattern{"\nZeroDivisionError:", Failure::user_error},
    Pattern{"\nFileNotFoundError:", Failure::user_error},
    Pattern{"\nNotImplementedError", Failure::user_error},
    Pattern{"CUDA error: device-side assert triggered", Failure::user_error},
};

struct Signal {
  int number;
  Failure failure;
  std::string_view why;
};

// sbatch --signal=USR1@60 sends one of two, which end a program that has no handler for it.
constexpr std::string_view soon_over = "a batch system sends it before the end of its job";

// Signals that hone did not send.
constexpr std::array signals{
    Signal{SIGKILL, Failure::infra, "it was killed from outside"},
    Signal{SIGTERM, Failure::preempted, "it was terminated from outside"},
    Signal{SIGINT, Failure::preempted, "it was interrupted from outside"},
    Signal{SIGHUP, Failure::preempted, "its session ended"},
    Signal{SIGUSR1, Failure::preempted, soon_over},
    Signal{SIGUSR2, Failure::preempted, soon_over},
    Signal{SIGXCPU, Failure::timed_out, "its limit on processor time was reached"},
    Signal{SIGXFSZ, Failure::infra, "its limit on file size was reached"},
    Signal{SIGBUS, Failure::infra, "a full disk or shared memory, or bad memory"},
    Signal{SIGILL, Failure::infra, "this processor lacks an instruction"},
    Signal{SIGSEGV, Failure::crash, ""},
    Signal{SIGABRT, Failure::crash, ""},
    Signal{SIGFPE, Failure::crash, ""},
};

std::string_view without_line_end(std::string_view text) {
  if (text.starts_with('\n')) text.remove_prefix(1);
  return text;
}

const Pattern* last_match(std::string_view log) {
  const Pattern* last = nullptr;
  std::size_t last_at = 0;
  for (const Pattern& pattern : patterns) {
    const auto at = log.rfind(pattern.text);
    if (at == std::string_view::npos || (last != nullptr && at < last_at)) continue;
    last = &pattern;
    last_at = at;
  }
  return last;
}

}  // namespace

Evidence evidence_of(const ProcessEnd& end, std::string_view log_tail) {
  if (end.with_failure && end.memory_exceeded)
    return {
        Failure::oom,
        "it needed more memory than resources.memory allows: the kernel killed a process of it"};
  if (end.signal == SIGKILL && end.memory_ran_out)
    return {Failure::oom, "the kernel killed a process for lack of memory while it ran"};
  if (!end.with_failure) return {};
  const Pattern* match = last_match(log_tail);
  // A program's log does not explain a signal from outside.
  const bool from_outside = end.signal == SIGTERM || end.signal == SIGINT || end.signal == SIGHUP ||
                            end.signal == SIGKILL || end.signal == SIGUSR1 || end.signal == SIGUSR2;
  if (match != nullptr && (!from_outside || match->failure != Failure::user_error)) {
    const auto text = std::string(without_line_end(match->text));
    return {match->failure, "its log says \"" + text + "\"", match->text == file_too_large,
            match->of_gpu};
  }
  for (const Signal& row : signals)
    if (row.number == end.signal)
      return {row.failure, std::string(row.why), row.number == SIGXFSZ, false};
  if (end.signal != 0) return {Failure::crash, {}};
  return {};
}

}  // namespace hone::worker
