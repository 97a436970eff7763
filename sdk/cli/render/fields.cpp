#include "sdk/cli/render/fields.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/expect.hpp"
#include "schemas/codec/body.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

constexpr const char* absent = "-";

bool is_right_aligned(CellType type) {
  switch (type) {
    case CellType::score:
    case CellType::number:
    case CellType::phase:
    case CellType::count:
    case CellType::bytes:
    case CellType::ago:
    case CellType::seconds:
      return true;
    case CellType::text:
    case CellType::long_text:
    case CellType::state:
    case CellType::params:
      return false;
  }
  unreachable();
}

Cell score_cell(const Json& value) {
  if (value.is_number()) return {number_text(value.get<double>())};
  return {value_text(value), Ink::bad};
}

Cell time_cell(const Json& value, Instant now) {
  const auto then = value.is_string() ? parse_rfc3339(value.get<std::string>()) : std::nullopt;
  return {then ? ago_text(*then, now) : value_text(value)};
}

// A sweep has at most 1000 parameters (schemas/codec/space_codec.cpp); a table of more columns
// would cost the square of their number.
constexpr std::size_t param_columns_max = 1000;

// None if there are more than that.
std::optional<std::vector<std::string>> names_in(const std::vector<Json>& items,
                                                 const std::string& pointer) {
  std::vector<std::string> names;
  std::set<std::string, std::less<>> known;
  for (const auto& item : items) {
    const Json& params = member(item, pointer);
    if (!params.is_object()) continue;
    for (const auto& [name, value] : params.items()) {
      if (!known.insert(name).second) continue;
      if (known.size() > param_columns_max) return std::nullopt;
      names.push_back(name);
    }
  }
  return names;
}

// Values of one parameter line up to the right when they are all numbers.
bool all_numbers(const Field& field, const std::vector<Json>& items) {
  return std::all_of(items.begin(), items.end(), [&](const Json& item) {
    const Json& value = member(item, field.pointer);
    return value.is_null() || value.is_number();
  });
}

// A parameter may be null; one that is absent has no member.
bool is_null_parameter(const Field& field, const Json& item) {
  const Json::json_pointer place(field.pointer);
  return field.pointer.find("params/") != std::string::npos && item.contains(place) &&
         item.at(place).is_null();
}

}  // namespace

const Json& member(const Json& item, const std::string& pointer) {
  static const Json null;
  const Json::json_pointer place(pointer);
  return item.contains(place) ? item.at(place) : null;
}

std::string value_text(const Json& value) {
  if (value.is_null()) return absent;
  if (value == "not_reached") return "not reached";
  if (value.is_string()) return printable(value.get_ref<const std::string&>());
  if (value.is_number_float()) return number_text(value.get<double>());
  if (value.is_object()) return params_text(value);
  return printable(to_text(value));
}

std::string exact_text(const Json& value) {
  return value.is_string() ? value_text(value) : to_text(value);
}

std::string pointer_to(const std::string& name) {
  std::string pointer = "/";
  for (const char c : name) pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return pointer;
}

std::string range_text(const Json& range) {
  if (!range.is_array() || range.size() != 2) return {};
  return value_text(range[0]) + " .. " + value_text(range[1]);
}

std::string params_text(const Json& params) {
  if (!params.is_object()) return value_text(params);
  std::string out;
  for (const auto& [name, value] : params.items()) {
    if (!out.empty()) out += ' ';
    out += printable(name) + "=" + (value.is_null() ? "null" : value_text(value));
  }
  return out;
}

Cell cell_of(const Field& field, const Json& item, Instant now) {
  const Json& value = member(item, field.pointer);
  if (is_null_parameter(field, item)) return {"null"};
  if (value.is_null()) return {is_right_aligned(field.type) ? absent : ""};
  switch (field.type) {
    case CellType::text:
    case CellType::long_text:
      return {value_text(value)};
    case CellType::state:
      return {value_text(value), ink_of_state(value_text(value))};
    case CellType::score:
      return score_cell(value);
    case CellType::number:
      return {value_text(value)};
    case CellType::phase:
      return {value.is_number_integer() ? std::to_string(int_at(item, field.pointer) + 1)
                                        : value_text(value)};
    case CellType::count:
      return {value.is_number_integer() ? count_text(value.get<std::int64_t>())
                                        : value_text(value)};
    case CellType::bytes:
      return {value.is_number_integer() ? bytes_text(value.get<std::int64_t>())
                                        : value_text(value)};
    case CellType::ago:
      return time_cell(value, now);
    case CellType::seconds:
      if (!value.is_number()) return {value_text(value)};
      return {duration_text(duration_of(value.get<double>()))};
    case CellType::params:
      return {params_text(value)};
  }
  unreachable();
}

std::string raw_of(const Field& field, const Json& item) {
  const Json& value = member(item, field.pointer);
  if (is_null_parameter(field, item)) return "null";
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (field.type == CellType::phase && value.is_number_integer())
    return std::to_string(int_at(item, field.pointer) + 1);
  return to_text(value);
}

Fields with_param_columns(const Fields& fields, const std::vector<Json>& items) {
  Fields out;
  std::set<std::string> taken;
  for (const auto& field : fields)
    if (field.type != CellType::params) taken.insert(field.name);
  for (const auto& field : fields) {
    if (field.type != CellType::params) {
      out.push_back(field);
      continue;
    }
    const auto names = names_in(items, field.pointer);
    if (!names) out.push_back(field);
    for (const auto& name : names.value_or(std::vector<std::string>{})) {
      // params.value, next to the column value; and params.params.value next to both.
      const std::string prefix = field.pointer.substr(field.pointer.rfind('/') + 1) + ".";
      std::string title = name;
      while (!taken.insert(title).second) title.insert(0, prefix);
      Field column{title, field.pointer + pointer_to(name)};
      column.where = field.where;
      column.type = all_numbers(column, items) ? CellType::number : CellType::text;
      out.push_back(column);
    }
  }
  return out;
}

Table table_of(const Fields& fields, const std::vector<Json>& items, Instant now) {
  Table table;
  for (const auto& field : fields) {
    const bool flexible = field.type == CellType::long_text || field.type == CellType::params;
    const Align align = is_right_aligned(field.type) ? Align::right : Align::left;
    table.columns.push_back({field.name, align, flexible ? field.least : 0, field.optional});
  }
  for (const auto& item : items) {
    std::vector<Cell> row;
    for (const auto& field : fields) row.push_back(cell_of(field, item, now));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace hone::cli
