// The declare functions of command_table.cpp: each adds its flags to the app and returns the work.
#pragma once

#include "schemas/types/states.hpp"
#include "sdk/cli/command.hpp"

namespace hone::cli {

Work declare_submit(CLI::App& app);
Work declare_ls(CLI::App& app);
Work declare_show(CLI::App& app);
Work declare_trials(CLI::App& app);
Work declare_runs(CLI::App& app);
Work declare_curve(CLI::App& app);
Work declare_best(CLI::App& app);
Work declare_watch(CLI::App& app);
Work declare_explain(CLI::App& app);
Work declare_lineage(CLI::App& app);
Work declare_models(CLI::App& app);
Work declare_fetch(CLI::App& app);
Work declare_workers(CLI::App& app);
Work declare_events(CLI::App& app);
Work declare_doctor(CLI::App& app);
Work declare_up(CLI::App& app);
Work declare_version(CLI::App& app);
Work declare_completion(CLI::App& app);

Work declare_steer(CLI::App& app, Verb verb);
template <Verb verb>
Work declare_verb(CLI::App& app) {
  return declare_steer(app, verb);
}

// Commands whose arguments all belong to the program beside this one; main passes them on before it
// reads any flag.
Work declare_passed_on(CLI::App& app);

}  // namespace hone::cli
