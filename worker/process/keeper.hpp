// The process between a worker and a trial: it outlives neither, and leaves nothing behind.
//
// It is the subreaper of all that the trial starts, whatever sessions and groups that hides in.
// When the trial ends, when the worker dies (of kill -9, too) or when told to, it kills every
// descendant, waits until all are gone, and ends as the trial did: by the same signal or with the
// same status. Killed itself, it takes the trial with it, and the worker becomes the reaper of what
// is left.
#pragma once

#include <sys/types.h>

#include <csignal>

namespace hone::worker {

// What the worker sends it.
inline constexpr int keeper_end = SIGTERM;   // passed on to the trial's process group
inline constexpr int keeper_kill = SIGUSR1;  // the trial and all its descendants, now

// Called after a fork of a process with threads: async-signal-safe. Every signal must be blocked.
// `parent` is the worker; `begin` becomes the trial and never returns; `fault` is told the errno of
// a fork that fails.
[[noreturn]] void keep(pid_t parent, void (*begin)(const void*), const void* context, int fault);

// Kills every child of the calling thread but `known`, which is sorted, and collects those that
// have ended: orphans that a killed keeper left.
void end_strays(const pid_t* known, std::size_t count);

}  // namespace hone::worker
