// What can be found, and what each kind of thing has to compare. Internal to db/filter.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace hone::filter {

enum class ThingKind { sweep, trial, run, attempt, model, dataset, workflow, worker };

// "model" and "models" alike, in any case.
std::optional<ThingKind> kind_named(std::string_view word);
std::string_view word(ThingKind kind);

// The alias of its table in every statement: s, t, r, a, m, d, f, w.
std::string_view alias(ThingKind kind);

// Whether each `low` has one `high` (a run has one sweep), so that the fields of `high` are its
// own.
bool leads_to(ThingKind low, ThingKind high);

enum class FieldType { number, text, time, truth, id };

struct Field {
  ThingKind of;
  std::string_view name;
  FieldType type;
  std::string_view sql;  // with the aliases above; a truth is a condition
  std::string_view help;
  bool needs_sweep = false;  // reads the sweep's table as well
};

std::span<const Field> fields();
const Field* find_field(ThingKind of, std::string_view name);

}  // namespace hone::filter
