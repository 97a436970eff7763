#include "sdk/cli/commands/results/measuring.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "schemas/codec/command_fill.hpp"
#include "schemas/values/number.hpp"
#include "sdk/cli/local/conversation.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/output.hpp"

namespace hone::cli {
namespace {

constexpr std::size_t measured_values_max = 10'000;  // that the server accepts in one evaluation
constexpr std::size_t measured_metrics_max = 100;    // each becomes an evaluation
constexpr std::size_t metric_name_bytes_max = 100;   // as the server's
constexpr std::string_view hone_line = "@hone ";

Status add_value(Measurements& found, const std::string& metric, const Json& value) {
  const auto number = value.is_string()   ? read_number(value.get_ref<const std::string&>())
                      : value.is_number() ? std::optional(value.get<double>())
                                          : std::nullopt;
  if (!number || !std::isfinite(*number))
    return refuse(Code::conflict, "it reported a " + metric + " that is not a number: " +
                                      to_text(value) + "; nothing is recorded");
  auto known = std::ranges::find(found, metric, &Measurements::value_type::first);
  if (known == found.end() && found.size() == measured_metrics_max)
    return refuse(Code::conflict,
                  "it reported more than " + std::to_string(measured_metrics_max) + " metrics");
  if (known == found.end()) known = found.insert(found.end(), {metric, {}});
  if (known->second.size() == measured_values_max)
    return refuse(Code::conflict, "it reported more than " + std::to_string(measured_values_max) +
                                      " values of " + metric);
  known->second.push_back(*number);
  return Done{};
}

Status take_line(Measurements& found, const std::string& line, const std::string& metric) {
  const auto json = parse_program_json(line.substr(hone_line.size()));
  if (!json || !json->is_object())
    return refuse(Code::conflict, "it printed an @hone line that is no JSON object: " + line);
  if (json->contains("report")) return add_value(found, metric, member(*json, "/report/value"));
  const std::string name = text_at(*json, "/metric/name");
  const bool is_name = !name.empty() && name.size() <= metric_name_bytes_max &&
                       std::ranges::none_of(name, [](unsigned char one) { return one < 0x20; });
  if (!is_name)
    return refuse(Code::conflict, "its @hone lines must be reports or metrics, not " + line);
  return add_value(found, name, member(*json, "/metric/value"));
}

}  // namespace

Result<std::vector<std::string>> evaluation_words(const std::vector<std::string>& words,
                                                  const Params& values) {
  return filled_words(
      words,
      [&](const std::string& name) {
        const Value* value = find(values, name);
        return value == nullptr ? std::nullopt : std::optional(*value);
      },
      [](const std::string& name) {
        return refuse(Code::invalid, "evaluate: names ${" + name +
                                         "}, which this trial does not have; write ${" + name +
                                         ":-value} for a parameter that may be absent");
      });
}

Result<Measurements> measure(Session& session, const std::vector<std::string>& argv,
                             const std::string& metric, bool sandbox) {
  auto started = Conversation::start(argv, sandbox);
  if (!started) return started.error();
  Measurements found;
  for (;;) {
    const auto line = (*started)->hear(seconds(1));
    if (!line && (*started)->ended_well()) break;
    if (!line)
      return refuse(Code::conflict, "the sweep's evaluate: command failed: " + line.error().detail);
    if (!*line) continue;
    if (!(*line)->starts_with(hone_line)) {
      session.note(**line);
      continue;
    }
    if (auto taken = take_line(found, **line, metric); !taken)
      return refuse(taken.error().code, "the sweep's evaluate: command: " + taken.error().detail);
  }
  if (found.empty())
    return refuse(Code::conflict,
                  "the sweep's evaluate: command reported nothing: it prints a line "
                  "@hone {\"report\": {\"value\": 1.5}} for each episode");
  return found;
}

}  // namespace hone::cli
