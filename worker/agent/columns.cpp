#include "worker/agent/columns.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"
#include "schemas/values/number.hpp"
#include "worker/agent/trial_line.hpp"

namespace hone::worker {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::size_t quoted_cell_max = 60;  // bytes of a text in a sentence

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The first of the usual delimiters that the line has; blanks if it has none.
char delimiter_of(std::string_view line) {
  for (const char c : {',', ';', '\t'})
    if (line.find(c) != std::string_view::npos) return c;
  return ' ';
}

// Removes one field from the front of `rest`, up to the delimiter.
std::string take_field(std::string_view& rest, char delimiter) {
  std::string field;
  bool quoted = false;
  while (!rest.empty() && (quoted || rest.front() != delimiter)) {
    if (rest.front() != '"') {
      field += rest.front();
    } else if (quoted && rest.substr(1).starts_with('"')) {
      field += '"';
      rest.remove_prefix(1);
    } else {
      quoted = !quoted;
    }
    rest.remove_prefix(1);
  }
  return field;
}

// "a.b" of {"a": {"b": 1}}, or of {"a.b": 1}.
const Json* member(const Json& object, std::string_view path) {
  if (!object.is_object()) return nullptr;
  if (const auto found = object.find(path); found != object.end()) return &*found;
  const auto dot = path.find('.');
  if (dot == std::string_view::npos) return nullptr;
  const auto inner = object.find(path.substr(0, dot));
  return inner == object.end() ? nullptr : member(*inner, path.substr(dot + 1));
}

bool has_any(const ColumnReader::Row& row) {
  return std::any_of(row.begin(), row.end(), [](const auto& one) { return one.has_value(); });
}

}  // namespace

std::vector<std::string> csv_fields(std::string_view line, char delimiter) {
  std::vector<std::string> fields;
  if (delimiter == ' ') {
    for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
      const auto end = std::min(line.find_first_of(blanks), line.size());
      fields.emplace_back(line.substr(0, end));
      line.remove_prefix(end);
    }
    return fields;
  }
  for (;;) {
    fields.emplace_back(trimmed(take_field(line, delimiter)));
    if (line.empty()) return fields;
    line.remove_prefix(1);
  }
}

ColumnReader::ColumnReader(const CollectSpec& spec, std::vector<std::string> wanted)
    : format_(spec.format),
      wanted_(std::move(wanted)),
      needed_(std::max<std::size_t>(spec.objectives.size(), 1) + (spec.step.empty() ? 0 : 1)),
      columns_(spec.columns) {
  for (const auto& text : spec.patterns)
    if (auto pattern = LinePattern::make(text)) patterns_.push_back(*std::move(pattern));
  restart();
}

void ColumnReader::restart() {
  named_ = false;
  delimiter_ = 0;
  if (!columns_.empty()) take_names(columns_);
}

bool ColumnReader::read(std::string_view line, Row& row, std::string& fault) {
  row.assign(wanted_.size(), std::nullopt);
  fault.clear();
  if (trimmed(line).empty()) return false;
  switch (format_) {
    case CollectFormat::csv:
      return read_csv(line, row, fault);
    case CollectFormat::jsonl:
      return read_json(line, row, fault);
    case CollectFormat::regex:
      return read_pattern(line, row, fault);
    case CollectFormat::tensorboard:  // its records are no lines
      return false;
  }
  return false;
}

bool ColumnReader::read_csv(std::string_view line, Row& row, std::string& fault) {
  if (delimiter_ == 0) delimiter_ = delimiter_of(line);
  const auto fields = csv_fields(line, delimiter_);
  if (!named_) {
    take_names(fields);
    if (named_) return false;
    delimiter_ = 0;  // other lines of output may precede the header
    fault = "it does not name the column '" + wanted_.front() + "'";
    return false;
  }
  if (fields == columns_) return false;
  const auto at = *places_.front();
  const bool is_row = at < fields.size() && read_number(fields[at]);
  if (!is_row && std::ranges::find(fields, wanted_.front()) != fields.end()) {
    take_names(fields);  // another header, of a program that began again
    return false;
  }
  for (std::size_t i = 0; i < wanted_.size(); ++i)
    if (places_[i] && *places_[i] < fields.size()) put(i, fields[*places_[i]], row, fault);
  if (!row.front() && fault.empty())
    fault = "it has no number in the column '" + wanted_.front() + "'";
  return has_any(row);
}

// A header has at least the first of the wanted columns.
void ColumnReader::take_names(const std::vector<std::string>& names) {
  places_.assign(wanted_.size(), std::nullopt);
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const auto found = std::find(names.begin(), names.end(), wanted_[i]);
    if (found != names.end()) places_[i] = static_cast<std::size_t>(found - names.begin());
  }
  named_ = !places_.empty() && places_.front().has_value();
}

// Reads one field. A text that is no number is a fault of the objective, and of the step.
void ColumnReader::put(std::size_t i, std::string_view text, Row& row, std::string& fault) {
  if (is_no_value(text)) return;
  row[i] = read_number(text);
  if (row[i] || i >= needed_) return;
  std::string words = "'" + std::string(text.substr(0, quoted_cell_max)) + "' in '" + wanted_[i] +
                      "' is not a number";
  if (i == 0 && unreadable_.empty()) unreadable_ = words;
  if (fault.empty()) fault = std::move(words);
}

bool ColumnReader::read_json(std::string_view line, Row& row, std::string& fault) {
  if (!trimmed(line).starts_with('{')) return false;  // other output
  const auto json = parse_program_json(line);
  if (!json) {
    fault = json.error().detail;
    return false;
  }
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const Json* value = member(*json, wanted_[i]);
    if (value == nullptr || value->is_null()) continue;
    if (row[i] = number_in(*value); row[i]) continue;
    put(i, value->is_string() ? value->get_ref<const std::string&>() : to_text(*value), row, fault);
  }
  return has_any(row);
}

bool ColumnReader::read_pattern(std::string_view line, Row& row, std::string& fault) {
  for (const auto& pattern : patterns_) {
    if (!pattern.search(line, found_)) continue;
    for (std::size_t i = 0; i < wanted_.size(); ++i)
      for (std::size_t j = 0; j < found_.size(); ++j)
        if (pattern.names()[j] == wanted_[i] && !found_[j].empty()) put(i, found_[j], row, fault);
  }
  return has_any(row);
}

}  // namespace hone::worker
