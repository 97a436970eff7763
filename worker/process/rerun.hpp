// Runs an attempt again without a server, with the verdicts that were recorded: for `hone
// reproduce`.
#pragma once

#include <string>

#include "worker/process/run_process.hpp"

namespace hone::worker {

// Reads a JSON object from `file`: "grant" (as the server's reply to a request for work),
// "resume_path" (the checkpoint to continue from, or empty) and "verdicts" (from grant.next_phase
// on). Executes the run and prints a JSON object a line: {"report": {phase, step, value, further}},
// {"checkpoint": {phase, step, sha256, bytes, path}} and at last {"exit": {signal, number,
// log_tail}}. Checkpoints are kept in paths.data/kept. After the last verdict the process must exit
// by itself within a while, or is killed. Call block_signals first. Refuses with the reason if the
// run cannot be started.
Status rerun(const WorkerPaths& paths, const std::string& file);

}  // namespace hone::worker
