// The flags of a Python program, found in its text: the calls of add_argument. Nothing is executed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::cli {

struct ScriptFlag {
  std::string option;                // "--learning-rate"
  std::string type;                  // "float", "int", ...; empty: a text
  std::string action;                // "store_true", ...; empty: the flag takes a value
  std::optional<std::string> given;  // the default as it is written: 0.001, 'adam', None
  std::vector<std::string> choices;  // as written, quotes included
};

// Flags with a constant name, in the order of the program. Calls that are built at run time, inside
// comments or in texts are not seen.
std::vector<ScriptFlag> scan_argparse(std::string_view program);

// The texts of a program without its code and comments, one a line.
std::string quoted_texts(std::string_view program);

// "learning_rate" for "--learning-rate".
std::string flag_name(const ScriptFlag& flag);

// The contents of a quoted Python text; nullopt for anything else.
std::optional<std::string> unquoted(std::string_view text);

}  // namespace hone::cli
