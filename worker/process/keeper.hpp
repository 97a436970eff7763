// The keeper: the process between a worker and a trial, as containerd has a shim between itself and
// a container. It ends with either of them and leaves no process behind.
//
// It is the subreaper of every process that the trial starts, in whatever session or group. When
// the trial exits, when the worker dies (even of kill -9) or on request, it kills every descendant,
// waits for all of them, and ends as the trial did: by the same signal or with the same status. If
// the keeper is killed, the trial gets SIGKILL, and the worker reaps what is left.
#pragma once

#include <sys/types.h>

#include <csignal>

namespace hone::worker {

// The signals that the worker sends to it.
inline constexpr int keeper_end = SIGTERM;   // passed on to the trial's process group
inline constexpr int keeper_kill = SIGUSR1;  // the trial and all its descendants, now

// Runs the keeper. Called in the child after fork in a process with threads: async-signal-safe.
// Every signal must be blocked. `parent` is the worker; `begin` becomes the trial and never
// returns; the errno of what fails before is written to `fault`.
[[noreturn]] void keep(pid_t parent, void (*begin)(const void*), const void* context, int fault);

// Kills and reaps every child of the calling thread that is not in `known`, which is sorted: the
// orphans of a keeper that was killed.
void end_strays(const pid_t* known, std::size_t count);

}  // namespace hone::worker
