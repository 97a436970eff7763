#include "worker/agent/trial_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "base/nearest.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/metric.hpp"
#include "schemas/values/number.hpp"

namespace hone::worker {

std::optional<double> number_in(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return read_number(value.get_ref<const std::string&>());
  if (value.is_array() && value.size() == 1) return number_in(value.front());  // of tolist()
  return std::nullopt;
}

namespace {

constexpr std::string_view output_mark = "@hone ";

// Reads the members of one line by name; keeps the first fault.
class Members {
 public:
  Members(const Json& object, std::string at, std::span<const std::string_view> known)
      : object_(object), at_(std::move(at)) {
    if (!object_.is_object()) {
      fault("must be an object", {});
      return;
    }
    for (const auto& [key, value] : object_.items())
      if (std::find(known.begin(), known.end(), key) == known.end())
        fault("is not known here" + did_you_mean(key, known), key);
  }

  std::string text(std::string_view key) {
    const Json* value = find(key);
    if (value != nullptr && value->is_string() && !value->get_ref<const std::string&>().empty())
      return value->get<std::string>();
    fault("must be a text", key);
    return {};
  }

  std::int64_t count(std::string_view key) {
    const auto count = count_in(find(key));
    if (!count) fault("must be a whole number from 0", key);
    return count.value_or(0);
  }

  std::optional<int> optional_index(std::string_view key) {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (const auto count = count_in(value); count && *count <= std::numeric_limits<int>::max())
      return static_cast<int>(*count);
    fault("must be a whole number from 0", key);
    return std::nullopt;
  }

  std::optional<bool> optional_truth(std::string_view key) {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (value->is_boolean()) return value->get<bool>();
    fault("must be true or false", key);
    return std::nullopt;
  }

  std::optional<double> optional_time(std::string_view key) {
    if (find(key) == nullptr) return std::nullopt;
    const double time = number(key);
    if (time < 0) fault("must not be negative", key);
    return time;
  }

  double number(std::string_view key) {
    const Json* value = find(key);
    const auto number = value == nullptr ? std::nullopt : number_in(*value);
    if (number && std::isfinite(*number)) return *number;
    fault("must be a finite number", key);
    return 0;
  }

  Score score(std::string_view key) {
    const Json* value = find(key);
    const auto number = value == nullptr ? std::nullopt : number_in(*value);
    if (number) return Score::of(*number);
    if (value == nullptr || *value != "diverged") fault("must be a number or \"diverged\"", key);
    return Score::diverged();
  }

  // A list of scores; empty if the key is absent.
  std::vector<Score> scores(std::string_view key) {
    const Json* list = find(key);
    std::vector<Score> found;
    if (list == nullptr) return found;
    if (!list->is_array()) fault("must be a list of numbers", key);
    for (const Json& one : *list) {
      const auto number = number_in(one);
      if (!number && one != "diverged") fault("must be a list of numbers or \"diverged\"", key);
      found.push_back(number ? Score::of(*number) : Score::diverged());
    }
    return found;
  }

  template <class T>
  Result<TrialLine> settle(T value) {
    if (fault_) return *fault_;
    return TrialLine{std::move(value)};
  }

  void fault(const std::string& what, std::string_view key) {
    if (fault_) return;
    const std::string subject = key.empty() ? "it" : "'" + std::string(key) + "'";
    fault_ = refuse(Code::invalid, subject + " " + what,
                    at_ + (key.empty() ? "" : "/" + std::string(key)));
  }

 private:
  // 400, and as Python and NumPy also write it: 400.0, "400".
  static std::optional<std::int64_t> count_in(const Json* value) {
    constexpr std::int64_t exact_max = (std::int64_t{1} << 53U) - 1;  // that of the server
    if (value == nullptr) return std::nullopt;
    if (value->is_number_integer())
      return *value >= 0 && *value <= exact_max ? std::optional(value->get<std::int64_t>())
                                                : std::nullopt;
    const auto number = number_in(*value);
    const bool whole = number && *number >= 0 && *number <= static_cast<double>(exact_max) &&
                       std::floor(*number) == *number;
    return whole ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
  }

  const Json* find(std::string_view key) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  const Json& object_;
  std::string at_;
  std::optional<Error> fault_;
};

Result<TrialLine> parse_report(const Json& json) {
  static constexpr std::array<std::string_view, 7> known{
      "phase", "step", "value", "further", "seed_applied", "seconds", "cpu_seconds"};
  Members members(json, "/report", known);
  ReportLine line{members.optional_index("phase"),
                  members.count("step"),
                  members.score("value"),
                  members.scores("further"),
                  members.optional_truth("seed_applied"),
                  members.optional_time("seconds"),
                  members.optional_time("cpu_seconds")};
  return members.settle(line);
}

Result<TrialLine> parse_checkpoint(const Json& json) {
  static constexpr std::array<std::string_view, 3> known{"path", "step", "phase"};
  Members members(json, "/checkpoint", known);
  CheckpointLine line{members.text("path"), members.count("step"), members.optional_index("phase")};
  return members.settle(std::move(line));
}

Result<TrialLine> parse_metric(const Json& json) {
  static constexpr std::array<std::string_view, 3> known{"name", "step", "value"};
  Members members(json, "/metric", known);
  MetricPoint point{members.text("name"), members.count("step"), members.number("value")};
  auto line = members.settle(point);
  if (!line) return line;
  // The rules of the server, which refuses a point with all others of its batch.
  const auto taken = decode_request<MetricPoint>(
      Json{{"name", point.name}, {"step", point.step}, {"value", point.value}});
  if (!taken)
    return refuse(Code::invalid, "'" + taken.error().at.substr(1) + "' " + taken.error().detail,
                  "/metric" + taken.error().at);
  return line;
}

}  // namespace

Result<TrialLine> parse_trial_line(std::string_view text) {
  static constexpr std::array<std::string_view, 3> known{"report", "checkpoint", "metric"};
  const auto json = parse_program_json(text);
  if (!json) return json.error();
  if (!json->is_object() || json->size() != 1)
    return refuse(Code::invalid,
                  "a line is an object with one member: report, checkpoint or metric");
  const auto member = json->begin();
  const std::string& key = member.key();
  const Json& body = member.value();
  if (key == "report") return parse_report(body);
  if (key == "checkpoint") return parse_checkpoint(body);
  if (key == "metric") return parse_metric(body);
  return refuse(Code::invalid,
                "'" + key + "' is not report, checkpoint or metric" + did_you_mean(key, known),
                "/" + key);
}

namespace {

Json score_json(const Score& score) {
  return score.is_diverged() ? Json("diverged") : Json(score.value());
}

Json line_json(const CheckpointLine& line) {
  Json json{{"path", line.path}, {"step", line.step}};
  if (line.phase) json["phase"] = *line.phase;
  return Json{{"checkpoint", std::move(json)}};
}

Json line_json(const ReportLine& line) {
  Json json{{"step", line.step}, {"value", score_json(line.score)}};
  if (line.phase) json["phase"] = *line.phase;
  for (const Score& score : line.further) json["further"].push_back(score_json(score));
  if (line.seed_applied) json["seed_applied"] = *line.seed_applied;
  if (line.seconds) json["seconds"] = *line.seconds;
  if (line.cpu_seconds) json["cpu_seconds"] = *line.cpu_seconds;
  return Json{{"report", std::move(json)}};
}

Json line_json(const MetricPoint& point) {
  return Json{{"metric", {{"name", point.name}, {"step", point.step}, {"value", point.value}}}};
}

}  // namespace

Result<TrialLine> parse_program_line(std::string_view text) {
  auto line = parse_trial_line(text);
  if (!line) return line;
  if (auto* report = std::get_if<ReportLine>(&*line)) report->seconds = report->cpu_seconds = {};
  const auto* point = std::get_if<MetricPoint>(&*line);
  if (point == nullptr || !point->name.starts_with(own_metric_prefix)) return line;
  return refuse(Code::invalid,
                "'name' begins with 'hone.': these metrics are measured by the worker; choose "
                "another name",
                "/metric/name");
}

std::string trial_line_text(const TrialLine& line) {
  return std::visit([](const auto& one) { return to_text(line_json(one)); }, line);
}

std::optional<std::string_view> hone_line(std::string_view text) {
  if (!text.starts_with(output_mark)) return std::nullopt;
  return text.substr(output_mark.size());
}

std::string trial_answer_text(const TrialAnswer& answer) {
  if (const auto* saved = std::get_if<Saved>(&answer))
    return to_text(Json{{"saved", {{"sha256", saved->sha256}}}});
  if (const auto* verdict = std::get_if<Verdict>(&answer))
    return to_text(Json{{"verdict", word(verdict->action)}, {"reason", word(verdict->reason)}});
  const auto& error = std::get<Error>(answer);
  return to_text(
      Json{{"error", {{"code", word(error.code)}, {"detail", error.detail}, {"at", error.at}}}});
}

}  // namespace hone::worker
