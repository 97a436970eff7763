// The columns of every list that the server returns, one table for each kind of item. A test
// resolves every pointer in schemas/openapi.yaml, so that a renamed member of a reply fails there.
#pragma once

#include <initializer_list>
#include <string_view>

#include "sdk/cli/render/fields.hpp"

namespace hone::cli {

Fields sweep_columns();
Fields trial_columns();
Fields run_columns();
Fields attempt_columns();
Fields artifact_columns();
Fields model_columns();
Fields dataset_columns();
Fields workflow_columns();
Fields worker_columns();
Fields token_columns();
Fields fleet_columns();
Fields pilot_columns();
Fields event_columns();

Fields best_columns();       // of hone best
Fields pareto_columns();     // of hone best --pareto
Fields front_columns();      // of hone best --by cost
Fields seed_columns();       // of hone explain TRIAL
Fields incumbent_columns();  // of hone best --named
Fields report_columns();     // of hone curve RUN
Fields schedule_columns();   // of hone curve --schedule
Fields band_columns();       // of hone curve TRIAL: over the seeds
Fields verdict_columns(bool recompute);
Fields confirmation_columns();
Fields importance_columns();
Fields asked_columns();  // of hone ask
Fields exported_report_columns();
Fields exported_band_columns();

// Returns the columns of hone find for a kind: "sweep", "trial", ...
Fields find_columns(std::string_view kind);

// Copies of a field that is left out where it has no value, and of one for csv and json alone.
inline Field optional(Field field) {
  field.optional = true;
  return field;
}
inline Field data_only(Field field) {
  field.where = Where::data_only;
  return field;
}

// The named columns, in the order of the names, shown in every format. Precondition: they exist.
Fields select(const Fields& columns, std::initializer_list<std::string_view> names);

}  // namespace hone::cli
