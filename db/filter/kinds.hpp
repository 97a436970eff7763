// The fields of each kind of object that a filter can compare. Internal to db/filter.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "db/object_kind.hpp"
#include "schemas/codec/words.hpp"

namespace hone::filter {

// Accepts "model" and "models", in any case.
std::optional<ObjectKind> kind_named(std::string_view word);

// The alias of its table in every statement: s, t, r, a, m, d, f, w, e, q, u, v.
std::string_view alias(ObjectKind kind);

// Whether each `low` has one `high` (a run has one sweep), so that a filter on `low` may use the
// fields of `high`.
bool leads_to(ObjectKind low, ObjectKind high);

// Reports, metrics and artifacts are rows of a run: they have no tags, no notes, and their tables
// no column of the sweep.
constexpr bool is_part_of_run(ObjectKind kind) {
  return kind == ObjectKind::report || kind == ObjectKind::metric || kind == ObjectKind::artifact;
}

enum class FieldType { number, text, time, truth, id };

struct Field {
  ObjectKind of;
  std::string_view name;
  FieldType type;
  std::string_view sql;  // with the aliases above; a condition for FieldType::truth
  std::string_view help;
  bool needs_sweep = false;  // reads the sweep's table as well
};

std::span<const Field> fields();
const Field* find_field(ObjectKind of, std::string_view name);

}  // namespace hone::filter
