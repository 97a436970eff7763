// What the trainers `cem` and `reinforce` accept; a part of trainers.cpp.
#pragma once

#include <array>

#include "schemas/types/trainers.hpp"

namespace hone {

inline constexpr std::array cem_settings{
    SettingInfo{"batch", SettingKind::integer, 2, 10000, "", "16", "episodes of one update"},
    SettingInfo{"percentile", SettingKind::real, 0, 100, "", "70",
                "of a batch's returns: better episodes are learned from"},
    SettingInfo{"learning_rate", SettingKind::real, 0, 1, "", "0.01", "of Adam"},
    SettingInfo{"hidden", SettingKind::integer, 1, 4096, "", "128", "width of the hidden layer"},
    SettingInfo{"episode_steps", SettingKind::integer, 1, 100000, "", "200",
                "longest episode of CartPole: 200 (v0) or 500 (v1)"},
};

inline constexpr std::array reinforce_settings{
    SettingInfo{"batch", SettingKind::integer, 1, 10000, "", "4", "episodes of one update"},
    SettingInfo{"gamma", SettingKind::real, 0, 1, "", "0.99", "discount"},
    SettingInfo{"standardize", SettingKind::word, 0, 0, "no yes", "no",
                "returns of a batch to mean 0 and deviation 1"},
    SettingInfo{"learning_rate", SettingKind::real, 0, 1, "", "0.01", "of Adam"},
    SettingInfo{"hidden", SettingKind::integer, 1, 4096, "", "128", "width of the hidden layer"},
    SettingInfo{"episode_steps", SettingKind::integer, 1, 100000, "", "200",
                "longest episode of CartPole: 200 (v0) or 500 (v1)"},
};

}  // namespace hone
