// The answer of a command, in the format the user asked for. JSON output is a contract: what the
// server said, unchanged; a list is an array, jsonl one item a line.
#pragma once

#include <string>
#include <vector>

#include "schemas/codec/json.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/session/command.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// `when_empty` is said, on stderr, in place of an empty table: what is missing and how to fill it.
Result<Exit> print_list(Session& session, const Fields& fields, const std::vector<Json>& items,
                        const std::string& when_empty);

// One object. `table` is what people see (asked for only when it is needed); the other formats
// print the object, and csv and value the columns asked for (a.b for a member of a member), else
// its plain members.
Result<Exit> print_object(Session& session, const Json& object, const std::string& table);

// Parameters as columns of their own where that fits, else all in one.
std::string table_text(const Fields& fields, const std::vector<Json>& items, const Screen& screen);

// "label   value" lines, the labels aligned, long values wrapped.
struct RecordLine {
  std::string label;
  std::string value;
  Ink ink = Ink::plain;
};
std::string record_text(const std::vector<RecordLine>& lines, const Screen& screen);

}  // namespace hone::cli
