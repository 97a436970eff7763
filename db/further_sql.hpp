// SQL for the values of the further objectives of a sweep, by the names of their metrics. Internal
// to db.
#pragma once

#include "db/literal.hpp"

namespace hone::sql {

// A scalar subquery: a JSON object of the last report of a run; null without further objectives.
template <Literal trial, Literal replicate, Literal sweep>
inline constexpr auto further_of = joined(
    "(SELECT nullif(json_group_object(z.spec ->> ('$.objectives[' || (v.key + 1) || '].metric'),"
    "  p.further -> v.fullkey) FILTER"
    "  (WHERE z.spec ->> ('$.objectives[' || (v.key + 1) || '].metric') IS NOT NULL), '{}')"
    " FROM run y CROSS JOIN report p ON p.trial = y.trial AND p.replicate = y.replicate"
    "  AND p.phase = y.reports - 1 CROSS JOIN sweep z ON z.id = ",
    sweep.text, " CROSS JOIN json_each(p.further) v WHERE y.trial = ", trial.text,
    " AND y.replicate = ", replicate.text, ")");

// Writes each finite value of ?5, as report.further stores them, of run (?1, ?2) at step ?3 and
// time ?4.
template <Literal columns, Literal further, Literal on_conflict>
inline constexpr auto write_further =
    joined("INSERT INTO ", columns.text,
           " SELECT ?1, ?2, s.spec ->> ('$.objectives[' || (v.key + 1) || '].metric'), ?3, v.value",
           further.text,
           " FROM trial t CROSS JOIN sweep s ON s.id = t.sweep CROSS JOIN json_each(?5) v"
           " WHERE t.id = ?1 AND ?4 IS NOT NULL AND v.type IN ('real', 'integer')"
           // A damaged report may have more values than its sweep has objectives.
           " AND s.spec ->> ('$.objectives[' || (v.key + 1) || '].metric') IS NOT NULL"
           " ON CONFLICT DO ",
           on_conflict.text);

}  // namespace hone::sql
