// The declare functions of command_table.cpp: each adds its flags and returns the work.
#pragma once

#include "schemas/types/states.hpp"
#include "sdk/cli/session/command.hpp"

namespace hone::cli {

Work declare_submit(Flags& flags);
Work declare_plan(Flags& flags);
Work declare_simulate(Flags& flags);
Work declare_import(Flags& flags);
Work declare_graph(Flags& flags);
Work declare_ls(Flags& flags);
Work declare_show(Flags& flags);
Work declare_trials(Flags& flags);
Work declare_runs(Flags& flags);
Work declare_curve(Flags& flags);
Work declare_best(Flags& flags);
Work declare_watch(Flags& flags);
Work declare_explain(Flags& flags);
Work declare_lineage(Flags& flags);
Work declare_export(Flags& flags);
Work declare_ask(Flags& flags);
Work declare_tell(Flags& flags);
Work declare_enqueue(Flags& flags);
Work declare_picker(Flags& flags);
Work declare_models(Flags& flags);
Work declare_fetch(Flags& flags);
Work declare_workers(Flags& flags);
Work declare_allow(Flags& flags);
Work declare_events(Flags& flags);
Work declare_db(Flags& flags);
Work declare_doctor(Flags& flags);
Work declare_token(Flags& flags);
Work declare_up(Flags& flags);
Work declare_bench(Flags& flags);
Work declare_importance(Flags& flags);
Work declare_find(Flags& flags);
Work declare_note(Flags& flags);
Work declare_tag(Flags& flags);
Work declare_archive(Flags& flags);
Work declare_pin(Flags& flags);
Work declare_edit(Flags& flags);
Work declare_fork(Flags& flags);
Work declare_resubmit(Flags& flags);
Work declare_compare(Flags& flags);
Work declare_diff(Flags& flags);
Work declare_replay(Flags& flags);
Work declare_version(Flags& flags);
Work declare_completion(Flags& flags);

Work declare_steer(Flags& flags, Verb verb);
template <Verb verb>
Work declare_verb(Flags& flags) {
  return declare_steer(flags, verb);
}

// Commands whose arguments all belong to the program beside this one; main passes them on before it
// reads any flag.
Work declare_passed_on(Flags& flags);

}  // namespace hone::cli
