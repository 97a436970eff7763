#include "sdk/cli/session/output.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/nearest.hpp"
#include "base/shown.hpp"
#include "base/text.hpp"
#include "sdk/cli/render/markup_table.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

Fields kept(const Fields& fields, Where dropped) {
  Fields out;
  for (const auto& field : fields)
    if (field.where != dropped) out.push_back(field);
  return out;
}

// best.value -> /best/value
std::string pointer_of_path(const std::string& path) {
  std::string pointer = "/";
  for (const char c : path)
    pointer += c == '.' ? "/" : c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return pointer;
}

bool occurs(const std::string& pointer, const std::vector<Json>& items) {
  const Json::json_pointer place(pointer);
  return std::any_of(items.begin(), items.end(),
                     [&](const Json& item) { return item.contains(place); });
}

Error no_such_column(const std::string& name, const Fields& fields) {
  std::vector<std::string_view> names;
  std::string known;
  for (const auto& field : fields) {
    names.push_back(field.name);
    known += (known.empty() ? "" : ", ") + field.name;
  }
  return refuse(Code::invalid, "unknown column '" + name + "'" + did_you_mean(name, names) +
                                   "; the columns are " + known);
}

// The fields named by --columns: columns of the command, else any member of the items.
Result<Fields> chosen(const std::vector<std::string>& columns, const Fields& fields,
                      const std::vector<Json>& items) {
  Fields out;
  for (const auto& name : columns) {
    const auto known = std::find_if(fields.begin(), fields.end(),
                                    [&](const Field& field) { return field.name == name; });
    if (known != fields.end())
      out.push_back(*known);
    else if (occurs(pointer_of_path(name), items))
      out.push_back({name, pointer_of_path(name)});
    else if (!items.empty())
      return no_such_column(name, fields);
  }
  return out;
}

Json picked(const Fields& fields, const Json& item) {
  Json out = Json::object();
  for (const auto& field : fields) out[field.name] = member(item, field.pointer);
  return out;
}

std::string line_of_values(const Fields& fields, const Json& item) {
  std::string line;
  for (const auto& field : fields) {
    if (&field != &fields.front()) line += '\t';
    line += raw_of(field, item);
  }
  return line + "\n";
}

std::string as_csv(const Fields& fields, const std::vector<Json>& items) {
  std::vector<std::string> cells;
  for (const auto& field : fields) cells.push_back(spreadsheet_cell(field.name));
  std::string out = csv_line(cells);
  for (const auto& item : items) {
    cells.clear();
    for (const auto& field : fields) cells.push_back(spreadsheet_cell(raw_of(field, item)));
    out += csv_line(cells);
  }
  return out;
}

void print_json(Session& session, const std::vector<Json>& items, const Fields& only) {
  Json all = Json::array();
  for (const auto& item : items) all.push_back(only.empty() ? item : picked(only, item));
  if (session.options().format == Format::json) {
    session.print_json(to_pretty_text(all) + "\n");
    return;
  }
  for (const auto& item : all) session.print_json(to_text(item) + "\n");
}

Fields plain_members(const Json& object) {
  Fields fields;
  for (const auto& [name, value] : object.items())
    if (!value.is_structured()) fields.push_back({name, "/" + name});
  return fields;
}

// With one column for each parameter if that fits, else with one for all parameters.
Table fitting_table(const Fields& fields, const std::vector<Json>& items, const Screen& screen) {
  const Instant t = now();
  Table expanded = without_empty_columns(table_of(with_param_columns(fields, items), items, t));
  if (least_natural_width(expanded) <= screen.columns) return expanded;
  return without_empty_columns(table_of(fields, items, t));
}

std::string in_markup(const Table& table, Format format) {
  return format == Format::latex ? latex_of(table) : markdown_of(table);
}

// A row for each field of one object.
Table record_table(const Fields& fields, const Json& object) {
  Table table{{{"field"}, {"value"}}, {}};
  for (const Field& field : fields) table.rows.push_back({{field.name}, {raw_of(field, object)}});
  return table;
}

}  // namespace

std::string table_text(const Fields& fields, const std::vector<Json>& items, const Screen& screen) {
  return render(fitting_table(fields, items, screen), screen);
}

std::string list_text(const Session& session, const Fields& fields,
                      const std::vector<Json>& items) {
  const Format format = session.options().format;
  if (format != Format::md && format != Format::latex)
    return table_text(fields, items, session.screen());
  const Screen without_edge{.columns = std::numeric_limits<int>::max(), .unicode = true};
  return in_markup(fitting_table(fields, items, without_edge), format);
}

std::vector<std::string> shown_columns(const Session& session, const Fields& fields,
                                       const std::vector<Json>& items) {
  if (!session.options().columns.empty()) return session.options().columns;
  const Screen& screen = session.screen();
  return shown_titles(fitting_table(kept(fields, Where::data_only), items, screen), screen);
}

Result<Exit> print_list(Session& session, const Fields& fields, const std::vector<Json>& items,
                        const std::string& when_empty) {
  const CommonOptions& options = session.options();
  const Fields expanded = with_param_columns(fields, items);
  auto only = chosen(options.columns, expanded, items);
  if (!only) return only.error();
  switch (options.format) {
    case Format::json:
    case Format::jsonl:
      print_json(session, items, *only);
      break;
    case Format::csv:
      session.print(as_csv(only->empty() ? kept(expanded, Where::table_only) : *only, items));
      break;
    case Format::value:
      if (only->empty()) only = Fields{fields.front()};
      for (const auto& item : items) session.print(line_of_values(*only, item));
      break;
    case Format::md:
    case Format::latex:
    case Format::table:
    case Format::curves:  // only of hone export, which prints it by itself
      if (items.empty())
        session.note(when_empty);
      else
        session.print(
            list_text(session, only->empty() ? kept(fields, Where::data_only) : *only, items));
      break;
  }
  return Exit::ok;
}

Result<Exit> print_object(Session& session, const Json& object, const std::string& table) {
  const CommonOptions& options = session.options();
  if (options.format == Format::table && options.columns.empty()) {
    session.print(table);
    return Exit::ok;
  }
  const Fields members = plain_members(object);
  const auto only = chosen(options.columns, members, {object});
  if (!only) return only.error();
  const Fields& shown = only->empty() ? members : *only;
  switch (options.format) {
    case Format::md:
    case Format::latex:
      session.print(in_markup(record_table(shown, object), options.format));
      break;
    case Format::table:
    case Format::curves:
      session.print(list_text(session, shown, {object}));
      break;
    case Format::json:
      session.print_json(to_pretty_text(only->empty() ? object : picked(*only, object)) + "\n");
      break;
    case Format::jsonl:
      session.print_json(to_text(only->empty() ? object : picked(*only, object)) + "\n");
      break;
    case Format::csv:
      session.print(as_csv(shown, {object}));
      break;
    case Format::value:
      session.print(line_of_values(shown, object));
      break;
  }
  return Exit::ok;
}

std::string record_text(const std::vector<RecordLine>& lines, const Screen& screen) {
  int width = 0;
  for (const auto& line : lines) width = std::max(width, display_width(line.label));
  const std::string indent(static_cast<std::size_t>(width) + 2, ' ');
  std::string out;
  for (const auto& line : lines) {
    std::string value = wrapped(line.value, screen.columns, indent).substr(indent.size());
    out += paint(screen, Ink::dim, padded_right(line.label, width)) + "  " +
           paint(screen, line.ink, value) + "\n";
  }
  return out;
}

}  // namespace hone::cli
