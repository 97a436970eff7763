// Turns a JSON object into a row: which members are shown, under which name and how.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/codec/json.hpp"
#include "schemas/types/instant.hpp"
#include "sdk/cli/render/table.hpp"

namespace hone::cli {

// phase: an index from 0, shown to people counting from 1.
enum class CellType {
  text,
  long_text,
  state,
  score,
  number,
  phase,
  count,
  bytes,
  ago,
  seconds,
  params
};

// data_only: csv and value.
enum class Where { everywhere, table_only, data_only };

struct Field {
  std::string name;     // title, csv header and name for --columns
  std::string pointer;  // JSON pointer into the item
  CellType type = CellType::text;
  Where where = Where::everywhere;
  bool optional = false;  // may be left out of a narrow table
  int least = 8;          // long_text and params: not cut shorter than this
  bool computed = false;  // added to the item by the CLI; every other member is the server's
};

using Fields = std::vector<Field>;

// Returns the member, or null if there is none.
const Json& member(const Json& item, const std::string& pointer);

// The cell for people.
Cell cell_of(const Field& field, const Json& item, Instant now);
// The value for programs: text as it is, null as nothing, objects as JSON.
std::string raw_of(const Field& field, const Json& item);

// Replaces each params field by one field for every parameter that occurs in the items. No two
// fields have one name: a parameter called as another column becomes params.NAME.
Fields with_param_columns(const Fields& fields, const std::vector<Json>& items);

// "/name" as a part of a pointer, whatever characters the name has.
std::string pointer_to(const std::string& name);

// "1.5 .. 2" of a list of two; "" of anything else.
std::string range_text(const Json& range);

// "learning_rate=0.001 t_max=8".
std::string params_text(const Json& params);

// A value for people: numbers to four significant digits, strings as they are.
std::string value_text(const Json& value);
// All digits of a parameter, to be copied into a command.
std::string exact_text(const Json& value);

Table table_of(const Fields& fields, const std::vector<Json>& items, Instant now);

}  // namespace hone::cli
