// The settings of the rules, a column of their table.
#pragma once

#include <array>
#include <limits>

#include "schemas/types/method_setting.hpp"

namespace hone::rule_settings {

inline constexpr auto whole = MethodSettingKind::whole;
inline constexpr auto real = MethodSettingKind::real;
inline constexpr double many = 1'000'000;
inline constexpr double infinite = std::numeric_limits<double>::infinity();

inline constexpr MethodSetting first_rung{
    "first_rung", whole, 1, 10'000, {}, "1", "phases of a run until the first rung"};
inline constexpr MethodSetting grace{
    "grace", whole, 0, many, {}, "1", "phases of a run that are not judged"};

inline constexpr std::array hone_rule{
    MethodSetting{"efficiency",
                  real,
                  0,
                  1,
                  {},
                  {},
                  "versions 1 to 4: how much early ranks are trusted; measured by default"},
    MethodSetting{"second_looks", whole, 0, 1, {}, {}, "1: train promising trials with a new seed"},
    MethodSetting{"shrink", whole, 0, 1, {}, {}, "1: lower the leader's score by its doubt"},
    MethodSetting{"ties", whole, 0, 1, {}, {}, "1: runs that tie with the first continue"},
    MethodSetting{"judgements", real, 1, many, {}, {}, "how often a run is judged"},
    MethodSetting{
        "memory", real, 0, 10, {}, {}, "of scores, as a share of a complete run", false, true},
    MethodSetting{"use_time",
                  whole,
                  0,
                  1,
                  {},
                  "0",
                  "1: with limits.duration, continue runs until the time is over"},
    MethodSetting{"hedge", real, 0, 1, {}, {}, "share of the trials that train to their end"},
    MethodSetting{"decline", whole, 0, 1, {}, {}, "1: expect that leaders lose value later"},
    MethodSetting{"prior", whole, 0, 1, {}, {}, "1: use what earlier sweeps showed about ranks"},
    MethodSetting{"forks", real, 0, 1, {}, "0", "share of the trials that continue another run"},
    MethodSetting{"agreement",
                  real,
                  0,
                  0.99,
                  {},
                  {},
                  "of ranks after p and 2 p reports, before it is measured"},
    MethodSetting{"weight", real, 0.1, many, {}, {}, "of that agreement, in runs"},
    MethodSetting{"caution", real, 0, 100, {}, {}, "standard errors taken off an agreement"},
    MethodSetting{"strength", real, 0, 100, {}, {}, "of selection, where ranks agree wholly"},
    MethodSetting{"version", whole, 1, 5, {}, {}, "of the rule; new sweeps take the newest"},
};
inline constexpr std::array hypertrick{
    MethodSetting{"eviction_rate",
                  real,
                  1e-9,
                  1,
                  {},
                  "0.25",
                  "share of the runs of a phase that end",
                  false,
                  false,
                  true},
    MethodSetting{"dcm_fraction",
                  real,
                  0,
                  1,
                  {},
                  {},
                  "share of the first reports of a phase, which are exempt",
                  false,
                  false,
                  true},
    MethodSetting{
        "evict_quantile", real, 0, 1, {}, {}, "quantile below which the others end", false, true},
};
inline constexpr std::array rungs{eta_setting, first_rung};
inline constexpr std::array sha{
    eta_setting, first_rung,
    MethodSetting{"bracket", whole, 1, many, {}, {}, "trials of a bracket"}};
inline constexpr std::array eta_alone{eta_setting};
inline constexpr std::array median{
    grace, MethodSetting{"min_runs", whole, 1, many, {}, "3", "runs that a phase needs"}};
inline constexpr std::array percentile{
    MethodSetting{"evict",
                  real,
                  0,
                  1,
                  {},
                  "0.25",
                  "share of the reports that is too poor",
                  false,
                  true,
                  true},
    grace,
    MethodSetting{"min_reports", whole, 1, many, {}, "3", "reports that a phase needs"},
};
inline constexpr std::array threshold{
    MethodSetting{"value", real, -infinite, infinite, {}, {}, "that a run must reach", true},
    MethodSetting{"phases", whole, 1, 10'000, {}, {}, "within which it must", true},
};
inline constexpr std::array patience{
    MethodSetting{"phases", whole, 1, many, {}, "3", "without an improvement"},
    MethodSetting{"min_delta", real, 0, infinite, {}, "0", "the least improvement that counts"},
};

}  // namespace hone::rule_settings
