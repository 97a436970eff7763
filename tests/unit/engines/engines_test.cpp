// The contract of every row of the table of engines, against programs that imitate the real ones:
// a submitted pilot is listed with its token, a second engine (a restarted server) finds it, and a
// canceled one ends. Then what is special to one of them.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "server/engines/engine.hpp"
#include "server/engines/program.hpp"

namespace hone::engines {
namespace {

namespace fs = std::filesystem;

// A batch system in a folder: a job is a file with its name and state.
constexpr const char* submit_text = R"(#!/bin/sh
for word in "$@"; do
  case "$word" in --job-name=*) name=${word#--job-name=};; hone-*) name=$word;; esac
done
test -f "$MOCK/refuse" && { cat "$MOCK/refuse" >&2; exit 1; }
cat >"$MOCK/script"
n=$(($(cat "$MOCK/last" 2>/dev/null || echo 0) + 1))
echo $n >"$MOCK/last"
echo "PENDING $name" >"$MOCK/job.$n"
test -f "$MOCK/lose" && { echo "sbatch: error: Socket timed out on send/recv" >&2; exit 1; }
echo "$n"
)";
constexpr const char* squeue_text = R"(#!/bin/sh
test -f "$MOCK/away" && { echo "Unable to contact slurm controller" >&2; exit 1; }
for f in "$MOCK"/job.*; do
  test -f "$f" || continue
  read state name comment <"$f"
  echo "${f##*.}|$state|$name|${comment:-$name}|None"
done
)";
constexpr const char* list_text = R"(#!/bin/sh
for f in "$MOCK"/job.*; do
  test -f "$f" || continue
  read state name <"$f"
  case $state in PENDING) state=pending;; CANCELLED) state=ended;; esac
  echo "${f##*.} $state $name"
done
)";
constexpr const char* cancel_text = R"(#!/bin/sh
for n in "$@"; do
  read state name <"$MOCK/job.$n"
  echo "CANCELLED $name" >"$MOCK/job.$n"
done
)";
// ssh on this machine: the last two words are `sh -s`.
constexpr const char* ssh_text = R"(#!/bin/sh
test -f "$MOCK/away" && { echo "ssh: connect to host: No route to host" >&2; exit 255; }
for host in "$@"; do test -f "$MOCK/ssh.$host" && { cat "$MOCK/ssh.$host" >&2; exit 255; }; done
exec sh -s
)";
// A worker that only waits. The loop keeps its command line in /proc.
constexpr const char* worker_text = "#!/bin/sh\nwhile true; do sleep 0.05; done\n";

class Engines : public testing::TestWithParam<std::string_view> {
 protected:
  Engines() {
    ::signal(SIGPIPE, SIG_IGN);  // as in the server: a program may end before it has read its input
    char name[] = "/tmp/hone_engines_XXXXXX";
    folder = ::mkdtemp(name);
    for (const char* part : {"bin", "site/logs", "site/data", "site/scripts", "mock"})
      fs::create_directories(folder / part);
    ::setenv("MOCK", (folder / "mock").c_str(), 1);
    before = std::getenv("PATH");
    ::setenv("PATH", ((folder / "bin").string() + ":" + before).c_str(), 1);
    program("sbatch", submit_text), program("squeue", squeue_text), program("scancel", cancel_text);
    program("list", list_text), program("ssh", ssh_text), program("hone-worker", worker_text);
    order.fleet = FleetId{1};
    // Processes of other runs of this test must not be found.
    order.mark = "t" + std::to_string(::getpid());
    order.spec.name = "mock";
    order.spec.url = "http://127.0.0.1:1";
    order.spec.folder = folder / "site" / "data";
    pilot = {PilotId{7}, pilot_token(order.mark, PilotId{7})};
  }
  ~Engines() override {
    ::setenv("PATH", before.c_str(), 1);
    fs::remove_all(folder);
  }

  void program(const std::string& name, const char* text) const {
    std::ofstream(folder / "bin" / name) << text;
    ::chmod((folder / "bin" / name).c_str(), 0700);
  }
  void say(const std::string& file, const std::string& text = "") const {
    std::ofstream(folder / "mock" / file) << text;
  }
  std::unique_ptr<Engine> make(std::string_view name) {
    order.spec.engine = name;
    if (name == "ssh" && order.spec.hosts.empty()) order.spec.hosts = {"node1"};
    if (name == "command")
      order.spec.commands = {{"sbatch", "{token}"}, {"list"}, {"scancel", "{handle}"}};
    const Site site{folder / "site", folder / "bin" / "hone-worker", "http://127.0.0.1:1", ""};
    return engine_info(name).make(order, site);
  }
  static const ListedPilot* find(const Result<Listing>& listing, PilotId pilot) {
    if (!listing) return nullptr;
    for (const ListedPilot& one : listing->pilots)
      if (one.pilot == pilot) return &one;
    return nullptr;
  }
  // A process needs a moment to begin and to end.
  template <class Holds>
  static bool soon(Holds holds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < until)
      if (holds()) return true;
    return false;
  }

  fs::path folder;
  std::string before;
  FleetOrder order;
  PilotOrder pilot;
};

TEST_P(Engines, a_submitted_pilot_is_listed_found_again_and_canceled) {
  const auto engine = make(GetParam());
  const auto submitted = engine->submit(pilot);
  ASSERT_EQ(submitted.outcome, Submission::accepted) << submitted.detail;
  pilot.handle = submitted.handle;
  ASSERT_TRUE(soon([&] { return find(engine->list(), pilot.pilot) != nullptr; }));
  const auto restarted = make(GetParam());
  const auto listing = restarted->list();
  const ListedPilot* found = find(listing, pilot.pilot);
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->state, PilotState::ended);
  EXPECT_EQ(found->handle, submitted.handle);
  ASSERT_TRUE(restarted->cancel({pilot}));
  EXPECT_TRUE(soon([&] {
    const auto later = restarted->list();
    const ListedPilot* one = find(later, pilot.pilot);
    return later && (one == nullptr || one->state == PilotState::ended);
  }));
}

TEST_P(Engines, pilots_of_another_fleet_are_not_listed) {
  const auto engine = make(GetParam());
  const auto submitted = engine->submit(pilot);
  pilot.handle = submitted.handle;
  ASSERT_TRUE(soon([&] { return find(engine->list(), pilot.pilot) != nullptr; }));
  order.mark = "other";
  const auto listing = make(GetParam())->list();
  ASSERT_TRUE(listing);
  EXPECT_TRUE(listing->pilots.empty());
  ASSERT_TRUE(engine->cancel({pilot}));
}

INSTANTIATE_TEST_SUITE_P(Table, Engines, testing::ValuesIn(engine_names),
                         [](const auto& one) { return std::string(one.param); });

using Slurm = Engines;
TEST_F(Slurm, a_bad_partition_is_permanent_with_its_own_message) {
  say("refuse", "sbatch: error: invalid partition specified: nosuch\n");
  const auto result = make("slurm")->submit(pilot);
  EXPECT_EQ(result.outcome, Submission::rejected);
  EXPECT_TRUE(result.permanent);
  EXPECT_EQ(result.detail, "sbatch: error: invalid partition specified: nosuch");
}

TEST_F(Slurm, a_lost_answer_is_unknown_and_the_job_is_found_by_its_token) {
  say("lose");
  const auto engine = make("slurm");
  EXPECT_EQ(engine->submit(pilot).outcome, Submission::unknown);
  const auto listing = engine->list();
  ASSERT_NE(find(listing, pilot.pilot), nullptr);
  EXPECT_EQ(find(listing, pilot.pilot)->state, PilotState::pending);
}

TEST_F(Slurm, without_its_controller_nothing_is_known) {
  say("away");
  EXPECT_FALSE(make("slurm")->list());
}

TEST_F(Slurm, states_that_are_not_in_the_table_are_jobs_that_are_there) {
  const auto engine = make("slurm");
  say("job.1", "SOMETHING_NEW " + pilot.token);
  say("job.2", "NODE_FAIL " + pilot_token(order.mark, PilotId{8}));
  const auto listing = engine->list();
  EXPECT_EQ(find(listing, PilotId{7})->state, PilotState::running);
  EXPECT_EQ(find(listing, PilotId{8})->state, PilotState::ended);
  EXPECT_TRUE(find(listing, PilotId{8})->failed);
}

TEST_F(Slurm, a_limit_of_jobs_is_no_permanent_rejection) {
  say("refuse",
      "sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job "
      "violates accounting/QOS policy (job submit limit, user's size and/or time limits)\n");
  const auto result = make("slurm")->submit(pilot);
  EXPECT_EQ(result.outcome, Submission::rejected);
  EXPECT_TRUE(result.limited);
  EXPECT_FALSE(result.permanent);
}

TEST_F(Slurm, a_job_is_found_by_its_comment_or_by_its_name) {
  const auto engine = make("slurm");
  say("job.1", "RUNNING renamed " + pilot.token);
  say("job.2", "RUNNING " + pilot_token(order.mark, PilotId{8}) + " replaced");
  say("job.3", "RUNNING renamed replaced");
  const auto listing = engine->list();
  EXPECT_NE(find(listing, PilotId{7}), nullptr);
  EXPECT_NE(find(listing, PilotId{8}), nullptr);
  EXPECT_EQ(listing->pilots.size(), 2U);
}

TEST_F(Slurm, the_script_has_no_secret_and_quotes_its_words) {
  order.spec.folder = "/data/o'brien";
  const Site site{folder / "site", "/opt/hone-worker", "http://login:1", "/home/a/worker.token"};
  const auto script = pilot_script(order.spec, site, pilot);
  EXPECT_NE(script.find("exec /opt/hone-worker"), std::string::npos) << script;
  EXPECT_NE(script.find("'/data/o'\\''brien/" + pilot.token + "'"), std::string::npos) << script;
  EXPECT_NE(script.find("--token-file /home/a/worker.token"), std::string::npos) << script;
}

TEST(PilotUrl, a_server_on_all_addresses_gives_its_pilots_elsewhere_none) {
  FleetSpec spec;
  spec.name = "gpu";
  spec.engine = "slurm";
  const Site site{"/site", "/opt/hone-worker", "http://0.0.0.0:7777", ""};
  EXPECT_NE(unreachable_server(spec, site).find("hone fleet set gpu url="), std::string::npos);
  spec.url = "https://login1:7777";
  EXPECT_EQ(unreachable_server(spec, site), "");
}

TEST(PilotUrl, a_pilot_of_this_machine_reaches_a_server_on_all_addresses_by_loopback) {
  FleetSpec spec;
  spec.engine = "local";
  const Site site{"/site", "/opt/hone-worker", "http://0.0.0.0:7777", ""};
  EXPECT_EQ(unreachable_server(spec, site), "");
  EXPECT_EQ(pilot_argv(spec, site, {}, "/data")[2], "http://127.0.0.1:7777");
}

using Ssh = Engines;
TEST_F(Ssh, a_host_without_an_answer_makes_no_list) {
  say("away");
  EXPECT_FALSE(make("ssh")->list());
}

TEST_F(Ssh, a_host_that_is_not_reached_has_no_pilot_and_another_one_is_tried) {
  say("ssh.node1", "ssh: connect to host node1 port 22: Connection refused\n");
  order.spec.hosts = {"node1", "node2"};
  const auto engine = make("ssh");
  const auto first = engine->submit(pilot);
  EXPECT_EQ(first.outcome, Submission::rejected);
  EXPECT_FALSE(first.permanent);
  EXPECT_EQ(first.detail, "node1: ssh: connect to host node1 port 22: Connection refused");
  const PilotOrder next{PilotId{8}, pilot_token(order.mark, PilotId{8})};
  const auto second = engine->submit(next);
  EXPECT_TRUE(second.handle.starts_with("node2/")) << second.detail;
  const auto listing = engine->list();
  ASSERT_TRUE(listing);
  EXPECT_EQ(listing->silent, std::vector<std::string>{"node1/"});
  ASSERT_TRUE(engine->cancel({{next.pilot, next.token, second.handle}}));
}

TEST_F(Ssh, a_key_that_no_host_accepts_is_a_permanent_rejection) {
  say("ssh.node1", "me@node1: Permission denied (publickey).\n");
  say("ssh.node2", "Host key verification failed.\n");
  order.spec.hosts = {"node1", "node2"};
  const auto engine = make("ssh");
  EXPECT_FALSE(engine->submit(pilot).permanent) << "node2 may accept it";
  EXPECT_TRUE(engine->submit(pilot).permanent);
}

TEST_F(Ssh, a_host_without_the_program_is_a_permanent_rejection) {
  order.spec.program = "/no/such/hone-worker";
  const auto result = make("ssh")->submit(pilot);
  EXPECT_EQ(result.outcome, Submission::rejected);
  EXPECT_TRUE(result.permanent);
}

TEST(Program, a_program_that_does_not_end_is_killed) {
  const auto end = run_program({"sleep", "1000"}, "", milliseconds(100));
  EXPECT_EQ(end.kind, ProgramEnd::Kind::timed_out);
}

TEST(Program, what_is_not_installed_does_not_start) {
  EXPECT_EQ(run_program({"no-such-program"}, "").kind, ProgramEnd::Kind::not_started);
}

TEST(Program, output_beyond_the_bound_is_dropped) {
  const auto end = run_program({"head", "-c", "9000000", "/dev/zero"}, "");
  EXPECT_EQ(end.out.size(), output_bytes_max);
  EXPECT_TRUE(end.succeeded());
}

}  // namespace
}  // namespace hone::engines
