#include "sdk/cli/commands/start/init_ranges.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "schemas/codec/json.hpp"

namespace hone::cli {
namespace {

using NameList = std::span<const std::string_view>;

// "ent_coef" for "--algo.ent-coef": the last part, in small letters, with underscores.
std::string short_name(const ScriptFlag& flag) {
  std::string name = flag.name.substr(flag.name.rfind('.') + 1);
  for (char& c : name)
    c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

bool is_one_of(NameList names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Whether a part of the name between underscores is one of the words.
bool has_word(NameList words, const std::string& name) {
  const std::string framed = "_" + name + "_";
  return std::ranges::any_of(words, [&](std::string_view word) {
    return framed.find("_" + std::string(word) + "_") != std::string::npos;
  });
}

struct BudgetName {
  std::string_view name;
  std::string_view unit;
};
// The first that a program has. Interactions come before epochs: PPO's epochs are passes over a
// batch.
constexpr std::array budget_names{BudgetName{"total_timesteps", "timesteps"},
                                  BudgetName{"n_timesteps", "timesteps"},
                                  BudgetName{"num_timesteps", "timesteps"},
                                  BudgetName{"timesteps", "timesteps"},
                                  BudgetName{"max_timesteps", "timesteps"},
                                  BudgetName{"total_steps", "steps"},
                                  BudgetName{"total_env_steps", "steps"},
                                  BudgetName{"num_env_steps", "steps"},
                                  BudgetName{"train_for_env_steps", "steps"},
                                  BudgetName{"num_train_frames", "frames"},
                                  BudgetName{"max_steps", "steps"},
                                  BudgetName{"train_steps", "steps"},
                                  BudgetName{"num_train_steps", "steps"},
                                  BudgetName{"max_train_steps", "steps"},
                                  BudgetName{"total_frames", "frames"},
                                  BudgetName{"num_frames", "frames"},
                                  BudgetName{"frames", "frames"},
                                  BudgetName{"max_frames", "frames"},
                                  BudgetName{"max_iters", "iterations"},
                                  BudgetName{"num_iterations", "iterations"},
                                  BudgetName{"iterations", "iterations"},
                                  BudgetName{"max_update", "updates"},
                                  BudgetName{"num_updates", "updates"},
                                  BudgetName{"num_train_epochs", "epochs"},
                                  BudgetName{"max_epochs", "epochs"},
                                  BudgetName{"max_epoch", "epochs"},
                                  BudgetName{"num_epochs", "epochs"},
                                  BudgetName{"epochs", "epochs"},
                                  BudgetName{"epoch", "epochs"},
                                  BudgetName{"num_episodes", "episodes"},
                                  BudgetName{"max_episodes", "episodes"},
                                  BudgetName{"episodes", "episodes"},
                                  BudgetName{"n_episodes", "episodes"},
                                  BudgetName{"t_max", "steps"},
                                  BudgetName{"kimg", "kimg"},
                                  BudgetName{"steps", "steps"}};

// How long, where and how much is shown: these keep their values.
constexpr auto kept_words = std::to_array<std::string_view>(
    {"seed",    "epoch",      "epochs",        "episodes", "iterations", "iters",    "timesteps",
     "workers", "threads",    "processes",     "proc",     "actors",     "cpu",      "cpus",
     "gpu",     "gpus",       "cuda",          "mps",      "device",     "devices",  "port",
     "host",    "log",        "logging",       "save",     "saving",     "eval",     "evaluate",
     "test",    "verbose",    "verbosity",     "render",   "video",      "videos",   "capture",
     "track",   "wandb",      "debug",         "resume",   "load",       "path",     "dir",
     "file",    "id",         "rank",          "world",    "cache",      "pin",      "print",
     "profile", "compile",    "deterministic", "download", "backend",    "dtype",    "checkpoint",
     "version", "evaluation", "progress",      "val",      "hub",        "tracking", "tb",
     "env",     "game",       "task",          "dataset",  "classes",    "amp"});
constexpr auto kept_names = std::to_array<std::string_view>({"num_envs",
                                                             "n_envs",
                                                             "nenvs",
                                                             "envs",
                                                             "dry_run",
                                                             "overwrite",
                                                             "force",
                                                             "quiet",
                                                             "progress_bar",
                                                             "fp16",
                                                             "bf16",
                                                             "half",
                                                             "tensorboard",
                                                             "distributed",
                                                             "nproc",
                                                             "no_accel",
                                                             "max_steps",
                                                             "total_steps",
                                                             "steps",
                                                             "train_steps",
                                                             "max_train_steps",
                                                             "frames",
                                                             "num_frames",
                                                             "total_frames",
                                                             "frame_skip",
                                                             "frame_stack",
                                                             "action_repeat",
                                                             "max_ep_len",
                                                             "max_episode_steps",
                                                             "max_episode_length",
                                                             "img_size",
                                                             "image_size",
                                                             "input_size",
                                                             "crop_size",
                                                             "vocab_size",
                                                             "max_length",
                                                             "max_seq_length",
                                                             "in_channels",
                                                             "out_channels",
                                                             "fold",
                                                             "pretrained",
                                                             "exist_ok",
                                                             "data_set",
                                                             "nosave",
                                                             "noval",
                                                             "episode_length",
                                                             "list_models"});

struct KnownRange {
  std::string_view names;  // between blanks
  std::string_view entry;  // where the default says nothing better
};
// Ranges that the literature searches. None has a value that the quantity cannot take: an entropy
// bonus, a dropout or a decay is never negative.
constexpr std::array known_ranges{
    KnownRange{" ent_coef entropy_coef ent_coeff entropy_coeff entropy_cost ent_weight "
               "entropy_bonus entropy_weight beta_entropy entropy_beta entropy_loss_coef entropy ",
               "{type: float, min: 0, max: 0.05}"},
    KnownRange{" gae_lambda lam lambda gae_lam ", "{type: float, min: 0.8, max: 1}"},
    KnownRange{" clip_range clip_coef clip_ratio clip_param eps_clip ratio_clip clip_eps "
               "clip_epsilon ",
               "{type: float, min: 0.1, max: 0.4}"},
    KnownRange{" vf_coef value_loss_coef value_coef vf_coeff ", "{type: float, min: 0.1, max: 1}"},
    KnownRange{" dropout dropout_rate attention_dropout drop ", "{type: float, min: 0, max: 0.5}"},
    KnownRange{" weight_decay wd l2 l2_reg ", "{type: float, min: 0, max: 0.1}"},
    KnownRange{" label_smoothing smoothing mixup cutmix ", "{type: float, min: 0, max: 0.3}"},
    KnownRange{
        " update_epochs n_epochs ppo_epoch ppo_epochs noptepochs repeat_per_collect k_epochs "
        "train_iters ",
        "{type: int, min: 1, max: 20}"},
    KnownRange{" num_layers n_layers depth n_layer ", "{type: int, min: 1, max: 6}"}};

bool is_for(const KnownRange& range, const std::string& name) {
  return range.names.find(" " + name + " ") != std::string_view::npos;
}

constexpr std::array<std::string_view, 5> shares{"gamma", "discount", "discount_factor", "polyak",
                                                 "momentum"};

std::string suggested_text(const char* type, double low, double high, const char* scale = "") {
  return std::string("{type: ") + type + ", min: " + yaml_number(low) +
         ", max: " + yaml_number(high) + (*scale != 0 ? std::string(", scale: ") + scale : "") +
         "}";
}

std::string float_entry(const ScriptFlag& flag, double given) {
  if (flag.low && flag.high && *flag.low < *flag.high)
    return suggested_text("float", *flag.low, *flag.high);
  const bool is_share = is_one_of(shares, short_name(flag));
  // Close to 1, as a discount or a momentum: even on the distance from 1.
  if ((is_share || given >= 0.8) && given >= 0.5 && given < 1)
    return suggested_text("float", 1 - std::min(10 * (1 - given), 0.5), 1 - (1 - given) / 10,
                          "logit");
  if (given == -1) return {};  // says "none"
  if (given < 0) return suggested_text("float", given * 4, given / 4);
  // The size is unknown; the sign is likely that of a share or a coefficient.
  if (given == 0) return suggested_text("float", 0, 1);
  const double low =
      std::max(flag.low.value_or(0), given < 0.1 || given >= 10 ? given / 10 : given / 4);
  double high = given < 0.1 || given >= 10 ? given * 10 : given * 4;
  if (given >= 0.1 && given < 1) high = std::min(1.0, high);
  if (flag.high) high = std::min(high, *flag.high);
  return low < high && low > 0 ? suggested_text("float", low, high, "log") : "";
}

std::string int_entry(const ScriptFlag& flag, double given) {
  if (flag.low && flag.high && *flag.low < *flag.high)
    return suggested_text("int", *flag.low, *flag.high);
  if (given < 1) return {};  // -1 says "none" or "all", 0 "none" or "computed"
  const double low = std::max({1.0, std::floor(given / 4), flag.low.value_or(1)});
  const double high = std::min(std::max(2.0, given * 4), flag.high.value_or(HUGE_VAL));
  return low < high ? suggested_text("int", low, high, given >= 8 ? "log" : "") : "";
}

// Half of each size, the sizes, and twice each.
std::string list_entry(const Json& given) {
  const auto is_size = [](const Json& one) { return one.is_number_integer() && one >= 2; };
  if (given.empty() || !std::ranges::all_of(given, is_size)) return {};
  Json values = Json::array();
  for (const int percent : {50, 100, 200}) {
    Json one = Json::array();
    for (const Json& size : given) one.push_back(size.get<std::int64_t>() * percent / 100);
    values.push_back(std::move(one));
  }
  return "{type: choice, values: " + to_text(values) + "}";
}

std::string choice_entry(const std::vector<Json>& choices, FlagType type) {
  // Without a type, argparse compares texts with the numbers, and takes none of them.
  const bool fits = type != FlagType::text ||
                    std::ranges::all_of(choices, [](const Json& one) { return one.is_string(); });
  if (choices.size() < 2 || !fits) return {};
  Json values = Json::array();
  for (const Json& one : choices)
    if (std::ranges::find(values, one) == values.end()) values.push_back(one);
  return "{type: choice, values: " + to_text(values) + "}";
}

// A known range that contains the default.
std::string known_entry(const ScriptFlag& flag, double given) {
  const std::string name = short_name(flag);
  for (const KnownRange& range : known_ranges) {
    if (!is_for(range, name)) continue;
    const bool whole = range.entry.find("int") != std::string_view::npos;
    if (whole != (flag.type == FlagType::whole)) continue;
    const auto low = std::stod(std::string(range.entry.substr(range.entry.find("min: ") + 5)));
    const auto high = std::stod(std::string(range.entry.substr(range.entry.find("max: ") + 5)));
    // Far below the upper end, the size matters: an even range would hardly look there.
    if (!whole && low == 0 && given > 0 && given < high / 20) continue;
    if (given >= low && given <= high) return std::string(range.entry);
  }
  return {};
}

std::string entry_of_number(const ScriptFlag& flag, double given) {
  if (auto known = known_entry(flag, given); !known.empty() && !(flag.low && flag.high))
    return known;
  if (flag.type == FlagType::whole) return int_entry(flag, given);
  return flag.type == FlagType::real ? float_entry(flag, given) : "";
}

// Passes over a batch ("ppo_epoch") are no length of the training.
bool is_kept(const ScriptFlag& flag) {
  const std::string name = short_name(flag);
  if (std::ranges::any_of(known_ranges,
                          [&](const KnownRange& range) { return is_for(range, name); }))
    return false;
  return has_word(kept_words, name) || is_one_of(kept_names, name);
}

}  // namespace

std::string yaml_number(double value) {
  constexpr double shown_in_full = 1e15;
  char text[32];
  const bool whole = std::floor(value) == value && std::abs(value) < shown_in_full;
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%.6g", value);
  std::string result = text;
  // YAML readers take 1e-05 without a point for a text.
  if (const auto e = result.find('e');
      e != std::string::npos && result.find('.') == std::string::npos)
    result.insert(e, ".0");
  return result;
}

FlagBudget budget_of(const std::vector<ScriptFlag>& flags) {
  constexpr double per_run_max = 1e12;
  for (const BudgetName& known : budget_names)
    for (const ScriptFlag& flag : flags) {
      if (short_name(flag) != known.name || !flag.given || !flag.given->is_number()) continue;
      const double given = flag.given->get<double>();
      // In A3C and its kin, t_max is the length of a rollout.
      if (known.name == "t_max" && given < 1e5) continue;
      const bool counts = given >= 2 && given <= per_run_max && std::floor(given) == given;
      if (counts) return {&flag, std::string(known.unit), static_cast<std::int64_t>(given)};
    }
  return {};
}

FlagRole role_of(const ScriptFlag& flag, const FlagBudget& budget) {
  if (&flag == budget.flag) return FlagRole::budget;
  const std::string name = short_name(flag);
  const bool takes_number = flag.form == FlagForm::value || flag.form == FlagForm::setting;
  if (takes_number && (name == "seed" || name == "random_seed" || name == "random_state"))
    return FlagRole::seed;
  return entry_of(flag).empty() ? FlagRole::kept : FlagRole::searched;
}

std::string entry_of(const ScriptFlag& flag) {
  if (is_kept(flag) || flag.computed) return {};
  if (flag.form == FlagForm::items || (flag.given && flag.given->is_array()))
    return flag.given && flag.given->is_array() && flag.type != FlagType::text
               ? list_entry(*flag.given)
               : "";
  if (flag.form == FlagForm::repeated) return {};
  if (!flag.choices.empty()) return choice_entry(flag.choices, flag.type);
  if (flag.type == FlagType::truth) return flag.given || flag.required ? "{type: bool}" : "";
  if (!flag.given || !flag.given->is_number()) return {};
  return entry_of_number(flag, flag.given->get<double>());
}

}  // namespace hone::cli
