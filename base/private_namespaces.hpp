// A program in private namespaces of users, mounts, processes, IPC and the network: it reaches no
// network, and sees no process but its own. It has the files of its account, as any program does.
#pragma once

#include "base/process.hpp"

namespace hone {

// Refuses (conflict), with the system's reason, where this account may not make them.
Status check_private_namespaces();

// For start_process: the program begins in private namespaces, and ends with the process that waits
// for it here. Fails as a program that cannot be executed.
void begin_in_private_namespaces(const ChildImage& image);

}  // namespace hone
