// The declare functions of command_table.cpp: each adds the flags of a command and returns its
// action.
#pragma once

#include "schemas/types/states.hpp"
#include "sdk/cli/session/command.hpp"

namespace hone::cli {

CommandAction declare_submit(Flags& flags);
CommandAction declare_plan(Flags& flags);
CommandAction declare_study(Flags& flags);
CommandAction declare_schema(Flags& flags);
CommandAction declare_simulate(Flags& flags);
CommandAction declare_import(Flags& flags);
CommandAction declare_graph(Flags& flags);
CommandAction declare_ls(Flags& flags);
CommandAction declare_show(Flags& flags);
CommandAction declare_trials(Flags& flags);
CommandAction declare_runs(Flags& flags);
CommandAction declare_logs(Flags& flags);
CommandAction declare_curve(Flags& flags);
CommandAction declare_schedule(Flags& flags);
CommandAction declare_advise(Flags& flags);
CommandAction declare_forecast(Flags& flags);
CommandAction declare_best(Flags& flags);
CommandAction declare_dashboard(Flags& flags);
CommandAction declare_watch(Flags& flags);
CommandAction declare_explain(Flags& flags);
CommandAction declare_lineage(Flags& flags);
CommandAction declare_export(Flags& flags);
CommandAction declare_report(Flags& flags);
CommandAction declare_ask(Flags& flags);
CommandAction declare_tell(Flags& flags);
CommandAction declare_enqueue(Flags& flags);
CommandAction declare_picker(Flags& flags);
CommandAction declare_models(Flags& flags);
CommandAction declare_fetch(Flags& flags);
CommandAction declare_workers(Flags& flags);
CommandAction declare_allow(Flags& flags);
CommandAction declare_events(Flags& flags);
CommandAction declare_db(Flags& flags);
CommandAction declare_doctor(Flags& flags);
CommandAction declare_token(Flags& flags);
CommandAction declare_fleet(Flags& flags);
CommandAction declare_up(Flags& flags);
CommandAction declare_init(Flags& flags);
CommandAction declare_confirm(Flags& flags);
CommandAction declare_importance(Flags& flags);
CommandAction declare_find(Flags& flags);
CommandAction declare_recompute(Flags& flags);
CommandAction declare_mark(Flags& flags);
CommandAction declare_note(Flags& flags);
CommandAction declare_tag(Flags& flags);
CommandAction declare_archive(Flags& flags);
CommandAction declare_pin(Flags& flags);
CommandAction declare_edit(Flags& flags);
CommandAction declare_fork(Flags& flags);
CommandAction declare_resubmit(Flags& flags);
CommandAction declare_compare(Flags& flags);
CommandAction declare_reproduce(Flags& flags);
CommandAction declare_evaluate(Flags& flags);
CommandAction declare_version(Flags& flags);
CommandAction declare_versions(Flags& flags);
CommandAction declare_completion(Flags& flags);
CommandAction declare_words(Flags& flags);

CommandAction declare_steer(Flags& flags, Verb verb);
template <Verb verb>
CommandAction declare_verb(Flags& flags) {
  return declare_steer(flags, verb);
}

// For commands that another program runs: main passes all arguments on and reads no flag.
CommandAction declare_passed_on(Flags& flags);
CommandAction declare_track(Flags& flags);

}  // namespace hone::cli
