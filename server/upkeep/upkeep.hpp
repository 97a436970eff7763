// `hone db`: checks, backs up, repairs, upgrades and prunes a data folder. The first two work while
// a server runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "db/ledger/ledger.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"

namespace hone {
struct CreateTokenRequest;
}

namespace hone::upkeep {

// Called often with the unit of work ("events", "pages", "blobs") and the progress.
using Progress = std::function<void(std::string_view unit, std::int64_t done, std::int64_t total)>;

enum class Health { ok, warn, fail };

struct Finding {
  std::string what;  // "ledger", "blobs", ...
  Health health = Health::ok;
  std::string detail;
};

// The link of an event as a user kept it, outside the data folder.
struct KeptLink {
  std::int64_t seq = 0;
  std::string link;  // hex digits
};

// Checks the consistency of the file, each event, the snapshot against a full replay, the query
// tables against a rebuild, the digest of every blob, and a kept link if there is one, as of one
// instant. Changes nothing. Refuses a folder whose database cannot be opened.
Result<std::vector<Finding>> check(const std::filesystem::path& folder,
                                   const std::optional<KeptLink>& kept, const Progress& progress);

struct BackupReport {
  std::filesystem::path folder;
  std::int64_t events = 0;
  std::int64_t blobs = 0;
  std::int64_t bytes = 0;  // of all files
  std::string head;        // "4711:9f86d0...": the newest event and its link; empty: it has none
  Quarantine quarantined;  // sweeps of the copy that a start could not serve
};

// Copies the folder to `to`, which must not exist, as a data folder for a server: the database as
// of one instant, then the blobs that its models name. The copy is named `to`.partial until it is
// complete and synced.
Result<BackupReport> back_up(const std::filesystem::path& folder, const std::filesystem::path& to,
                             bool with_blobs, const Progress& progress);

struct RepairedSweep {
  SweepId sweep;
  std::int64_t first = 0;   // the first event that was left out
  std::int64_t events = 0;  // that were left out
  std::string why;          // the first one
};

struct RepairReport {
  std::int64_t events = 0;   // of the ledger before
  std::int64_t removed = 0;  // 0: there was nothing to repair
  std::vector<RepairedSweep> sweeps;
  std::string backup;  // a verified copy of the database before; empty if nothing was changed
};

// Takes the events out of the ledger that a start cannot read or that no rule allows, with those of
// the same sweeps that need them; every other event stays. First it makes a verified copy in
// the same folder. Standbys must be made again, and links that users kept no longer hold. Refuses
// (conflict) while a server runs on the folder, and (invalid) an unreadable event of no sweep.
Result<RepairReport> repair(const std::filesystem::path& folder, const Progress& progress);

// A sweep that depends on another one.
struct Dependent {
  SweepId sweep;
  SweepId on;
  std::string how;  // "confirms it"
};

struct RemovedSweep {
  SweepId sweep;
  std::string name;
  std::int64_t trials = 0;
  std::int64_t events = 0;
};

struct RemovalPlan {
  std::vector<RemovedSweep> sweeps;
  std::vector<Dependent> dependents;  // others that would have to go too
};

// Refuses (not_found) a sweep that there is not, and (conflict) one that has not ended.
Result<RemovalPlan> plan_removal(const std::filesystem::path& folder,
                                 const std::vector<SweepId>& sweeps);

struct RemovalReport {
  std::int64_t events = 0;   // of the ledger before
  std::int64_t removed = 0;  // of them
  std::int64_t files = 0;    // checkpoints, artifacts and logs that nothing else names
  std::int64_t bytes = 0;    // of those files
  std::string backup;        // a verified copy of the database before
};

// Takes all events of the sweeps out of the ledger, and their files out of the folder; every other
// event stays. First it makes a verified copy of the database in the same folder. Standbys must be
// made again, links that users kept no longer hold, and the ids of the newest sweeps may be given
// again. Refuses (conflict) while a server runs on the folder, and where other sweeps depend on
// these.
Result<RemovalReport> remove_sweeps(const std::filesystem::path& folder,
                                    const std::vector<SweepId>& sweeps);

// Whether an older hone wrote the folder. False where there is no database that can be read.
bool is_older(const std::filesystem::path& folder);

struct UpgradeReport {
  int from = 0;  // 0: it has the newest schema
  int to = 0;
  std::string backup;  // a copy of the old file
};

// Refuses (conflict) while a server runs on the folder.
Result<UpgradeReport> upgrade(const std::filesystem::path& folder);

struct PromoteReport {
  std::int64_t term = 0;    // of the folder from now on
  std::int64_t events = 0;  // that it has
  std::string head;         // "4711:9f86d0...": the newest event and its link
  std::string followed;     // URL of the server that it was a standby of
  bool running = false;     // a server runs on the folder, and is the primary now
};

// The URL of the server whose standby the folder is. Refuses (conflict) a folder of a primary.
Result<std::string> followed_by(const std::filesystem::path& folder);

// Makes the folder of a standby that of a primary. A follower that runs on it becomes the primary:
// it gets SIGUSR1, and this waits until it has ended its copy. Refuses (timed_out) if it has not
// after half a minute, and (conflict), without `force`, a standby that was never complete.
Result<PromoteReport> promote(const std::filesystem::path& folder, bool force);

struct PruneOptions {
  Duration older;            // only sweeps that ended so long ago
  std::int64_t kept = 100;   // points of each metric series of a run, at least 2
  std::filesystem::path to;  // an archive for the other points; empty: they are deleted
};

struct PruneReport {
  std::int64_t sweeps = 0;  // that had more points
  std::int64_t points = 0;  // removed
  std::int64_t bytes_before = 0;
  std::int64_t bytes_after = 0;  // of the database
};

// Thins the metrics of sweeps that ended long ago and gives the space back to the disk. Reports,
// verdicts, models and each metric's last value stay. Refuses (conflict) while a server runs on the
// folder, and what thin_metrics refuses. Interrupted, it continues where it was.
Result<PruneReport> prune(const std::filesystem::path& folder, const PruneOptions& options,
                          const Progress& progress);

// Adds a token to a folder without a running server, for a user who lost the last administrator's
// token. Refuses (conflict) while a server runs, and what the server itself would refuse.
Result<TokenId> create_token(const std::filesystem::path& folder,
                             const CreateTokenRequest& request);

}  // namespace hone::upkeep
