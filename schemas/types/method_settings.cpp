#include "schemas/types/method_settings.hpp"

#include <array>
#include <limits>

namespace hone {
namespace method_rows {
namespace {

constexpr auto whole = MethodSettingKind::whole;
constexpr auto real = MethodSettingKind::real;
constexpr auto truth = MethodSettingKind::truth;
constexpr auto word = MethodSettingKind::word;
constexpr double many = 1'000'000;
constexpr double infinite = std::numeric_limits<double>::infinity();

constexpr MethodSetting by_cost{
    .name = "cost",
    .kind = word,
    .words = "seconds",
    .help = "weigh the gain of a proposal against its predicted seconds"};
constexpr MethodSetting eta{"eta", whole, 2, 1000, {}, "3", "of each rung the best 1/eta continue"};
constexpr MethodSetting first_rung{
    "first_rung", whole, 1, 10'000, {}, "1", "phases of a run until the first rung"};
constexpr MethodSetting grace{
    "grace", whole, 0, many, {}, "1", "phases of a run that are not judged"};

constexpr std::array hone_method{
    MethodSetting{"model_after",
                  whole,
                  0,
                  many,
                  {},
                  "12",
                  "finished trials from which on a model always proposes"},
    MethodSetting{"levels",
                  whole,
                  1,
                  many,
                  {},
                  "3",
                  "levels of a parameter in the grid whose cells count the trials before a model"},
    by_cost,
};
constexpr std::array grid{
    MethodSetting{"points", whole, 1, 1000, {}, "5", "values of each float without a step"}};
constexpr std::array tpe{
    MethodSetting{"startup", whole, 2, many, {}, "10", "trials before anything is modelled"},
    MethodSetting{"gamma", real, 0.001, 0.9, {}, "0.1", "share of the trials that count as good"},
    MethodSetting{"good_max", whole, 2, 1000, {}, "25", "most trials that count as good"},
    MethodSetting{"bad_max", whole, 2, 10'000, {}, "64", "kernels of the other trials"},
    MethodSetting{"bandwidth", real, 0.001, 2, {}, "0.2", "of one kernel, as a share of the range"},
    MethodSetting{"min_bandwidth", real, 1e-4, 0.5, {}, "0.01", "no kernel is narrower"},
    MethodSetting{"prior_weight", real, 0.01, 100, {}, "1", "of the prior, in kernels"},
    MethodSetting{"candidates", whole, 1, 10'000, {}, "24", "draws from the good trials' density"},
    MethodSetting{"multivariate",
                  truth,
                  0,
                  0,
                  {},
                  "true",
                  "kernels over all dimensions at once; false: each by itself"},
    MethodSetting{"liar", truth, 0, 0, {}, "true", "pending trials count as bad"},
    MethodSetting{"surrogate", truth, 0, 0, {}, "true", "false: the ratio of densities alone"},
    MethodSetting{"ratio_share",
                  real,
                  0,
                  1,
                  {},
                  "0.15",
                  "share of the trials that the ratio of densities decides"},
    MethodSetting{"explore",
                  real,
                  0,
                  0.9,
                  {},
                  "0.15",
                  "share of the trials spent where the model alone would not look"},
    MethodSetting{
        "surrogate_points", whole, 8, 256, {}, "64", "trials that the surrogate is fitted to"},
    by_cost,
    MethodSetting{"variant", word, 0, 0, "textbook", {}, "textbook: TPE as published"},
};
constexpr std::array cmaes{
    MethodSetting{"popsize", whole, 4, 1000, {}, {}, "trials of a generation; 4 + 3 ln(numbers)"},
    MethodSetting{
        "sigma", real, 0.001, 1, {}, "0.3", "initial standard deviation, as a share of each range"},
};
constexpr std::array bohb{
    MethodSetting{"random_fraction", real, 0, 1, {}, {}, "share of random proposals; 1/3"},
    MethodSetting{"top", real, 0.001, 0.9, {}, "0.15", "share of the results that count as good"},
    MethodSetting{"samples", whole, 1, 10'000, {}, "64", "candidates of a proposal"},
    MethodSetting{"bandwidth_factor",
                  real,
                  0.01,
                  100,
                  {},
                  "3",
                  "by which candidates are drawn wider than the density"},
};
constexpr std::array dehb_method{
    eta,
    MethodSetting{"mutation_factor", real, 0.01, 2, {}, "0.5", "weight of a difference"},
    MethodSetting{
        "crossover", real, 0, 1, {}, "0.5", "probability that a parameter is that of the mutant"},
};
constexpr MethodSetting population{
    "population", whole, 2, 100'000, {}, {}, "members; in place of trials"};
constexpr MethodSetting ready{
    "ready", whole, 1, 10'000, {}, "1", "phases between two comparisons of a member"};
constexpr std::array pbt{
    population,
    MethodSetting{"quantile",
                  real,
                  0.01,
                  0.5,
                  {},
                  "0.2",
                  "share of the members that count as poor, and as good"},
    ready,
    MethodSetting{"exploit", word, 0, 0, "truncation t_test", "truncation",
                  "which members continue from which"},
    MethodSetting{"window", whole, 2, 1000, {}, "10", "reports that the t-test compares"},
    MethodSetting{
        "resample", real, 0, 1, {}, "0.25", "probability that a parameter is drawn from its prior"},
};
constexpr std::array pb2{
    population,
    MethodSetting{"quantile",
                  real,
                  0.01,
                  0.5,
                  {},
                  "0.25",
                  "share of the members that count as poor, and as good"},
    ready,
};

constexpr std::array methods{
    SettingsOf{"hone", hone_method}, SettingsOf{"random", {}},        SettingsOf{"grid", grid},
    SettingsOf{"sobol", {}},         SettingsOf{"tpe", tpe},          SettingsOf{"cmaes", cmaes},
    SettingsOf{"bohb", bohb},        SettingsOf{"dehb", dehb_method}, SettingsOf{"external", {}},
    SettingsOf{"pbt", pbt},          SettingsOf{"pb2", pb2},
};

constexpr std::array hone_rule{
    MethodSetting{"efficiency",
                  real,
                  0,
                  1,
                  {},
                  {},
                  "how much early ranks are trusted; measured where it is left out"},
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
    MethodSetting{"version", whole, 1, 4, {}, {}, "of the rule; new sweeps take the newest"},
};
constexpr std::array hypertrick{
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
constexpr std::array rungs{eta, first_rung};
constexpr std::array sha{eta, first_rung,
                         MethodSetting{"bracket", whole, 1, many, {}, {}, "trials of a bracket"}};
constexpr std::array eta_alone{eta};
constexpr std::array median{
    grace, MethodSetting{"min_runs", whole, 1, many, {}, "3", "runs that a phase needs"}};
constexpr std::array percentile{
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
constexpr std::array threshold{
    MethodSetting{"value", real, -infinite, infinite, {}, {}, "that a run must reach", true},
    MethodSetting{"phases", whole, 1, 10'000, {}, {}, "within which it must", true},
};
constexpr std::array patience{
    MethodSetting{"phases", whole, 1, many, {}, "3", "without an improvement"},
    MethodSetting{"min_delta", real, 0, infinite, {}, "0", "the least improvement that counts"},
};

constexpr std::array rules{
    SettingsOf{"hone", hone_rule},
    SettingsOf{"none", {}},
    SettingsOf{"hypertrick", hypertrick},
    SettingsOf{"asha", rungs},
    SettingsOf{"asha_stopping", rungs},
    SettingsOf{"sha", sha},
    SettingsOf{"hyperband", eta_alone},
    SettingsOf{"median", median},
    SettingsOf{"percentile", percentile},
    SettingsOf{"threshold", threshold},
    SettingsOf{"patience", patience},
    SettingsOf{"dehb", eta_alone},
    SettingsOf{"pbt", {}},
};

}  // namespace
}  // namespace method_rows

std::span<const SettingsOf> settings_of_methods() { return method_rows::methods; }
std::span<const SettingsOf> settings_of_rules() { return method_rows::rules; }

}  // namespace hone
