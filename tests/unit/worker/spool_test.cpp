// What a worker keeps on disk, and what it makes of what an earlier process left.
#include "worker/process/spool.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/worker/given.hpp"
#include "worker/process/run_folder.hpp"

namespace hone::worker {
namespace {
namespace fs = std::filesystem;

// As it comes over the wire: what is read back is checked.
LeaseGrant whole_grant() {
  LeaseGrant grant = small_grant();
  grant.objective.metric = "score";
  grant.sweep_name = "small";
  return grant;
}

class SpoolFile : public testing::Test {
 protected:
  SpoolFile() { fs::create_directories(data); }
  ~SpoolFile() override { fs::remove_all(data); }

  std::vector<Recovered> recovered() {
    Spool again(data);
    return again.recover(dropped);
  }

  std::string data =
      fs::temp_directory_path() / ("hone-spool-" + std::to_string(::getpid()) + "-" +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
  std::vector<std::string> dropped;
};

const ReportLine report_line{std::nullopt, 10, Score::of(0.5), {Score::diverged()}};

TEST_F(SpoolFile, returns_the_lines_in_their_order) {
  Spool spool(data);
  ASSERT_TRUE(spool.open(whole_grant()));
  ASSERT_TRUE(spool.append(LeaseId{1}, MetricPoint{"loss", 10, 0.25}));
  ASSERT_TRUE(spool.append(LeaseId{1}, CheckpointLine{"a b.pt", 10, 0}));
  ASSERT_TRUE(spool.append(LeaseId{1}, report_line));
  ASSERT_TRUE(spool.append(Exited{LeaseId{1}, true, 9, "\xff tail\n", true}));
  const auto all = recovered();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].grant.attempt, small_grant().attempt);
  ASSERT_EQ(all[0].lines.size(), 3U);
  EXPECT_EQ(std::get<MetricPoint>(all[0].lines[0]).value, 0.25);
  EXPECT_EQ(std::get<CheckpointLine>(all[0].lines[1]).path, "a b.pt");
  const auto& report = std::get<ReportLine>(all[0].lines[2]);
  EXPECT_EQ(report.score, Score::of(0.5));
  ASSERT_EQ(report.further.size(), 1U);
  EXPECT_TRUE(report.further[0].is_diverged());
  ASSERT_TRUE(all[0].exited);
  EXPECT_EQ(all[0].exited->number, 9);
  EXPECT_TRUE(all[0].exited->memory_ran_out);
}

TEST_F(SpoolFile, starts_again_when_everything_is_delivered) {
  Spool spool(data);
  ASSERT_TRUE(spool.open(whole_grant()));
  ASSERT_TRUE(spool.append(LeaseId{1}, report_line));
  ASSERT_TRUE(spool.delivered(LeaseId{1}, 1));
  ASSERT_TRUE(spool.append(LeaseId{1}, report_line));
  const auto all = recovered();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].grant.next_phase, 1);
  EXPECT_EQ(all[0].lines.size(), 1U);
}

TEST_F(SpoolFile, is_gone_with_its_lease) {
  Spool spool(data);
  ASSERT_TRUE(spool.open(whole_grant()));
  spool.close(LeaseId{1});
  EXPECT_TRUE(recovered().empty());
}

// Killed at any byte: what was whole is there.
TEST_F(SpoolFile, torn_at_any_byte_gives_back_the_whole_lines) {
  Spool spool(data);
  ASSERT_TRUE(spool.open(whole_grant()));
  ASSERT_TRUE(spool.append(LeaseId{1}, report_line));
  ASSERT_TRUE(spool.append(LeaseId{1}, report_line));
  const auto path = fs::path(data) / "spool" / "le_1";
  const auto size = fs::file_size(path);
  std::size_t most = 2;
  for (auto bytes = size; bytes-- > 0;) {
    fs::resize_file(path, bytes);
    const auto all = recovered();
    if (all.empty()) break;  // the grant itself is torn: dropped, and the file with it
    EXPECT_LE(all[0].lines.size(), most);
    most = all[0].lines.size();
  }
  EXPECT_EQ(most, 0U);
  EXPECT_EQ(dropped.size(), 1U);
}

TEST_F(SpoolFile, is_bounded_for_metrics_and_never_for_reports) {
  Spool spool(data, 100);
  ASSERT_TRUE(spool.open(whole_grant()));
  ASSERT_TRUE(spool.append(LeaseId{1}, MetricPoint{"loss", 10, 0.25}));
  ASSERT_TRUE(spool.append(LeaseId{1}, report_line));
  const auto all = recovered();
  ASSERT_EQ(all[0].lines.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<ReportLine>(all[0].lines[0]));
}

TEST_F(SpoolFile, that_cannot_be_written_returns_why) {
  Spool spool(data);
  fs::remove_all(fs::path(data) / "spool");
  const auto opened = spool.open(whole_grant());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::internal);
  EXPECT_TRUE(spool.append(LeaseId{1}, report_line)) << "a lease without a spool continues";
}

// The agent ---------------------------------------------------------------------------------------

class AfterDeath : public GivenAgent {
 public:
  explicit AfterDeath(std::optional<Exited> exited) {
    Recovered left{small_grant(), {report_line}, std::move(exited)};
    when(left);
    EXPECT_FALSE(call<ReportCall>());
    join();
  }
};

TEST(SpoolRecovery, delivers_once_the_lease_is_confirmed) {
  AfterDeath given(std::nullopt);
  EXPECT_FALSE(given.call<ReportCall>()) << "not before a heartbeat";
  given.order(Order::none);
  EXPECT_EQ(given.request<ReportCall>().request.phase, 0);
  given.verdict(Action::go_on);
  EXPECT_TRUE(given.has<Delivered>());
  const auto end = given.request<EndCall>().request;
  EXPECT_EQ(end.reason, EndReason::requeue_requested);
  EXPECT_EQ(end.failure, Failure::preempted);
  given.reply<EndCall>(CallReply{Done{}});
  EXPECT_TRUE(given.has<Forget>());
}

TEST(SpoolRecovery, reports_how_the_process_ended_if_that_is_known) {
  AfterDeath given(Exited{LeaseId{1}, false, 3, "tail", false});
  given.order(Order::none);
  given.verdict(Action::go_on);
  EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::exit_code);
}

TEST(SpoolRecovery, drops_the_lines_of_a_lost_lease_with_a_note) {
  AfterDeath given(std::nullopt);
  given.order(Order::gone);
  EXPECT_TRUE(given.has<Forget>());
  EXPECT_TRUE(given.has<Note>());
  EXPECT_FALSE(given.call<ReportCall>());
  EXPECT_FALSE(given.call<EndCall>());
}

TEST(SpoolRecovery, a_full_disk_keeps_runs_and_requests_none) {
  GivenAgent given;
  given.run();
  given.reply<AcquireRequest>(CallReply{std::optional<LeaseGrant>()});
  given.when(DiskFull{"No space left on device"});
  const auto notes = given.all<Note>();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].text.substr(0, 9), "disk_full");
  given.after(seconds(20));
  EXPECT_FALSE(given.call<AcquireRequest>());
  given.after(seconds(11));
  EXPECT_TRUE(given.call<AcquireRequest>());
}

TEST_F(SpoolFile, of_refused_reports_is_kept_in_another_folder) {
  Spool spool(data);
  ASSERT_TRUE(spool.open(whole_grant()));
  ASSERT_TRUE(spool.append(LeaseId{1}, report_line));
  const auto kept = spool.close_refused(LeaseId{1});
  ASSERT_TRUE(kept) << kept.error().detail;
  ASSERT_TRUE(*kept);
  EXPECT_EQ(**kept, data + "/refused/le_1");
  std::ifstream file(**kept);
  std::string grant, line;
  ASSERT_TRUE(std::getline(file, grant) && std::getline(file, line));
  EXPECT_EQ(line, trial_line_text(report_line));
  EXPECT_TRUE(recovered().empty()) << "they are not delivered again";
}

TEST_F(SpoolFile, without_refused_reports_is_removed) {
  Spool spool(data);
  ASSERT_TRUE(spool.open(whole_grant()));
  const auto kept = spool.close_refused(LeaseId{1});
  ASSERT_TRUE(kept);
  EXPECT_FALSE(*kept);
  EXPECT_FALSE(fs::exists(data + "/spool/le_1"));
}

// After a restored backup, a worker may get an attempt whose namesake is still being killed.
TEST_F(SpoolFile, folders_of_attempts_with_the_same_number_removed_each_other) {
  LeaseGrant grant = whole_grant();
  auto lost = RunFolder::make(data, grant, "");
  grant.lease = LeaseId{2};
  auto made = RunFolder::make(data, grant, "");
  ASSERT_TRUE(lost && made);
  EXPECT_NE(lost->path(), made->path());
  { const RunFolder ended = std::move(*lost); }
  EXPECT_TRUE(fs::is_regular_file(made->places().run_file));
  EXPECT_EQ(RunFolder::adopt(data, grant).path(), made->path());
}

}  // namespace
}  // namespace hone::worker
