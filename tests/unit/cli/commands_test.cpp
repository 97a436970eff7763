// What the commands print for the replies of the real API.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/unit/cli/given.hpp"

namespace hone::cli {
namespace {

// A server with the finished sweep sw_1.
class Commands : public testing::Test {
 protected:
  Commands() { finish_sweep(server_.api); }
  ServedApi server_;
};

TEST_F(Commands, ls_lists_the_sweeps_newest_first) {
  server_.api.submit();
  EXPECT_EQ(server_.out({"ls"}),
            "id    name   state      progress  phases  trials  running   best  submitted\n"
            "sw_2  small  running          0%    0/16       0        0      -   just now\n"
            "sw_1  small  completed      100%     4/4       2        0  21.25   just now\n");
}

TEST_F(Commands, ls_prints_the_ids_alone_as_values) {
  EXPECT_EQ(server_.out({"ls", "--format", "value"}), "sw_1\n");
  EXPECT_EQ(server_.out({"ls", "--format", "value", "--columns", "id,state,best,phases.done"}),
            "sw_1\tcompleted\t21.25\t4\n");
}

TEST_F(Commands, ls_as_json_is_the_reply_of_the_server) {
  EXPECT_EQ(server_.json({"ls"}), server_.api.get("/v1/sweeps")["items"]);
}

TEST_F(Commands, ls_as_csv_has_the_columns_for_programs) {
  const auto lines = lines_of(server_.out({"ls", "--format", "csv"}));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0],
            "id,name,project,state,reason,phases_done,phases_expected,trials,running,failed,best,"
            "confirmed,best_trial,"
            "best_run,submitted,ended");
  EXPECT_EQ(lines[1].find("sw_1,small,default,completed,"), 0U) << lines[1];
}

TEST_F(Commands, ls_rejects_an_unknown_column_and_names_the_nearest) {
  const Outcome outcome = server_.run({"ls", "--columns", "stat"});
  EXPECT_EQ(outcome.exit, Exit::usage);
  EXPECT_TRUE(contains(outcome.messages, "unknown column 'stat' (did you mean 'state'?)"))
      << outcome.messages;
}

TEST_F(Commands, a_list_limits_its_items) {
  for (int i = 0; i < 3; ++i) server_.api.submit();
  EXPECT_EQ(server_.out({"ls", "-n", "2", "--format", "value"}), "sw_4\nsw_3\n");
}

TEST(EmptyServer, says_how_to_fill_an_empty_list) {
  ServedApi server;
  const Outcome sweeps = server.run({"ls"});
  EXPECT_EQ(sweeps.out, "");
  EXPECT_EQ(sweeps.messages, "no sweeps yet; submit one with: hone submit FILE\n");
  EXPECT_EQ(server.run({"ls", "-q"}).messages, "");
  EXPECT_TRUE(contains(server.run({"workers"}).messages, "hone worker --server http://127.0.0.1:"));
  EXPECT_EQ(server.json({"ls"}), Json::array());
  const Outcome best = server.run({"best"});
  EXPECT_EQ(best.exit, Exit::not_found);
  EXPECT_TRUE(contains(best.messages, "hone submit FILE"));
}

TEST_F(Commands, trials_have_one_column_for_each_parameter) {
  const auto lines = lines_of(server_.out({"trials"}));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].find("id    state      reason"), 0U) << lines[0];
  EXPECT_TRUE(lines[0].ends_with("lr")) << lines[0];
  const auto by_value =
      lines_of(server_.out({"trials", "sw_1", "--sort", "value", "--format", "value"}));
  EXPECT_EQ(by_value, (std::vector<std::string>{"tr_2", "tr_1"}));
}

TEST_F(Commands, a_filter_selects_and_a_wrong_one_is_marked) {
  EXPECT_EQ(server_.out({"trials", "--where", "value > 10", "--format", "value"}), "tr_2\n");
  const Outcome none = server_.run({"trials", "--where", "value > 99"});
  EXPECT_EQ(none.messages, "no trial matches the filter\n");
  const Outcome wrong = server_.run({"trials", "--where", "valeu > 10"});
  EXPECT_EQ(wrong.exit, Exit::usage);
  EXPECT_TRUE(contains(wrong.messages, "\n  valeu > 10\n  ^")) << wrong.messages;
}

TEST_F(Commands, runs_are_those_of_a_sweep_or_a_trial) {
  EXPECT_EQ(server_.out({"runs", "sw_1", "--format", "value"}), "rn_1.0\nrn_2.0\n");
  EXPECT_EQ(server_.out({"runs", "tr_2", "--format", "value", "--columns", "id,value,phases"}),
            "rn_2.0\t21.25\t2\n");
}

TEST_F(Commands, best_ranks_and_warns_of_single_runs) {
  const Outcome best = server_.run({"best"});
  const auto lines = lines_of(best.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1].find("   1  tr_2   21.25"), 0U) << lines[1];
  EXPECT_TRUE(contains(best.messages, "hone confirm sw_1")) << best.messages;
  EXPECT_EQ(server_.out({"best", "-n", "1", "--format", "value", "--columns", "trial,value"}),
            "tr_2\t21.25\n");
  EXPECT_EQ(server_.json({"best"}), server_.api.get("/v1/sweeps/sw_1/best")["items"]);
}

TEST_F(Commands, any_id_in_a_sweep_resolves_to_it) {
  const std::string expected = server_.out({"best", "sw_1"});
  for (const char* id : {"tr_1", "rn_2.0", "rn_1.0#1"})
    EXPECT_EQ(server_.out({"best", id}), expected);
  const Outcome worker = server_.run({"best", "wk_1"});
  EXPECT_EQ(worker.exit, Exit::usage);
  EXPECT_TRUE(contains(worker.messages, "wk_1 is a worker; this command takes a sweep, as sw_7"));
  const Outcome no_id = server_.run({"best", "seven"});
  EXPECT_EQ(no_id.exit, Exit::usage);
  EXPECT_TRUE(contains(no_id.messages, "'seven' is not an id; ids look like sw_7 (sweep)"));
}

TEST_F(Commands, best_named_is_the_incumbent_of_the_search) {
  EXPECT_EQ(server_.out({"best", "--named", "--format", "value"}), "tr_2\n");
}

TEST_F(Commands, show_prints_every_kind_of_object) {
  for (const char* id : {"sw_1", "tr_1", "rn_1.0", "rn_1.0#1", "wf_1", "wk_1"}) {
    EXPECT_EQ(server_.out({"show", id}).find(id), 0U) << id;
    EXPECT_EQ(server_.json({"show", id})["id"], id);
  }
  EXPECT_EQ(server_.run({"show", "sw_9"}).exit, Exit::not_found);
  const Outcome attempt = server_.run({"show", "rn_1.0#9"});
  EXPECT_EQ(attempt.exit, Exit::not_found);
  EXPECT_TRUE(contains(attempt.messages, "hone show rn_1.0"));
}

TEST_F(Commands, show_of_a_sweep_has_its_spec_and_its_progress) {
  const std::string text = server_.out({"show", "sw_1"});
  for (const char* line : {"sw_1  small\n", "  objective   maximize return\n",
                           "  progress    4 of 4 expected phases (100%)\n",
                           "  trials      2 of 2 proposed\n", "  runs        2 completed\n",
                           "  best        tr_2: 21.25 (last report), best report 21.25\n",
                           "  trainer     train ${lr}\n", "  search      random, 2 trials\n",
                           "  budget      1k frames a run in 2 phases\n",
                           "  parameters  lr: float 1e-5 .. 0.01, log scale\n"})
    EXPECT_TRUE(contains(text, line)) << line << text;
}

TEST_F(Commands, show_prints_tags_and_notes) {
  EXPECT_EQ(server_.run({"tag", "tr_1", "keep", "paper/fig-3"}).exit, Exit::ok);
  EXPECT_EQ(server_.run({"note", "tr_1", "diverges", "late"}).exit, Exit::ok);
  const std::string text = server_.out({"show", "tr_1"});
  EXPECT_TRUE(contains(text, "tags        keep paper/fig-3\n")) << text;
  EXPECT_TRUE(contains(text, "diverges late (")) << text;
  EXPECT_EQ(server_.json({"show", "tr_1"})["tags"], Json({"keep", "paper/fig-3"}));
  EXPECT_EQ(server_.run({"tag", "tr_1", "keep", "--remove"}).exit, Exit::ok);
  EXPECT_EQ(server_.json({"tag", "tr_1"})["tags"], Json({"paper/fig-3"}));
}

TEST_F(Commands, curve_draws_a_run_and_lists_its_reports) {
  const std::string text = server_.out({"curve", "rn_2.0"});
  EXPECT_EQ(text.find("rn_2.0  completed (budget_reached)\n"), 0U) << text;
  EXPECT_TRUE(contains(text, "*")) << text;
  EXPECT_TRUE(contains(text, "phase  step  value  verdict")) << text;
  EXPECT_EQ(server_.out({"curve", "rn_2.0", "--format", "value", "--columns", "phase,value"}),
            "1\t20.25\n2\t21.25\n");
}

TEST_F(Commands, curve_of_a_trial_is_a_band_over_its_seeds) {
  const std::string text = server_.out({"curve", "tr_1"});
  EXPECT_EQ(text.find("tr_1  interquartile mean, n = 1 seed: no band\n"), 0U) << text;
  EXPECT_EQ(lines_of(server_.out({"curve", "tr_1", "--format", "csv"})).front(),
            "phase,step,n,iqm,low,high,mean,min,max,diverged");
  EXPECT_EQ(server_.out({"curve", "sw_1", "--format", "value", "--columns", "mean"}),
            "20.25\n21.25\n");
}

TEST_F(Commands, explain_recomputes_the_verdicts) {
  const Outcome outcome = server_.run({"explain", "rn_1.0", "--recompute"});
  EXPECT_EQ(outcome.exit, Exit::ok);
  EXPECT_EQ(outcome.messages,
            "every verdict follows from its numbers, and these from the recorded reports\n");
  EXPECT_TRUE(contains(outcome.out, "recomputed")) << outcome.out;
  const Outcome sweep = server_.run({"explain", "sw_1"});
  EXPECT_EQ(sweep.exit, Exit::usage);
  EXPECT_TRUE(contains(sweep.messages, "hone explain takes a trial or a run"));
}

TEST_F(Commands, events_are_the_ledger_line_by_line) {
  const auto lines = lines_of(server_.out({"events", "sw_1"}));
  ASSERT_GT(lines.size(), 4U);
  EXPECT_TRUE(contains(lines.front(), "  sweep_submitted     sw_1")) << lines.front();
  EXPECT_TRUE(contains(lines.back(), "  sweep_ended")) << lines.back();
  const auto kinds =
      lines_of(server_.out({"events", "sw_1", "--format", "value", "--columns", "kind"}));
  EXPECT_EQ(kinds.size(), lines.size());
}

TEST_F(Commands, find_lists_objects_of_a_kind) {
  EXPECT_EQ(server_.out({"find", "trial where value > 10", "--format", "value"}), "tr_2\n");
  EXPECT_EQ(server_.out({"find", "run", "where", "state", "=", "completed", "--format", "value"}),
            "rn_2.0\nrn_1.0\n");
  const Outcome more = server_.run({"find", "trial where state = completed", "-n", "1"});
  EXPECT_EQ(more.messages, "there are more; list them with -n 10\n");
  EXPECT_EQ(server_.run({"find", "trial where value > 99"}).messages,
            "no trial matches the filter\n");
  EXPECT_EQ(server_.run({"find"}).exit, Exit::usage);
}

TEST_F(Commands, lineage_is_a_tree) {
  const std::string up = server_.out({"lineage", "rn_1.0"});
  EXPECT_EQ(up.find("rn_1.0"), 0U) << up;
  EXPECT_TRUE(contains(up, "`- run of tr_1")) << up;
  EXPECT_TRUE(contains(up, "proposed by sw_1")) << up;
  EXPECT_EQ(server_.out({"lineage", "rn_1.0", "--dot"}).find("digraph lineage {"), 0U);
  EXPECT_EQ(server_.out({"lineage", "rn_1.0", "--format", "dot"}),
            server_.out({"lineage", "rn_1.0", "--dot"}));
  EXPECT_TRUE(contains(server_.out({"lineage", "sw_1", "--both"}), "\nled to\nsw_1"));
}

TEST_F(Commands, compare_and_diff_show_two_objects_side_by_side) {
  const std::string sweeps = server_.out({"compare", "sw_1", "sw_1"});
  EXPECT_TRUE(contains(sweeps, "best/value")) << sweeps;
  EXPECT_EQ(lines_of(sweeps).front().find("what"), 0U) << sweeps;
  const std::string trials = server_.out({"diff", "tr_1", "tr_2"});
  EXPECT_TRUE(contains(trials, "params.lr")) << trials;
  EXPECT_FALSE(contains(trials, "sweep")) << trials;
  EXPECT_TRUE(contains(server_.out({"diff", "tr_1", "tr_2", "--all"}), "sweep"));
  EXPECT_EQ(server_.run({"diff", "tr_1", "tr_1"}).messages, "no difference\n");
}

TEST_F(Commands, replay_finds_no_differences) {
  const std::string text = server_.out({"replay"});
  EXPECT_EQ(text.find("sw_1: 2 proposals, 2 leases, 4 verdicts and "), 0U) << text;
  EXPECT_TRUE(text.ends_with("consequences recomputed: no differences\n")) << text;
}

TEST_F(Commands, export_prints_every_report) {
  EXPECT_EQ(server_.out({"export", "--format", "value", "--columns", "run,phase,value"}),
            "rn_1.0\t1\t1.5\nrn_1.0\t2\t2.5\nrn_2.0\t1\t20.25\nrn_2.0\t2\t21.25\n");
  const auto csv = lines_of(server_.out({"export", "--format", "csv"}));
  EXPECT_EQ(csv.front(), "run,trial,seed,state,phase,step,value,seconds,lr");
  const auto bands = lines_of(server_.out({"export", "--bands", "--format", "csv"}));
  EXPECT_EQ(bands.front(), "trial,phase,step,n,diverged,iqm,low,high,mean,min,max,lr");
  EXPECT_EQ(bands.size(), 5U);
}

TEST_F(Commands, export_writes_a_curve_table_with_its_card) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "hone-export-test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string csv = (folder / "curves.csv").string();
  EXPECT_EQ(server_.out({"export", "--format", "curves", "--out", csv}),
            csv + "\n" + (folder / "curves.json").string() + "\n");
  std::ifstream written(csv);
  std::string head;
  std::getline(written, head);
  EXPECT_EQ(head, "lr,seed,v1,v2,s1,s2");
  const Outcome again = server_.run({"export", "--format", "curves", "--out", csv});
  EXPECT_EQ(again.exit, Exit::conflict);
  EXPECT_TRUE(contains(again.messages, "--force"));
  EXPECT_EQ(server_.run({"export", "--format", "curves", "--out", csv, "--force"}).exit, Exit::ok);
  EXPECT_EQ(server_.run({"export", "--out", csv}).exit, Exit::usage);
  const Outcome both = server_.run({"export", "--html", "--format", "curves", "--out", csv});
  EXPECT_EQ(both.exit, Exit::usage);
  EXPECT_TRUE(contains(both.messages, "give one of them")) << both.messages;
  EXPECT_EQ(server_.run({"export", "--optuna", csv, "--tensorboard", csv}).exit, Exit::usage);
  std::filesystem::remove_all(folder);
}

TEST_F(Commands, steering_takes_the_id_of_a_sweep_alone) {
  const std::string sweep = server_.api.submit();
  const Outcome paused = server_.run({"pause", sweep});
  EXPECT_EQ(paused.out, "sw_2 paused\n");
  EXPECT_EQ(paused.messages,
            "no new runs start; running ones continue. Resume it with: hone resume sw_2\n");
  EXPECT_EQ(server_.out({"resume", sweep}), "sw_2 running\n");
  EXPECT_EQ(server_.json({"cancel", sweep})["state"], "canceled");
  EXPECT_EQ(server_.run({"pause", sweep}).exit, Exit::conflict);
  const Outcome trial = server_.run({"stop", "tr_1"});
  EXPECT_EQ(trial.exit, Exit::usage);
  EXPECT_TRUE(
      contains(trial.messages, "tr_1 is a trial; steering takes the id of a sweep, as sw_7"));
}

TEST_F(Commands, archive_and_pin_can_be_undone) {
  EXPECT_EQ(server_.out({"archive", "sw_1"}), "sw_1 archived\n");
  EXPECT_EQ(server_.json({"ls"}), Json::array());
  EXPECT_EQ(server_.out({"ls", "--all", "--format", "value"}), "sw_1\n");
  EXPECT_EQ(server_.out({"archive", "sw_1", "--undo"}), "sw_1 is listed again\n");
  EXPECT_EQ(server_.run({"archive", "tr_1"}).exit, Exit::usage);
  EXPECT_EQ(server_.out({"pin", "rn_1.0"}), "tr_1 is pinned: its checkpoints are kept\n");
}

TEST_F(Commands, ask_and_tell_evaluate_a_trial_without_a_worker) {
  const std::string sweep = server_.api.submit();
  const Outcome asked = server_.run({"ask", sweep, "--as", "node3"});
  EXPECT_EQ(asked.out.find("tr_3\nlr  "), 0U) << asked.out;
  EXPECT_EQ(asked.messages, "report its result with: hone tell tr_3 VALUE\n");
  EXPECT_EQ(server_.json({"ask", sweep, "--as", "node3"})["trial"], "tr_3");
  const Outcome told = server_.run({"tell", "tr_3", "0.5"});
  EXPECT_EQ(told.out, "tr_3 continue (no_rule)\n");
  EXPECT_TRUE(contains(told.messages, "train another phase, then hone tell tr_3 VALUE"));
  EXPECT_EQ(server_.run({"tell", "tr_3", "0.5", "--failed"}).exit, Exit::usage);
  EXPECT_EQ(server_.run({"tell", "tr_3"}).exit, Exit::usage);
  EXPECT_EQ(server_.run({"tell", "tr_3", "much"}).exit, Exit::usage);
  EXPECT_EQ(server_.out({"tell", "tr_3", "--failed", "--why", "out of memory"}), "tr_3 failed\n");
}

TEST_F(Commands, enqueue_reads_values_by_the_type_of_the_parameter) {
  const std::string sweep = server_.api.submit();
  EXPECT_EQ(server_.out({"enqueue", sweep, "--params", "lr=1e-3"}),
            "enqueued 1; 1 waiting in sw_2\n");
  const Outcome word = server_.run({"enqueue", sweep, "--params", "lr=fast"});
  EXPECT_EQ(word.exit, Exit::usage);
  EXPECT_EQ(word.messages, "--params lr=fast: 'fast' is not a number");
  EXPECT_EQ(server_.run({"enqueue", sweep, "--params", "lr"}).exit, Exit::usage);
  EXPECT_EQ(server_.run({"enqueue", sweep}).exit, Exit::usage);
  EXPECT_EQ(server_.run({"enqueue", sweep, "--file", "/nowhere.json"}).messages,
            "no such file: /nowhere.json");
}

TEST_F(Commands, fork_shows_the_changed_sweep_file_before_it_submits) {
  const Json file =
      Json::parse(server_.out({"fork", "sw_1", "--set", "search.trials=7", "--dry-run"}));
  EXPECT_EQ(file["search"]["trials"], 7);
  EXPECT_EQ(server_.run({"fork", "sw_1", "--set", "search.trials"}).exit, Exit::usage);
  EXPECT_EQ(server_.run({"ls", "--format", "value"}).out, "sw_1\n");
}

TEST_F(Commands, edit_changes_an_active_sweep) {
  const std::string sweep = server_.api.submit();
  EXPECT_EQ(server_.out({"edit", sweep, "--trials", "8", "--widen", "lr=:0.1"}), "sw_2 changed\n");
  EXPECT_EQ(server_.json({"show", sweep})["trials"]["total"], 8);
  const Outcome wrong = server_.run({"edit", sweep, "--widen", "lr=small:large"});
  EXPECT_EQ(wrong.exit, Exit::usage);
  EXPECT_TRUE(contains(wrong.messages, "--widen lr=small:large: write NAME=MIN:MAX"));
}

TEST_F(Commands, watch_of_an_ended_sweep_prints_one_line) {
  const Outcome outcome = server_.run({"watch", "sw_1"});
  EXPECT_EQ(outcome.exit, Exit::ok);
  EXPECT_EQ(outcome.out.find("sw_1  completed  100%  4/4 phases  0 running  best 21.25 (tr_2)"), 0U)
      << outcome.out;
  EXPECT_EQ(outcome.messages, "results: hone best sw_1   explanation: hone explain TRIAL\n");
}

TEST_F(Commands, workers_lists_the_workers) {
  EXPECT_EQ(server_.out({"workers", "--format", "value", "--columns", "id,host,cpus,running"}),
            "wk_1\ttesthost\t64\t0\n");
  EXPECT_EQ(server_.run({"allow", "sw_1"}).exit, Exit::usage);
}

TEST_F(Commands, tables_fit_their_screen) {
  for (const int columns : {60, 80, 120})
    for (const std::vector<std::string>& words : {std::vector<std::string>{"ls"},
                                                  {"trials"},
                                                  {"runs"},
                                                  {"best"},
                                                  {"workers"},
                                                  {"show", "sw_1"}})
      for (const std::string& line : lines_of(server_.run(words, plain_screen(columns)).out))
        EXPECT_LE(static_cast<int>(line.size()), columns) << words[0] << ": " << line;
}

}  // namespace
}  // namespace hone::cli
