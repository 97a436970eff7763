// Fleets: how many workers an engine keeps alive for the server, and the states of those workers,
// its pilots.
#pragma once

#include <string>
#include <vector>

#include "schemas/types/instant.hpp"

namespace hone {

// The programs of the engine `command`, as argument vectors. "{name}" in a word is replaced; no
// shell reads them.
struct FleetCommands {
  std::vector<std::string> submit{};  // prints the handle of the job
  std::vector<std::string> list{};    // prints one line for each job: HANDLE STATE TOKEN
  std::vector<std::string> cancel{};
  friend bool operator==(const FleetCommands&, const FleetCommands&) = default;
};

struct FleetSpec {
  std::string name;              // no two live fleets share one
  std::string engine = "local";  // a row of server/engines/table.cpp
  int min = 0;                   // pilots alive at any time
  int max = 4;
  int backlog = 2;                 // of them, at most so many that have not joined yet
  Duration idle = seconds(300);    // a pilot without a run leaves after it
  Duration wall = seconds(14400);  // a pilot's whole life
  Duration drain = seconds(180);   // before its end it takes no more runs
  int slots = 1;                   // of each pilot
  int gpus = 0;
  std::int64_t memory = 0;            // bytes of each pilot; 0: what it finds there
  std::vector<std::string> labels{};  // of each pilot; `command` passes them on, too
  std::int64_t gpu_memory = 0;        // bytes of each of its GPUs; 0: what it finds there
  std::string url{};         // of this server, as its pilots reach it; empty: as it listens
  std::string token_file{};  // of a worker token, on the pilots' machines; empty: the server's own
  std::string tls_ca{};      // likewise; empty: the system's certificates
  std::string program{};     // hone-worker on the pilots' machines; empty: where the server's is
  std::string folder{};  // of the pilots' data; empty: below /tmp, for `local` the server's data
  std::vector<std::string> hosts{};  // `ssh`: where pilots run
  std::vector<std::string> args{};   // further arguments of sbatch or ssh
  FleetCommands commands{};
  friend bool operator==(const FleetSpec&, const FleetSpec&) = default;
};

enum class FleetState {
  running,
  halted,    // the engine rejects every submission: a user must change the fleet
  stopping,  // no new pilots; the last ones end
  stopped,
};

enum class PilotState {
  wanted,   // recorded; its submission may happen from here on
  unknown,  // its submission may have happened or not
  pending,  // the engine has it, but it does not run yet
  held,     // as pending, and the engine will not start it by itself
  running,
  absent,  // a complete list did not name it, which proves nothing yet
  ended,
};

// Why a fleet wants, refuses or cancels a pilot, and how a pilot ended.
enum class FleetRule {
  demand,      // runs wait for a worker
  minimum,     // fewer than `min` are alive
  probe,       // one submission after failures, to see whether the engine accepts again
  enough,      // those alive can take all runs that wait
  at_max,      // `max` are alive
  backlog,     // `backlog` pilots have not joined yet
  back_off,    // failures: the next submission waits
  halted,      // the engine rejects every submission
  limited,     // the engine takes no more jobs of this account now
  stopping,    // a user stopped the fleet
  over_max,    // cancelled: more are alive than `max`
  surplus,     // cancelled: no run waits for it any more
  adopted,     // found at the engine by its token
  completed,   // ended: the engine reports it
  failed,      // ended: the engine reports a failure
  vanished,    // ended: two complete lists did not name it, and its worker is silent
  never_seen,  // ended: its submission never appeared at the engine
  rejected,    // ended: the engine rejected its submission
};

}  // namespace hone
