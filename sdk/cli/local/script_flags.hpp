// The flags of a Python program, found in its text: argparse, click, tyro and other readers of
// dataclasses, absl, fire, and settings that `--name=value` replaces. Nothing is executed.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/codec/json.hpp"

namespace hone::cli {

// How a program reads a flag:
//   value        --x=0.1
//   on           --x, or nothing          store_true
//   off          nothing, or --no-x       store_false
//   pair         --x, or --no-x
//   truth        --x=True, or --x=False
//   python_bool  --x=True, or --x=        type=bool, for which each text but "" is true
//   items        --x 64 64                nargs
//   repeated     --x=64 --x=64            append
//   setting      x=0.1                    Hydra
enum class FlagForm { value, on, off, pair, truth, python_bool, items, repeated, setting };
enum class FlagType { unknown, real, whole, text, truth };

struct ScriptFlag {
  std::string option;  // "--learning-rate"
  std::string off{};   // of a pair: "--no-norm"
  std::string name;    // of the parameter: "learning_rate"
  FlagForm form = FlagForm::value;
  FlagType type = FlagType::unknown;
  std::optional<Json> given{};  // the default; nullopt: none, or one that is computed
  std::string given_text{};     // as it is written
  std::vector<Json> choices{};
  std::optional<double> low{}, high{};  // of click's ranges
  bool required = false;
  bool computed = false;  // its type or its choices are no literal: hone cannot tell what it takes
};

// The library that reads the flags.
enum class FlagReader { none, argparse, click, fields, absl, fire, globals };

struct ScriptFlags {
  FlagReader reader = FlagReader::none;
  std::vector<ScriptFlag> flags{};
  std::vector<std::string> positional{};  // arguments without which the program does not start
};

// Flags with a constant name, in the order of the program. Calls that are built at run time, inside
// comments or in texts are not seen.
ScriptFlags scan_flags(std::string_view program);

// The words by which a parameter of hone becomes this flag: {"--sizes", "${sizes*}"}.
std::vector<std::string> flag_words(const ScriptFlag& flag);

// Fills in the type and form that a default implies. Used by readers of other sources.
void settle_flag(ScriptFlag& flag);

// "learning_rate" for "--learning-rate".
std::string flag_name(std::string_view option);

}  // namespace hone::cli
