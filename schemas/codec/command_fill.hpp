// The words of a command with the values of a trial in the place of their "${...}".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/trainer_spec.hpp"

namespace hone {

// The value of a name; nullopt where the trial has none.
using ValueOf = std::function<std::optional<Value>(const std::string& name)>;
// The refusal of a name that needs a value and has none.
using Missing = std::function<Error(const std::string& name)>;

// A value as a program reads it: 0.001, 8, true, relu, [64,64], null.
std::string value_text(const Value& value);

// The words that a word becomes: none where it is left out, several for a list (Filling). Refuses
// with invalid a name without a value or fallback, through `missing`. A negative number that is a
// word by itself is written without an exponent: argparse takes -1e-05 for an option.
Result<std::vector<std::string>> filled_word(const std::string& word, const ValueOf& value_of,
                                             const Missing& missing);

// The same of all words of a command.
Result<std::vector<std::string>> filled_words(const std::vector<std::string>& words,
                                              const ValueOf& value_of, const Missing& missing);

// The words by which a style passes a parameter; none if it is not passed by words.
std::vector<std::string> passed_words(const Param& param, ParamStyle style);

}  // namespace hone
