#include "sdk/cli/commands/look/worker_texts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/spark.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

constexpr int label_columns = 12;  // "mem waits", "slot 16"
constexpr int number_columns = 24;
constexpr int columns_least = 16;
constexpr int lanes_max = 64;  // rows of a screen

// The interval of the history, cut into the columns of a line.
struct Window {
  Instant from, to;
  int columns = 40;

  // The first column of an instant; columns beyond the window too.
  [[nodiscard]] int column(Instant at) const {
    const auto whole = std::max(1.0, static_cast<double>((to - from).us));
    const double share = static_cast<double>((at - from).us) / whole;
    return static_cast<int>(std::floor(std::clamp(share, -1.0, 2.0) * columns));
  }
};

Window window_of(const Json& history, const Shown& shown) {
  const auto from = time_at(history, "/from"), to = time_at(history, "/to");
  const int columns =
      std::max(columns_least, shown.screen.columns - label_columns - number_columns);
  return {from.value_or(Instant{}), to.value_or(Instant{}), columns};
}

std::string as_percent(double share) {
  return std::to_string(std::lround(std::clamp(share, 0.0, 1.0) * 100)) + " %";
}

std::optional<double> real_at(const Json& item, const std::string& pointer) {
  const Json& value = member(item, pointer);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

// A measured series by column: the mean of the points that cover it. `scale` makes a share of it.
struct Series {
  std::vector<std::optional<double>> shares;
  std::optional<double> newest;
};

Series series_of(const Json& machine, const std::string& name, double scale, const Window& window) {
  std::vector<double> sums(static_cast<std::size_t>(window.columns));
  std::vector<int> counts(sums.size());
  Series series;
  for (const Json& point : member(machine, "/points")) {
    const auto value = real_at(point, "/" + name);
    const auto from = time_at(point, "/from");
    if (!value || !from || scale <= 0) continue;
    series.newest = *value / scale;
    const Duration length = hone::cli::duration_of(number_at(point, "/seconds"));
    const int first = std::max(0, window.column(*from));
    const int last = std::min(window.columns - 1, window.column(*from + length - Duration{1}));
    for (int column = first; column <= last; ++column) {
      sums[static_cast<std::size_t>(column)] += *value / scale;
      ++counts[static_cast<std::size_t>(column)];
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i)
    series.shares.push_back(counts[i] == 0 ? std::nullopt : std::optional(sums[i] / counts[i]));
  return series;
}

std::string row(const std::string& label, const std::string& line, const std::string& numbers,
                const Shown& shown) {
  return paint(shown.screen, Ink::dim, padded_right(label, label_columns)) + line +
         (numbers.empty() ? "" : "  " + numbers) + "\n";
}

std::string series_row(const std::string& label, const Series& series, const std::string& numbers,
                       const Shown& shown) {
  return series.newest ? row(label, spark(series.shares, shown.screen.unicode), numbers, shown)
                       : std::string();
}

// Empty where no process ever waited for more than a moment.
std::string pressure_row(const Json& machine, const std::string& label, const std::string& name,
                         const Window& window, const Shown& shown) {
  constexpr double worth_a_line = 0.01;
  const Series series = series_of(machine, name, 1, window);
  const bool waits = std::ranges::any_of(
      series.shares, [](const auto& share) { return share && *share >= worth_a_line; });
  return waits ? series_row(label, series, as_percent(*series.newest) + " of the time", shown) : "";
}

std::string machine_text(const Json& history, const Window& window, const Shown& shown) {
  const Json& machine = member(history, "/machine");
  if (!machine.is_object() || member(machine, "/points").empty())
    return row("machine", "nothing was measured in this time", "", shown);
  const double cores = number_at(machine, "/cores");
  const auto memory = int_at(machine, "/memory");
  const Series cpu = series_of(machine, "cpu", 1, window);
  std::string text = series_row("cpu", cpu,
                                as_percent(cpu.newest.value_or(0)) + " of " + number_text(cores) +
                                    (cores == 1 ? " core" : " cores"),
                                shown);
  const Series used = series_of(machine, "memory", static_cast<double>(memory), window);
  text += series_row("memory", used,
                     as_percent(used.newest.value_or(0)) + " of " + bytes_text(memory), shown);
  text += pressure_row(machine, "cpu waits", "cpu_pressure", window, shown);
  text += pressure_row(machine, "mem waits", "memory_pressure", window, shown);
  text += pressure_row(machine, "disk waits", "io_pressure", window, shown);
  const Series gpu = series_of(machine, "gpu", 1, window);
  return text + series_row("gpu", gpu, as_percent(gpu.newest.value_or(0)) + " busy", shown);
}

// Letters of sweeps, in the order in which they appear.
class Letters {
 public:
  char of(const std::string& sweep) {
    const auto [known, is_new] = letters_.try_emplace(sweep, next_);
    if (is_new) {
      order_.push_back(sweep);
      next_ = next_ == 'z' ? 'z' : static_cast<char>(next_ + 1);
    }
    return known->second;
  }
  [[nodiscard]] std::string legend() const {
    std::string text;
    for (const std::string& sweep : order_)
      text += (text.empty() ? "" : ", ") + std::string(1, letters_.at(sweep)) + " " + sweep;
    return text;
  }

 private:
  std::map<std::string, char> letters_;
  std::vector<std::string> order_;
  char next_ = 'a';
};

bool is_bad_end(const std::string& reason) {
  static const std::set<std::string> bad{"worker_lost", "retries_exhausted", "exit_code", "signal",
                                         "disk_limit",  "cannot_start",      "diverged"};
  return bad.contains(reason);
}

void mark(std::string& lane, const Window& window, Instant from, Instant to, char letter) {
  const int first = std::max(0, window.column(from));
  const int last = std::min(window.columns - 1, std::max(first, window.column(to - Duration{1})));
  for (int column = first; column <= last; ++column)
    lane[static_cast<std::size_t>(column)] = letter;
}

using Lanes = std::map<int, std::string>;

std::string& lane_of(Lanes& lanes, std::int64_t number, const Window& window) {
  const int lane = static_cast<int>(std::clamp<std::int64_t>(number, 0, lanes_max - 1));
  return lanes.try_emplace(lane, static_cast<std::size_t>(window.columns), '.').first->second;
}

// Many short attempts first: a longer one that shares a column with them is seen.
Lanes lanes_of(const Json& history, const Window& window, Letters& letters) {
  Lanes lanes;
  for (std::int64_t lane = 0; lane < std::min<std::int64_t>(lanes_max, int_at(history, "/slots"));
       ++lane)
    lane_of(lanes, lane, window);
  for (const Json& busy : member(history, "/busy")) {
    const auto from = time_at(busy, "/from"), to = time_at(busy, "/to");
    if (!from || !to) continue;
    const std::string sweep = text_at(busy, "/sweeps/0/sweep");
    const bool of_one = member(busy, "/sweeps").size() == 1;
    mark(lane_of(lanes, int_at(busy, "/lane"), window), window, *from, *to,
         of_one ? letters.of(sweep) : '~');
  }
  for (const Json& span : member(history, "/items")) {
    const auto from = time_at(span, "/from");
    const Instant to = time_at(span, "/to").value_or(window.to);
    if (!from) continue;
    const char letter = letters.of(text_at(span, "/sweep"));
    for (const Json& number : member(span, "/lanes")) {
      std::string& lane = lane_of(lanes, int_at(number, ""), window);
      mark(lane, window, *from, to, letter);
      if (is_bad_end(text_at(span, "/reason"))) mark(lane, window, to - Duration{1}, to, '!');
    }
  }
  return lanes;
}

std::string lanes_text(const Json& history, const Window& window, const Shown& shown) {
  Letters letters;
  std::string text;
  for (const auto& [number, lane] : lanes_of(history, window, letters))
    text += row("slot " + std::to_string(number + 1), lane, "", shown);
  const std::string begin = clock_text(window.from).substr(11, 8);
  const std::string end = clock_text(window.to).substr(11, 8) + " UTC";
  const int gap = window.columns - static_cast<int>(begin.size() + end.size());
  text += row("", begin + std::string(static_cast<std::size_t>(std::max(1, gap)), ' ') + end, "",
              shown);
  std::string legend = letters.legend();
  if (text.find('~') != std::string::npos) legend += ", ~ short runs of several sweeps";
  if (text.find('!') != std::string::npos) legend += ", ! failed, lost or diverged";
  if (!legend.empty())
    text +=
        wrapped(legend + ", . idle", shown.screen.columns, std::string(label_columns, ' ')) + "\n";
  return text;
}

std::string slots_text(const Json& history, const Shown& shown) {
  std::string text;
  if (const auto idle = real_at(history, "/slot_seconds/idle"))
    text += row("idle", as_percent(*idle) + " of its slots' time", "", shown);
  std::string held;
  for (const Json& one : member(history, "/held"))
    held += (held.empty() ? "" : ", ") + text_at(one, "/sweep") + " " +
            counted(int_at(one, "/slots"), "slot");
  return text + row("held by", held.empty() ? "no run" : held, "", shown);
}

std::string waiting_text(const Json& history, const Shown& shown) {
  std::string text;
  for (const Json& one : member(history, "/waiting")) {
    std::string line = text_at(one, "/sweep") + " (" + text_at(one, "/name") + ")";
    if (const auto queued = int_at(one, "/queued"); queued > 0)
      line += ", " + counted(queued, "queued run");
    line += ": " + text_at(one, "/why") + ".";
    if (const auto story = text_at(one, "/story"); !story.empty()) line += " " + story;
    const std::string margin(label_columns, ' ');
    const std::string lines = wrapped(line, shown.screen.columns, margin);
    const auto begin = std::min(lines.find_first_not_of(' '), lines.size());
    text += row(text.empty() ? "waits" : "", lines.substr(begin), "", shown);
  }
  if (const auto more = int_at(history, "/waiting_left_out"); more > 0)
    text += row("", "and " + counted(more, "further sweep"), "", shown);
  return text;
}

}  // namespace

std::string worker_history_text(const Json& history, const Shown& shown) {
  const Window window = window_of(history, shown);
  return machine_text(history, window, shown) + lanes_text(history, window, shown) +
         slots_text(history, shown) + waiting_text(history, shown);
}

}  // namespace hone::cli
