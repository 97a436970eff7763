#include "server/cluster/table.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "schemas/values/number.hpp"

namespace hone::cluster {

std::optional<double> number_of(std::string_view text) { return read_finite_number(text); }

std::vector<std::string_view> split(std::string_view line, char by) {
  std::vector<std::string_view> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(by, at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return cells;
}

void for_each_line(std::string_view text, const std::function<bool(std::string_view)>& each) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && !each(line)) return;
    at = end + 1;
  }
}

Status for_each_row(std::string_view text, const std::vector<std::string_view>& columns,
                    const std::function<bool(const std::vector<std::string_view>&)>& each) {
  std::vector<std::size_t> places;
  bool complete = false;
  for_each_line(text, [&](std::string_view line) {
    const auto cells = csv_cells(line);
    if (!places.empty()) {
      std::vector<std::string_view> row;
      for (const std::size_t place : places)
        row.push_back(place < cells.size() ? std::string_view(cells[place]) : std::string_view());
      return each(row);
    }
    complete = true;
    for (const std::string_view column : columns) {
      const auto found = std::find(cells.begin(), cells.end(), column);
      if (found == cells.end()) complete = false;
      places.push_back(static_cast<std::size_t>(found - cells.begin()));
    }
    return complete;
  });
  if (complete) return Done{};
  std::string names;
  for (const std::string_view column : columns)
    names.append(names.empty() ? "" : ", ").append(column);
  return refuse(Code::invalid, "needs the columns " + names);
}

}  // namespace hone::cluster
