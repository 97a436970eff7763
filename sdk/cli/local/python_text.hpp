// Pieces of Python source, read without executing anything.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/codec/json.hpp"

namespace hone::cli {

// A call without an end, of which a program may have many, would be read to the program's end.
inline constexpr std::size_t call_bytes_max = 64 * 1024;
inline constexpr int calls_max = 2'000;  // of one function; later ones are not seen

std::string_view trimmed(std::string_view text);
bool has(std::string_view text, std::string_view part);

// Returns the place after the text or comment that begins at `at`, or `at` if none does.
std::size_t after_quoted(std::string_view program, std::size_t at);

// The arguments of a call or list, split at its commas, without comments; `at` is behind the
// opening bracket. `end`, if given, becomes the place behind the closing one.
std::vector<std::string> split_arguments(std::string_view program, std::size_t at,
                                         std::size_t* end = nullptr);

// "name=value" of an argument; a positional one has no name.
struct Argument {
  std::string name;
  std::string value;
};
Argument argument_of(const std::string& part);

// Calls `take` with the place of each call of `name`, such as "add_argument", behind its bracket.
// Calls in comments and texts are not seen, nor names of which `name` is only the end.
void each_call(std::string_view program, std::string_view name,
               const std::function<void(std::size_t at)>& take);
bool calls(std::string_view program, std::string_view name);

// The contents of a quoted Python text; nullopt for anything else.
std::optional<std::string> unquoted(std::string_view text);

// The value of a Python literal: numbers (1_000, 1e-3, 2 ** 14, int(1e6)), texts, True, False,
// None, lists and tuples of them, and names that a line of the program sets to one. nullopt for
// anything else.
std::optional<Json> literal(std::string_view text, std::string_view program);

// The texts of a program without its code and comments, one a line.
std::string quoted_texts(std::string_view program);

// A line of a class or of a file: "name: annotation = default". Fields without annotation or
// default have empty parts.
struct ScriptField {
  std::string name;
  std::string annotation;
  std::string given;
};
// The fields of a class; nullopt where the program has no class of this name.
std::optional<std::vector<ScriptField>> fields_of_class(std::string_view program,
                                                        std::string_view name);
// The parameters of a function.
std::optional<std::vector<ScriptField>> parameters_of(std::string_view program,
                                                      std::string_view name);
// Names that lines without indentation set.
std::vector<ScriptField> globals_of(std::string_view program);

}  // namespace hone::cli
