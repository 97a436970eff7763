// What free slots could be used for, for those that wait for work or start workers. Pure.
#pragma once

#include <span>
#include <vector>

#include "server/sweep/state/command.hpp"
#include "server/sweep/state/state.hpp"

namespace hone {

// Returns what parked Acquires might get now: the resources of each sweep that has a run to give,
// each once. Proposes nothing. May return false positives: a run may avoid every parked worker.
std::vector<ResourcesSpec> resources_wanted(const Book& book);

// Returns whether one of them fits what the worker may still take.
bool may_serve(const Book& book, const AcquireRequest& request,
               std::span<const ResourcesSpec> wanted);

}  // namespace hone
