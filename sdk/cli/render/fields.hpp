// How a JSON object becomes a row: which members are shown, under which name and in which manner.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/codec/json.hpp"
#include "schemas/types/instant.hpp"
#include "sdk/cli/render/table.hpp"

namespace hone::cli {

// phase: an index from 0, which people count from 1 (as `hone explain` does).
enum class Manner {
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

enum class Where { everywhere, table_only, data_only };  // data: csv and value

struct Field {
  std::string name;     // title, csv header and word for --columns
  std::string pointer;  // JSON pointer into the item
  Manner manner = Manner::text;
  Where where = Where::everywhere;
  bool optional = false;  // may be left out of a narrow table
  int least = 8;          // long_text and params: not cut shorter than this
};

using Fields = std::vector<Field>;

// The member, or null where there is none.
const Json& member(const Json& item, const std::string& pointer);

// For people.
Cell cell_of(const Field& field, const Json& item, Instant now);
// For programs: text as it is, null as nothing, objects as JSON.
std::string raw_of(const Field& field, const Json& item);

// Each params field becomes one field for every parameter that occurs in the items.
Fields with_params_apart(const Fields& fields, const std::vector<Json>& items);

// "learning_rate=0.001 t_max=8".
std::string params_text(const Json& params);

// A parameter's value, a setting, a fact: numbers to four significant digits, strings as they are.
std::string value_text(const Json& value);

Table table_of(const Fields& fields, const std::vector<Json>& items, Instant now);

}  // namespace hone::cli
