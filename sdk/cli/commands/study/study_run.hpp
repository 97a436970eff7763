// Runs what is missing of a study. The ledger is its only state: a study that was killed continues
// with the sweeps that exist.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sdk/cli/commands/study/study_ledger.hpp"
#include "sdk/cli/local/child.hpp"
#include "sdk/cli/render/pace.hpp"

namespace hone::cli {

struct RunPlan {
  int parallel = 2;             // repetitions of cells at a time
  std::string folder;           // for logs; its size is bounded
  std::int64_t disk_bytes = 0;  // nothing new is submitted beyond
};

class StudyRun {
 public:
  StudyRun(Session& session, StudyLedger& ledger, const study::Study& study, RunPlan plan);
  ~StudyRun();
  StudyRun(const StudyRun&) = delete;
  StudyRun& operator=(const StudyRun&) = delete;

  // Returns once all repetitions are there, or the answer is; true if a signal ended it before.
  Result<bool> run();
  [[nodiscard]] const std::vector<study::Outcome>& outcomes() const { return outcomes_; }

 private:
  struct Live {
    study::Unit unit;
    std::string tuning, test;  // sweeps
    study::Outcome outcome{};
    bool stopping = false;
    pid_t picker = 0;
  };

  Result<bool> run_units(std::deque<study::Unit> waiting);
  Status start(const study::Unit& unit);
  Status look(Live& live);
  Status look_at_tuning(Live& live);
  Status look_at_test(Live& live);
  Status start_picker(Live& live);
  Status check_disk();
  void finish(Live& live);
  void show_progress();

  Session& session_;
  StudyLedger& ledger_;
  const study::Study& study_;
  RunPlan plan_;
  std::vector<Live> live_;
  std::vector<study::Outcome> outcomes_;
  std::size_t expected_ = 0;
  Pace pace_;
  Instant shown_at_, measured_at_;
};

}  // namespace hone::cli
