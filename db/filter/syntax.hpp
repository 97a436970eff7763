// The syntax of the filter language. compile.hpp checks whether a filter makes sense.
//
//   filter  := [kind] ["where"] [either]
//   either  := both {"or" both}
//   both    := one {"and" one}
//   one     := "not" one
//            | "(" either ")"
//            | field
//            | field op value
//            | field ["not"] "in" "(" value {"," value} ")"
//   field   := name {"." name}
//   op      := "=" | "!=" | "<" | "<=" | ">" | ">=" | "~"
//   value   := word | number | "text" | 'text'
//
// A `*` in a word matches any characters. docs/knowledge.md lists the fields.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace hone::filter {

enum class Op { equal, differs, less, at_most, more, at_least, holds };

struct Literal {
  std::string text;
  bool quoted = false;
  std::size_t at = 0;  // its first character, counted in bytes from 0
};

struct Comparison {
  std::vector<std::string> field;  // params, gamma
  std::size_t at = 0;
  Op op = Op::equal;
  std::size_t op_at = 0;
  std::vector<Literal> values;  // none: is the field set?; several: in
};

struct Term {
  enum class Kind { comparison, all, any, negation };
  Kind kind = Kind::comparison;
  Comparison comparison{};
  std::vector<Term> parts{};  // of all and any; a negation has one
};

struct Filter {
  std::string kind;  // empty if it names none
  std::size_t kind_at = 0;
  std::vector<Term> terms;  // all of them must hold
};

// Refusals name the place: error.at is "/where:17", the character counted from 0.
Result<Filter> parse(std::string_view text);

Error fault(std::size_t at, std::string detail);

}  // namespace hone::filter
