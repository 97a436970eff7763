// Real processes: how they start and how they end. No server is involved.
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"
#include "tests/unit/worker/process_given.hpp"
#include "worker/process/command_line.hpp"
#include "worker/process/environment.hpp"
#include "worker/process/gpus.hpp"

namespace hone::worker {
namespace {

// As CUDA reads the variable: an entry that is no device ends the list.
TEST(Gpus, counts_the_devices_that_its_programs_may_see) {
  EXPECT_EQ(count_visible(""), 0);
  EXPECT_EQ(count_visible("0"), 1);
  EXPECT_EQ(count_visible("5,6"), 2);
  EXPECT_EQ(count_visible("0,0,1,1"), 4) << "two runs share each";
  EXPECT_EQ(count_visible("GPU-8932f937-d72c-4106-c12f-20bd9faed9f6,1"), 2);
  EXPECT_EQ(count_visible("0,-1,1"), 1);
  EXPECT_EQ(count_visible("-1"), 0);
}

TEST(Gpus, a_divided_gpu_is_listed_with_its_parts) {
  const auto gpus = read_gpu_list(
      "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)\n"
      "  MIG 1g.5gb      Device  0: (UUID: MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f)\n"
      "  MIG 3g.20gb     Device  1: (UUID: MIG-cba663e8-9bed-5b25-b243-5985ef7c9beb)\n"
      "GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-1)\n");
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].parts, (std::vector<std::string>{"MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f",
                                                     "MIG-cba663e8-9bed-5b25-b243-5985ef7c9beb"}));
  EXPECT_EQ(gpus[1].uuid, "GPU-1");
  EXPECT_TRUE(gpus[1].parts.empty());
}

TEST(Gpus, a_run_that_shares_its_gpu_is_told_how_much_of_it_is_its_own) {
  const auto own = sharing_gpus({"A=b", "TF_FORCE_GPU_ALLOW_GROWTH=false"}, 6LL << 30);
  const auto has = [&](const char* entry) { return std::ranges::count(own, entry) == 1; };
  EXPECT_TRUE(has("HONE_GPU_MEMORY=6442450944"));
  EXPECT_TRUE(has("XLA_PYTHON_CLIENT_PREALLOCATE=false"));
  EXPECT_TRUE(has("TF_FORCE_GPU_ALLOW_GROWTH=false")) << "the user's own choice";
  EXPECT_EQ(sharing_gpus({"A=b"}, 0), std::vector<std::string>{"A=b"});
}

// Starting --------------------------------------------------------------------

TEST_F(WorkerProcess, exit_status_is_seen) {
  ASSERT_TRUE(shell("exit 7"));
  const auto end = exited();
  EXPECT_FALSE(end.by_signal);
  EXPECT_EQ(end.number, 7);
}

TEST_F(WorkerProcess, signal_is_seen) {
  ASSERT_TRUE(shell("kill -SEGV $$"));
  const auto end = exited();
  EXPECT_TRUE(end.by_signal);
  EXPECT_EQ(end.number, SIGSEGV);
}

// A missing program is rejected with its name, before anything runs.
TEST_F(WorkerProcess, a_missing_program_is_named) {
  EXPECT_FALSE(start({"no-such-program-of-ours"}));
  EXPECT_NE(refusal_.detail.find("no-such-program-of-ours"), std::string::npos);
  EXPECT_FALSE(start({"./missing.sh"}));
  EXPECT_NE(refusal_.detail.find("missing.sh"), std::string::npos);
}

TEST_F(WorkerProcess, a_file_that_is_no_program_is_refused) {
  const fs::path file = fs::path(place_.data) / "text";
  std::ofstream(file) << "\x7f"
                         "ELF, but not really";
  fs::permissions(file, fs::perms::owner_all);
  EXPECT_FALSE(start({file.string()}));
  EXPECT_NE(refusal_.detail.find("cannot run"), std::string::npos);
}

// Faults of this machine have other codes than faults of the run.
TEST_F(WorkerProcess, a_folder_that_cannot_be_made_is_this_machines_fault) {
  const fs::path file = fs::path(place_.data) / "file";
  std::ofstream(file) << "no folder";
  const std::string data = std::exchange(place_.data, file.string());
  EXPECT_FALSE(shell("exit 0"));
  EXPECT_EQ(refusal_.code, Code::internal);
  place_.data = data;
  EXPECT_FALSE(start({"no-such-program-of-ours"}));
  EXPECT_EQ(refusal_.code, Code::not_found);
}

TEST_F(WorkerProcess, the_builtin_trainer_that_was_not_built_is_named) {
  auto grant = grant_of({});
  grant.trainer = BuiltinTrainer{"ga3c", {}};
  const auto run = RunProcess::start(place_, {place_.work_folder}, {grant, {}, {}});
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().detail.find("/nowhere/hone-train"), std::string::npos);
}

// It finds its run file, an empty checkpoint folder, no input, and no other descriptor.
TEST_F(WorkerProcess, gets_its_files_and_nothing_else) {
  ASSERT_TRUE(shell(
      "cat \"$HONE_RUN_FILE\"; ls -d \"$HONE_CHECKPOINT_DIR\"; cat; ls /proc/self/fd | wc -l"));
  EXPECT_EQ(exited().number, 0);
  const std::string text = log();
  const auto run = parse_json(text.substr(0, text.find("\n}\n") + 2));
  ASSERT_TRUE(run) << run.error().detail;
  EXPECT_EQ((*run)["run"], "rn_42.0");
  EXPECT_EQ((*run)["attempt"], 1);
  EXPECT_EQ((*run)["params"]["layers"], 2);
  EXPECT_EQ((*run)["budget"]["per_run"], 1000);
  EXPECT_TRUE((*run)["resume"].is_null());
  EXPECT_NE(text.find("/checkpoints\n4\n"), std::string::npos) << text;  // 0 1 2 and ls's own
}

TEST_F(WorkerProcess, threads_and_devices_are_bounded) {
  const auto env = trial_environment({"CUDA_VISIBLE_DEVICES=5,6", "HONE_TOKEN=secret", "HOME=/h"},
                                     {"r", "s", "c"}, 2, {1});
  const auto has = [&](const std::string& entry) {
    return std::find(env.begin(), env.end(), entry) != env.end();
  };
  EXPECT_TRUE(has("OMP_NUM_THREADS=2"));
  EXPECT_TRUE(has("CUDA_VISIBLE_DEVICES=6")) << "the second of those the worker may use";
  EXPECT_TRUE(has("CUDA_DEVICE_ORDER=PCI_BUS_ID")) << "numbers are those of the driver";
  EXPECT_TRUE(has("HOME=/h"));
  EXPECT_FALSE(has("HONE_TOKEN=secret")) << "a trial connects to its worker only";
  EXPECT_TRUE(named_as_by_driver(env, {"6"}));
  EXPECT_FALSE(named_as_by_driver({"CUDA_DEVICE_ORDER=FASTEST_FIRST"}, {"GPU-5ef9", "6"}));
  EXPECT_TRUE(named_as_by_driver({"CUDA_DEVICE_ORDER=FASTEST_FIRST"}, {"GPU-5ef9"}));
  const auto none = trial_environment({}, {"r", "s", "c"}, 1, {});
  EXPECT_NE(std::find(none.begin(), none.end(), "CUDA_VISIBLE_DEVICES="), none.end());
}

// A trial in a job of Slurm took the ranks of the job for its own, and waited for others.
TEST_F(WorkerProcess, the_ranks_of_a_job_around_the_worker_reached_its_trials) {
  const std::vector<std::string> own{"SLURM_PROCID=3",
                                     "RANK=3",
                                     "WORLD_SIZE=8",
                                     "MASTER_ADDR=n1",
                                     "OMPI_COMM_WORLD_SIZE=8",
                                     "PMI_RANK=3",
                                     "SLURM_TMPDIR=/t",
                                     "RANKING=x",
                                     "MY_RANK=1",
                                     "SLURM_JOB_ID=7",
                                     "HOME=/h"};
  const auto has = [](const std::vector<std::string>& env, const std::string& entry) {
    return std::find(env.begin(), env.end(), entry) != env.end();
  };
  const auto env = trial_environment(own, {"r", "s", "c"}, 1, {});
  for (const auto* dropped : {"SLURM_PROCID=3", "RANK=3", "WORLD_SIZE=8", "MASTER_ADDR=n1",
                              "OMPI_COMM_WORLD_SIZE=8", "PMI_RANK=3", "SLURM_JOB_ID=7"})
    EXPECT_FALSE(has(env, dropped)) << dropped;
  for (const auto* kept : {"SLURM_TMPDIR=/t", "RANKING=x", "MY_RANK=1", "HOME=/h"})
    EXPECT_TRUE(has(env, kept)) << kept;
  auto naming = own;
  naming.emplace_back("HONE_PASS_ENV=SLURM_JOB_ID,PMI_*");
  const auto named = trial_environment(naming, {"r", "s", "c"}, 1, {});
  EXPECT_TRUE(has(named, "SLURM_JOB_ID=7"));
  EXPECT_TRUE(has(named, "PMI_RANK=3"));
  EXPECT_FALSE(has(named, "RANK=3"));
}

// Words of a command ----------------------------------------------------------

TEST_F(WorkerProcess, parameters_are_filled_in) {
  const auto plan = command_plan(
      grant_of({"train", "--lr=${lr}", "${layers}${act}", "${big}", "$${lr} $x", "${m:-0.9}"}), {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->stages, (std::vector<std::vector<std::string>>{
                              {"train", "--lr=0.001", "2relu", "true", "${lr} $x", "0.9"}}));
}

TEST_F(WorkerProcess, parameters_that_no_word_names_are_handed_over_in_a_style) {
  auto grant = grant_of({"train", "${hone.seed}"});
  auto& command = std::get<CommandTrainer>(grant.trainer);
  command.env = {{"ACT", "${act}"}};
  const auto words = [&](ParamStyle style) {
    command.params = style;
    auto plan = command_plan(grant, {{"r", "s", "c", "f", "p.json"}, {}, {}, {}});
    EXPECT_TRUE(plan);
    std::string text;
    for (const auto& word : plan->stages.back()) text += (text.empty() ? "" : " ") + word;
    for (const auto& variable : plan->env) text += " " + variable.name + ":" + variable.value;
    return text;
  };
  const std::string seed = std::to_string(grant.seed);
  EXPECT_EQ(words(ParamStyle::none), "train " + seed + " ACT:relu");
  EXPECT_EQ(words(ParamStyle::flags),
            "train " + seed + " --lr 0.001 --layers 2 --big true ACT:relu");
  EXPECT_EQ(words(ParamStyle::flags_equals),
            "train " + seed + " --lr=0.001 --layers=2 --big=true ACT:relu");
  EXPECT_EQ(words(ParamStyle::key_value), "train " + seed + " lr=0.001 layers=2 big=true ACT:relu");
  EXPECT_EQ(words(ParamStyle::switches), "train " + seed + " --lr=0.001 --layers=2 --big ACT:relu");
  EXPECT_EQ(words(ParamStyle::json), "train " + seed + " p.json ACT:relu");
  EXPECT_EQ(words(ParamStyle::env), "train " + seed +
                                        " ACT:relu HONE_PARAM_LR:0.001 HONE_PARAM_LAYERS:2"
                                        " HONE_PARAM_BIG:true");
}

// numpy.random.seed refused most of them. Sweeps of earlier versions keep theirs.
TEST_F(WorkerProcess, a_seed_was_larger_than_programs_take) {
  auto grant = grant_of({"train", "${hone.seed}"});
  grant.seed = (1ULL << 40) + 7;
  const auto word = [&] { return command_plan(grant, {})->stages.back().back(); };
  EXPECT_EQ(word(), "1099511627783");
  std::get<CommandTrainer>(grant.trainer).short_seeds = true;
  EXPECT_EQ(word(), "7");
  grant.seed = (1ULL << 53) - 1;
  EXPECT_EQ(word(), "2147483647");
}

TEST_F(WorkerProcess, an_unknown_parameter_is_named_with_those_there_are) {
  EXPECT_FALSE(start({"train", "${rate}"}));
  EXPECT_NE(refusal_.detail.find("${rate}"), std::string::npos);
  EXPECT_NE(refusal_.detail.find("lr, layers, act, big"), std::string::npos);
  EXPECT_FALSE(command_plan(grant_of({"train", "${lr"}), {}));
}

// No shell: what a parameter holds is never run.
TEST_F(WorkerProcess, values_are_not_interpreted) {
  auto grant = grant_of({"/bin/echo", "${act}"});
  grant.params = {{"act", std::string("$(touch harm); `id`")}};
  auto run = RunProcess::start(place_, {place_.work_folder}, {grant, {}, {}});
  ASSERT_TRUE(run);
  run_ = std::move(*run);
  exited();
  EXPECT_EQ(log(), "$(touch harm); `id`\n");
  EXPECT_FALSE(fs::exists(fs::path(place_.data) / "harm"));
}

// Ends ------------------------------------------------------------------------

TEST_F(WorkerProcess, term_is_received) {
  ASSERT_TRUE(shell("trap 'echo bye; exit 143' TERM; echo ready; while :; do sleep 0.05; done"));
  serve_until([&] { return log() == "ready\n"; });
  run_->signal(SIGTERM);
  const auto end = exited();
  EXPECT_EQ(end.number, 143);
  EXPECT_TRUE(end.log_tail.ends_with("bye\n"));
}

TEST_F(WorkerProcess, kill_reaches_a_child_that_ignores_term) {
  ASSERT_TRUE(shell("trap '' TERM; echo ready; while :; do sleep 0.05; done"));
  serve_until([&] { return log() == "ready\n"; });
  run_->signal(SIGTERM);
  const auto patience = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  serve_until([&] { return std::chrono::steady_clock::now() > patience; });
  EXPECT_FALSE(exited_);
  run_->signal(SIGKILL);
  EXPECT_EQ(exited().number, SIGKILL);
}

bool is_alive(pid_t pid) {  // a zombie that init has not collected yet is not
  const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  return !stat.empty() && stat.find(") Z") == std::string::npos &&
         stat.find(") X") == std::string::npos;
}

// The group goes with its leader, however the leader ends: helpers must not eat the next run's
// processor.
TEST_F(WorkerProcess, grandchildren_go_with_their_parent) {
  ASSERT_TRUE(shell("sleep 1000 & echo $!; exit 0"));
  const auto end = exited();
  const pid_t helper = std::stoi(end.log_tail);
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  serve_until([&] { return !is_alive(helper) || std::chrono::steady_clock::now() > patience; });
  EXPECT_FALSE(is_alive(helper));
}

// A daemon that left the group and holds the pipe open does not keep the end from being seen.
TEST_F(WorkerProcess, a_stray_daemon_does_not_hide_the_end) {
  ASSERT_TRUE(shell("setsid sleep 30 & echo $!; exit 3"));
  EXPECT_EQ(exited().number, 3);
}

TEST_F(WorkerProcess, its_folder_goes_and_its_log_stays) {
  ASSERT_TRUE(shell("echo weights > \"$HONE_CHECKPOINT_DIR/p0.pt\""));
  exited();
  const fs::path folder = fs::path(place_.data) / "runs" / "rn_42.0#1";
  EXPECT_TRUE(run_->checkpoint("p0.pt")) << "it is kept until it was stored";
  run_.reset();
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_TRUE(fs::exists(fs::path(place_.data) / "logs" / "rn_42.0#1.log"));
}

TEST_F(WorkerProcess, a_run_that_is_dropped_is_killed) {
  ASSERT_TRUE(shell("echo $$; sleep 1000"));
  serve_until([&] { return !log().empty(); });
  const pid_t pid = std::stoi(log());
  run_.reset();
  int status = 0;
  EXPECT_GT(::waitpid(-1, &status, 0), 0) << "its keeper, which ends as it did";
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_NE(::kill(pid, 0), 0);
}

// Long files ------------------------------------------------------------------

class WorkerLongFile : public WorkerProcess {
 protected:
  // A program that leaves 20 MB of rows and ends; collected from, but not served meanwhile.
  void leave_rows() {
    auto grant = grant_of(
        {"python3", "-c", "open('r.csv', 'w').write('score,loss\\n' + '1,2\\n' * 5_000_000)"});
    auto& command = std::get<CommandTrainer>(grant.trainer);
    command.folder = WorkFolder::fresh;
    command.collect = CollectSpec{"r.csv"};
    command.collect->objectives = {"score"};
    command.collect->metrics = {"loss"};
    auto run = RunProcess::start(place_, {place_.work_folder}, {grant, {}, {}});
    ASSERT_TRUE(run) << run.error().detail;
    run_ = std::move(*run);
    while (run_->pid() != 0 && !exited_) step();
  }
  // One look at it, as the loop takes it between all else that it does.
  std::size_t step() {
    heard_.clear();
    exited_ = run_->collect(LeaseId{1}, heard_);
    return heard_.size();
  }
};

// It was read in one go: no heartbeat was sent meanwhile, and all its rows were in memory at once.
TEST_F(WorkerLongFile, is_read_in_bounded_steps) {
  leave_rows();
  ASSERT_FALSE(exited_);
  std::size_t lines = heard_.size(), most = 0;
  int steps = 0;
  for (; !exited_; ++steps) {
    ASSERT_TRUE(run_->draining());
    const std::size_t heard = step();
    most = std::max(most, heard);
    lines += heard;
  }
  EXPECT_EQ(lines, 5'000'000U + 10) << "a metric a row, and ten phases";
  EXPECT_LT(most, limits::last_file_lines_max + 64 * 1024) << "one piece may be all rows";
  EXPECT_GE(steps, 20'000'000 / (limits::last_file_pieces_max * 64 * 1024));
  EXPECT_FALSE(run_->draining());
}

TEST_F(WorkerLongFile, waits_while_its_run_is_held) {
  leave_rows();
  run_->hold(true);
  EXPECT_FALSE(run_->draining());
  EXPECT_EQ(step(), 0U);
  EXPECT_FALSE(exited_);
  run_->hold(false);
  EXPECT_GT(step(), 0U);
}

TEST_F(WorkerLongFile, is_left_alone_when_its_run_is_to_end) {
  leave_rows();
  run_->hold(true);
  run_->signal(SIGTERM);
  EXPECT_TRUE(run_->draining());
  step();
  EXPECT_TRUE(exited_);
}

}  // namespace
}  // namespace hone::worker
