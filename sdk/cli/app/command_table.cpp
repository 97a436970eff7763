#include "sdk/cli/app/command_table.hpp"

#include <algorithm>
#include <array>

#include "sdk/cli/commands/commands.hpp"

namespace hone::cli {
namespace {

// A new command: a row here, a declare function in commands/. The order is that of `hone --help`.
// A form of a command has its own row, with the word or option that chooses it in its name.
constexpr auto commands = std::to_array<Command>({
    {"init", Group::first_day, "[KIND]", "write a sweep file for your program, or an example",
     "hone init train.py\nhone init command\nhone init sb3\nhone init ga3c\nhone init python",
     declare_init},
    {"up", Group::first_day, "", "run a server and workers on this machine",
     "hone up\nhone up --data /data/hone --slots 8\nhone up --listen 127.0.0.1:8000 --workers 2",
     declare_up},
    {"submit", Group::first_day, "FILE", "submit a sweep file (YAML or JSON)",
     "hone submit sweep.yaml\nhone submit sweep.yaml --watch --set search.trials=64\n"
     "SW=$(hone submit sweep.yaml -q)\nhone submit sweep.yaml --dataset data/train.csv\n"
     "hone submit sweep.yaml --dataset digits@2=sha256:9f86d081",
     declare_submit},
    {"plan", Group::first_day, "FILE", "check a sweep file and show what it would run",
     "hone plan sweep.yaml\nhone plan sweep.yaml --set search.trials=8 --set budget.per_run=200k\n"
     "hone plan sweep.yaml --format json",
     declare_plan},
    {"plan --advise", Group::first_day, "FILE",
     "choose a trainer and its number of agents from past runs",
     "hone plan --advise space.yaml --target 475\nhone plan --advise space.yaml --within 10m\n"
     "hone plan --advise space.yaml --experiment sizes.json   # a sweep that gathers evidence",
     declare_advise, "", "advise"},
    {"simulate", Group::start, "FILE", "simulate a sweep on recorded curves, or a cluster",
     "hone simulate sweep.yaml --table curves.csv --against hypertrick --against asha\n"
     "hone simulate sweep.yaml --table curves.csv --workers 8 --deadline 4 --reps 1000\n"
     "hone simulate sweep.yaml --table a.csv --table b.csv --format csv > anytime.csv\n"
     "hone simulate cluster sdk/examples/cluster/harmony.yaml --seeds 100\n"
     "hone simulate cluster cluster.yaml --against tetris --set jobs.per_interval=0.7",
     declare_simulate},
    {"study", Group::start, "ACTION FILE", "compare methods on problems by real sweeps",
     "hone study run studies/small.yaml\nhone study watch studies/small.yaml\n"
     "hone study show studies/small.yaml --format json\n"
     "hone study report studies/small.yaml -o docs/studies\n"
     "hone study report --from docs/studies/small.json -o .",
     declare_study},
    {"schema", Group::start, "", "print the JSON schema of sweep files, for editors",
     "hone schema > sweep.schema.json   # hone init names it in the sweep file", declare_schema},
    {"import", Group::start, "FORMAT FILE", "import a sweep of another tool or server",
     "hone import hone sw_7.json\n"
     "hone import wandb sweep.yaml > hone.yaml\n"
     "hone import katib experiment.yaml\n"
     "hone import nni config.yml\n"
     "hone import optuna space.json\n"
     "hone import optuna study.db --study first\n"
     "hone import determined const.yaml",
     declare_import},
    {"graph", Group::start, "[GRAPH]", "show a computation graph and the cost of placing it",
     "hone graph\nhone graph inception-v3\nhone graph inception-v3 --place all --devices 4\n"
     "hone graph model.json --place m-etf --devices 2 --trace step.json\n"
     "hone graph resnet-50 --dot | dot -Tsvg > resnet.svg",
     declare_graph},
    {"watch", Group::first_day, "[SWEEP]", "follow a sweep until it ends",
     "hone watch\nhone watch sw_7\nhone watch sw_7 --every 30 > progress.log", declare_watch},
    {"dashboard", Group::first_day, "[SWEEP]", "print the address of the server's web page",
     "hone dashboard --open\nhone dashboard sw_7", declare_dashboard},
    {"ls", Group::first_day, "[KIND]", "list the sweeps, or the trials, runs, models, workers",
     "hone ls\nhone ls -n 5 --columns id,state,best\nhone ls --format json", declare_ls},
    {"ls trials", Group::first_day, "[SWEEP]", "list the parameter sets of a sweep",
     "hone ls trials sw_7\nhone ls trials sw_7 --sort value\n"
     "hone ls trials sw_7 --format csv > trials.csv",
     declare_trials, "", "trials"},
    {"ls runs", Group::first_day, "[ID]", "list the runs of a trial or sweep",
     "hone ls runs tr_42\nhone ls runs sw_7 --format jsonl", declare_runs, "", "runs"},
    {"ls models", Group::first_day, "[ID]", "list saved checkpoints",
     "hone ls models sw_7\nhone ls models rn_42.0", declare_models, "", "models"},
    {"ls workers", Group::first_day, "", "list the workers",
     "hone ls workers\nhone ls workers --format json", declare_workers},
    {"show", Group::sweeps, "[ID]", "show a sweep, trial, run, model, worker, ...",
     "hone show sw_7\nhone show rn_42.0\nhone show sw_7 --format value --columns state",
     declare_show},
    {"logs", Group::first_day, "RUN", "print the output of a run, also while it runs",
     "hone logs rn_42.0\nhone logs rn_42.0 --follow\nhone logs tr_42 --tail 20\n"
     "hone logs rn_42.0 --attempt 1 --raw > rn_42.0.log",
     declare_logs},
    {"events", Group::sweeps, "[SWEEP]", "list the events of a sweep",
     "hone events sw_7\nhone events sw_7 --follow\nhone events --all --format jsonl",
     declare_events},
    {"find", Group::results, "FILTER", "find sweeps, trials, runs, models, ... by a filter",
     "hone find 'model where metric.return > 450 and params.gamma >= 0.99'\n"
     "hone find 'run where state = failed and worker.host = node3* and ended > -1d'\n"
     "hone find 'sweep where tag = paper' --format json",
     declare_find},
    {"compare", Group::results, "ID OTHER", "compare two sweeps or two trials",
     "hone compare sw_7 sw_8\nhone compare tr_42 tr_43 --all\n"
     "hone compare sw_7 sw_8 --format json",
     declare_compare, "", "diff"},
    {"reproduce", Group::results, "RUN", "run a run again with its own code and compare",
     "hone reproduce rn_42.0\nhone reproduce rn_42.0 --yes --format json\n"
     "hone reproduce rn_42.0 --repository ~/clones/agent",
     declare_reproduce},
    {"evaluate", Group::results, "MODEL", "play a saved checkpoint and record its returns",
     "hone evaluate md_9\nhone evaluate md_9 --episodes 1000 --seed 7\n"
     "hone evaluate $(hone best sw_7 -n 1 --format value --columns model) --yes",
     declare_evaluate},
    {"best", Group::first_day, "[SWEEP]", "list the best parameter sets of a sweep",
     "hone best\nhone best sw_7 -n 3\nhone best sw_7 --pareto\n"
     "hone best sw_7 --by cost --within 2h\n"
     "hone best sw_7 -n 1 --format value --columns model",
     declare_best},
    {"confirm", Group::results, "[SWEEP]", "train the best trials again on new seeds",
     "hone confirm sw_7 --top 3 --seeds 10   # start it\n"
     "hone confirm sw_7                      # show the result\n"
     "hone confirm sw_7 --format json",
     declare_confirm},
    {"curve", Group::results, "ID [OTHER ...]", "draw learning curves and other metrics",
     "hone curve rn_42.0\nhone curve tr_42 --format csv\nhone curve sw_7   # of its best trial\n"
     "hone curve rn_1.0 rn_2.0 --metric loss\n"
     "hone curve tr_42 --metric loss --format csv > loss.csv",
     declare_curve},
    {"curve --schedule", Group::results, "ID",
     "show how a run's parameters changed along its forks",
     "hone curve --schedule rn_42.0\nhone curve --schedule sw_7   # of its best trial\n"
     "hone curve --schedule rn_42.0 --format csv > schedule.csv",
     declare_schedule, "", "schedule"},
    {"curve --forecast", Group::results, "[ID]", "forecast the end values of runs, with intervals",
     "hone curve --forecast rn_42.0\nhone curve --forecast sw_7\n"
     "hone curve --forecast sw_7 --at 0.3 --format csv   # and the truth of complete runs",
     declare_forecast, "", "forecast"},
    {"importance", Group::results, "[SWEEP]", "rank parameters by their influence on the objective",
     "hone importance sw_7\nhone importance sw_7 --objective cost\n"
     "hone importance sw_7 --format csv > importance.csv",
     declare_importance},
    {"explain", Group::first_day, "ID", "explain the status of a trial or run",
     "hone explain tr_42\nhone explain rn_42.0 --format json", declare_explain},
    {"explain --recompute", Group::first_day, "[ID]",
     "re-run verdicts, or all of a sweep, and compare",
     "hone explain sw_7 --recompute\nhone explain tr_42 --recompute\n"
     "hone explain sw_7 --recompute --format json",
     declare_recompute, "", "replay"},
    {"lineage", Group::results, "ID", "show the ancestors and descendants of an object",
     "hone lineage md_9\nhone lineage sw_7 --down --depth 3\n"
     "hone lineage md_9 --dot | dot -Tsvg > md_9.svg\n"
     "hone lineage rn_42.0/loss@2000 --format json",
     declare_lineage, "tree dot"},
    {"fetch", Group::results, "ID [FILE]", "download a checkpoint, files of a run, a patch",
     "hone fetch md_9\nhone fetch md_9 -o best.pt\nhone fetch md_9 -o - | sha256sum\n"
     "hone fetch rn_4.0             # the files of the run, into rn_4.0/\n"
     "hone fetch rn_4.0 report.txt -o out\n"
     "hone fetch wf_2               # the uncommitted changes and the list of packages",
     declare_fetch},
    {"export", Group::results, "[SWEEP]", "export the reports or learning curves of a sweep",
     "hone export sw_7 --format csv > reports.csv\n"
     "hone export sw_7 --format curves --out curves.csv   # and its card curves.json\n"
     "hone export sw_7 --format json > sw_7.json          # with all events, for hone import\n"
     "hone export sw_7 --html -o sw_7.html                # pages that open from disk\n"
     "hone export sw_7 --metrics --format jsonl\n"
     "hone export sw_7 --tensorboard runs/sw_7\n"
     "hone export sw_7 --optuna study.db",
     declare_export, "curves"},
    {"report", Group::results, "[SWEEP]", "write text, tables, figures and data for a paper",
     "hone report sw_7                     # the folder sw_7-report\n"
     "hone report sw_7 -o paper/sweep --force\n"
     "hone report sw_7 --figure curves -o curves.svg",
     declare_report},
    {"mark", Group::results, "ID", "show the notes and tags of any object",
     "hone mark tr_42\nhone mark note tr_42 'diverges late'", declare_mark},
    {"mark note", Group::results, "ID [TEXT]", "add a note to any object, or list its notes",
     "hone mark note tr_42 'diverges late'\nhone mark note sw_7", declare_note, "", "note"},
    {"mark tag", Group::results, "ID [TAG ...]", "add tags to any object",
     "hone mark tag tr_42 paper/fig-3 keep\nhone mark tag tr_42 keep --remove\n"
     "hone find 'trial where tag = paper/*'",
     declare_tag, "", "tag"},
    {"mark pin", Group::results, "TRIAL", "keep all checkpoints of a trial",
     "hone mark pin tr_42\nhone mark pin tr_42 --undo", declare_pin, "", "pin"},
    {"mark archive", Group::results, "SWEEP", "hide a sweep from the lists",
     "hone mark archive sw_7\nhone ls --all\nhone mark archive sw_7 --undo", declare_archive, "",
     "archive"},
    {"ask", Group::ask, "[SWEEP]", "get a trial to evaluate without a worker",
     "hone ask sw_7\nread TRIAL LR <<< \"$(hone ask sw_7 --format value --columns trial,lr)\"\n"
     "hone ask sw_7 --as node3 --format json",
     declare_ask},
    {"ask --program", Group::ask, "SWEEP ...", "let your own program propose the parameters",
     "hone ask --program sw_7\nhone ask --program sw_7 -- python3 sdk/examples/picker.py",
     declare_picker, "", "picker"},
    {"tell", Group::ask, "TRIAL VALUE", "report the result of a trial from `hone ask`",
     "hone tell tr_42 0.93\nhone tell tr_42 0.93 1250      # of two objectives\n"
     "hone tell tr_42 --failed --why 'out of memory'\nhone tell tr_42 -0.5 --step 2000",
     declare_tell},
    {"enqueue", Group::ask, "[SWEEP]", "try your own parameter sets next",
     "hone enqueue sw_7 --params lr=1e-3,optimizer=adam\nhone enqueue sw_7 --file sets.json\n"
     "hone enqueue --from rn_4.0 --params lr=1e-4     # continue that run with another lr\n"
     "hone enqueue --from rn_4.0 --phase 3 --params lr=1e-4\n"
     "hone best sw_3 -n 1 --format json | jq '.[0].params' | hone enqueue sw_7 --file -",
     declare_enqueue},
    {"enqueue --again", Group::ask, "TRIAL", "try a parameter set again, with changes",
     "hone enqueue --again tr_42\nhone enqueue --again tr_42 --set gamma=0.999", declare_resubmit,
     "", "resubmit"},
    {"pause", Group::steer, "SWEEP", "start no new runs; running ones continue",
     "hone pause sw_7\nhone resume sw_7", declare_verb<Verb::pause>},
    {"resume", Group::steer, "SWEEP", "start new runs again", "hone resume sw_7",
     declare_verb<Verb::resume>},
    {"stop", Group::steer, "SWEEP", "start no new runs, let running ones finish, then end",
     "hone stop sw_7\nhone stop sw_7 && hone watch sw_7", declare_verb<Verb::stop>},
    {"stop --now", Group::steer, "SWEEP", "end a sweep now; runs may save a checkpoint first",
     "hone stop --now sw_7", declare_verb<Verb::cancel>, "", "cancel"},
    {"stop --kill", Group::steer, "SWEEP", "end a sweep now; kill its runs",
     "hone stop --kill sw_7", declare_verb<Verb::kill>, "", "kill"},
    {"edit", Group::steer, "SWEEP", "change a sweep, or continue an ended one",
     "hone edit sw_7 --trials 64\nhone edit sw_7 --concurrency 4\n"
     "hone edit sw_7 --widen learning_rate=:0.1 --widen optimizer=adam,lion\n"
     "hone edit sw_7 --share 3 --slots 2:8 --by 18:00",
     declare_edit},
    {"fork", Group::steer, "SWEEP", "submit a changed copy of a sweep",
     "hone fork sw_7 --set seed=18\nhone fork sw_7 --set search.trials=64 --dry-run", declare_fork},
    {"workers", Group::system, "", "list the workers, or re-enable one",
     "hone workers\nhone workers allow wk_3", declare_workers},
    {"workers allow", Group::system, "WORKER", "re-enable a quarantined worker",
     "hone workers\nhone workers allow wk_3", declare_allow, "", "allow"},
    {"token", Group::system, "create|ls|revoke [NAME]", "manage access tokens",
     "hone token create alice --scope submit --out alice.token\n"
     "hone token create gpu-node --scope worker --expires 90d\n"
     "hone token ls\nhone token revoke tk_3",
     declare_token},
    {"fleet", Group::system, "create|set|ls|show|explain|stop|logs [FLEET]",
     "keep workers alive on Slurm, ssh hosts, ...",
     "hone fleet create gpu engine=slurm max=20 wall=4h gpus=1 url=http://login:7777\n"
     "hone fleet create fleet.yaml\nhone fleet set gpu max=40\nhone fleet ls\n"
     "hone fleet explain gpu\nhone fleet logs pi_42\nhone fleet stop gpu",
     declare_fleet},
    {"doctor", Group::system, "", "check this installation and the server",
     "hone doctor\nhone doctor --data /data/hone", declare_doctor},
    {"doctor --versions", Group::system, "--check", "list which version runs where",
     "hone doctor --versions --check", declare_versions, "", "upgrade"},
    {"db", Group::system, "check|backup|repair|upgrade|promote|prune|archive|rm",
     "check, back up or change a data folder",
     "hone db check\nhone db check --data /data/hone --format json\n"
     "hone db check --link 1234:9f86d081884c...   # was an event up to 1234 changed?\n"
     "hone db backup /backups/hone-monday   # also while a server runs\nhone db upgrade\n"
     "hone db promote --data /data/standby  # the standby there becomes the server\n"
     "hone db prune --older 90d --keep 20   # metrics of old sweeps keep 20 points each\n"
     "hone db archive old.db --older 90d    # the same, but the other points move to old.db\n"
     "hone db rm sw_7 sw_8                  # of a stopped server: for good",
     declare_db},
    {"server", Group::system, "...", "run hone-server with these arguments",
     "hone server --data ~/.hone --listen 0.0.0.0:7777", declare_passed_on},
    {"worker", Group::system, "...", "run hone-worker with these arguments",
     "hone worker --server http://10.0.0.5:7777 --slots 8 --data ~/hone-worker", declare_passed_on},
    {"train", Group::system, "NAME ...", "run a built-in trainer without a server",
     "hone train ga3c --env CartPole-v1 --frames 1M\nhone train --help\n"
     "hone train --track ga3c --env CartPole-v1 --frames 1M   # recorded by the server",
     declare_passed_on},
    {"train --track", Group::system, "NAME", "train one run here, recorded by the server",
     "hone train --track ga3c --env CartPole-v1 --frames 1M --set learning_rate=0.001\n"
     "hone train --track --metric accuracy -- python3 train.py --lr 0.1",
     declare_track},
    {"bench", Group::system, "WHAT ...", "measure a server, or the search methods",
     "hone bench load --clients 8 --duration 20s\nhone bench lineage\nhone bench --help",
     declare_passed_on},
    {"version", Group::system, "", "print the version", "hone version", declare_version},
    {"completion", Group::system, "SHELL", "print a completion script (bash, zsh, fish)",
     "source <(hone completion bash)\nhone completion zsh > ~/.zfunc/_hone\n"
     "hone completion fish > ~/.config/fish/completions/hone.fish",
     declare_completion},
    {"completion --words", Group::system, "-- WORDS", "print the words that may come next",
     "hone completion --words -- ls tri\nhone completion --words -- best sw_", declare_words},
});

}  // namespace

std::span<const Command> command_table() { return commands; }

const Command* find_command(std::string_view name) {
  const auto row = std::ranges::find_if(commands, [&](const Command& command) {
    return command.name == name || (!name.empty() && command.old_name == name);
  });
  return row == commands.end() ? nullptr : &*row;
}

bool is_form(const Command& command) { return !form_word(command).empty(); }

std::string_view command_word(const Command& command) {
  return command.name.substr(0, command.name.find(' '));
}

std::string_view form_word(const Command& command) {
  const auto blank = command.name.find(' ');
  return blank == std::string_view::npos ? std::string_view() : command.name.substr(blank + 1);
}

}  // namespace hone::cli
