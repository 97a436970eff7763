// Prints the result of a command in the format the user chose. JSON output is a contract: the
// server's reply, unchanged; a list is an array, jsonl is one item a line.
#pragma once

#include <string>
#include <vector>

#include "schemas/codec/json.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/session/command.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// Prints a list. `when_empty` replaces an empty table, on stderr: what is missing and how to get
// it.
Result<Exit> print_list(Session& session, const Fields& fields, const std::vector<Json>& items,
                        const std::string& when_empty);

// Prints one object. `table` is its text for people. The other formats print the object; csv and
// value print the columns of --columns (a.b for a member of a member), else its plain members.
Result<Exit> print_object(Session& session, const Json& object, const std::string& table);

// A table with one column for each parameter if that fits, else with one for all parameters.
std::string table_text(const Fields& fields, const std::vector<Json>& items, const Screen& screen);
// That table, or its markup where the session's format is md or latex.
std::string list_text(const Session& session, const Fields& fields, const std::vector<Json>& items);

// The names of the columns that print_list shows on this screen: a legend explains no other.
std::vector<std::string> shown_columns(const Session& session, const Fields& fields,
                                       const std::vector<Json>& items);

// "label   value" lines, the labels aligned, long values wrapped.
struct RecordLine {
  std::string label;
  std::string value;
  Ink ink = Ink::plain;
};
std::string record_text(const std::vector<RecordLine>& lines, const Screen& screen);

}  // namespace hone::cli
