// The settings of the search methods, a column of their table.
#pragma once

#include <array>

#include "schemas/types/method_setting.hpp"

namespace hone::sampler_settings {

inline constexpr auto whole = MethodSettingKind::whole;
inline constexpr auto real = MethodSettingKind::real;
inline constexpr auto truth = MethodSettingKind::truth;
inline constexpr auto word = MethodSettingKind::word;
inline constexpr double many = 1'000'000;

inline constexpr MethodSetting by_cost{
    .name = "cost",
    .kind = word,
    .words = "seconds",
    .help = "weigh the gain of a proposal against its predicted seconds"};

inline constexpr std::array hone_method{
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
inline constexpr std::array grid{
    MethodSetting{"points", whole, 1, 1000, {}, "5", "values of each float without a step"}};
inline constexpr std::array tpe{
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
inline constexpr std::array cmaes{
    MethodSetting{"popsize", whole, 4, 1000, {}, {}, "trials of a generation; 4 + 3 ln(numbers)"},
    MethodSetting{
        "sigma", real, 0.001, 1, {}, "0.3", "initial standard deviation, as a share of each range"},
};
inline constexpr std::array bohb{
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
inline constexpr std::array dehb_method{
    eta_setting,
    MethodSetting{"mutation_factor", real, 0.01, 2, {}, "0.5", "weight of a difference"},
    MethodSetting{
        "crossover", real, 0, 1, {}, "0.5", "probability that a parameter is that of the mutant"},
};
inline constexpr MethodSetting population{
    "population", whole, 2, 100'000, {}, {}, "members; in place of trials"};
inline constexpr MethodSetting ready{
    "ready", whole, 1, 10'000, {}, "1", "phases between two comparisons of a member"};
inline constexpr std::array pbt{
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
inline constexpr std::array pb2{
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

}  // namespace hone::sampler_settings
