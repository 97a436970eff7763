// Checks the ledger event by event, independently of the Book, and names the promise that an event
// breaks. Its only inputs are the events and the real time at which they were committed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "schemas/types/event.hpp"

namespace hone::sim {

class Witness {
 public:
  // Returns the broken promise, or an empty string. `real`: the time of the world, not that of the
  // server's clock.
  std::string see(const Event& event, Instant real);

  [[nodiscard]] std::int64_t seen() const { return seq_; }

 private:
  struct RunStory {
    LeaseId live;
    int phases = 0;    // reports
    int verdicts = 0;  // given
    bool over = false;
  };
  struct LeaseStory {
    RunId run;
    Instant fresh_at;    // real: granted, renewed, or the server came up
    bool asked = false;  // never expires
  };

  std::string look(const SweepSubmitted& e);
  std::string look(const ServerStarted& e);
  std::string look(const TrialProposed& e);
  std::string look(const LeaseGranted& e);
  std::string look(const LeaseRenewed& e);
  std::string look(const ReportRecorded& e);
  std::string look(const VerdictGiven& e);
  std::string look(const RunPaused& e);
  std::string look(const RunReturned& e);
  std::string look(const RunEnded& e);
  std::string look(const SweepEnded& e);
  template <class Other>
  std::string look(const Other&) {
    return {};
  }
  std::string release(RunId run, LeaseId lease);
  [[nodiscard]] const SweepSpec& spec_of(RunId run) const;

  Instant now_;
  Instant at_;
  std::int64_t seq_ = 0;
  Duration lease_length_;
  std::map<SweepId, SweepSpec> sweeps_;
  std::map<SweepId, std::int64_t> proposed_;
  std::set<SweepId> ended_;
  std::map<TrialId, SweepId> trials_;
  std::map<RunId, RunStory> runs_;
  std::map<LeaseId, LeaseStory> leases_;
};

}  // namespace hone::sim
