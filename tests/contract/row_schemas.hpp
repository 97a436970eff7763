// The schemas of rows, as schemas/openapi.yaml has them: printed from their descriptions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "db/queries/rows.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/codec/words.hpp"
#include "server/api/workers/explain_wait.hpp"
#include "server/api/workers/machine_history.hpp"
#include "server/api/workers/spans.hpp"

namespace hone::row {

// "string", or a reference to a schema.
inline std::string type_named(std::string_view schema) {
  const bool is_reference = schema.find('/') != std::string_view::npos;
  return is_reference ? "$ref: \"" + std::string(schema) + "\"" : "type: " + std::string(schema);
}
inline std::string common(std::string_view name) {
  return type_named("v1/common.json#/$defs/" + std::string(name));
}
inline std::string or_null(const std::string& type) {
  if (type.starts_with("type: ")) return "type: [" + type.substr(6) + ", \"null\"]";
  return "anyOf: [{" + type + "}, {type: \"null\"}]";
}

template <class E>
std::string type_of_words() {
  if constexpr (std::is_same_v<E, RunState>) return common("run_state");
  if constexpr (std::is_same_v<E, SweepState>) return common("sweep_state");
  if constexpr (std::is_same_v<E, EndReason>) return common("end_reason");
  if constexpr (std::is_same_v<E, Failure>) return common("failure");
  if constexpr (std::is_same_v<E, FleetRule>) return type_named("#/components/schemas/fleet_rule");
  std::string list;
  for (const auto& name : words_of<E>) list.append(list.empty() ? "" : ", ").append(name);
  return "enum: [" + list + "]";
}

template <class T>
std::string type_of(const T& member) {
  if constexpr (is_optional<T>) {
    return or_null(type_of(typename T::value_type()));
  } else if constexpr (std::is_enum_v<T>) {
    return type_of_words<T>();
  } else if constexpr (std::is_same_v<T, Instant>) {
    return common("time");
  } else if constexpr (std::is_same_v<T, Scopes>) {
    return "type: array, items: {" + common("scope") + "}";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "type: boolean";
  } else if constexpr (std::is_integral_v<T>) {
    return "type: integer";
  } else if constexpr (std::is_floating_point_v<T>) {
    return "type: number";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "type: string";
  } else if constexpr (std::is_same_v<T, RunId>) {
    return common("run_id");
  } else if constexpr (std::is_same_v<T, AttemptId>) {
    return common("attempt_id");
  } else {
    static const std::map<std::string, std::string_view> names{
        {"sw_", "sweep_id"},    {"tr_", "trial_id"},  {"md_", "model_id"}, {"ds_", "dataset_id"},
        {"wf_", "workflow_id"}, {"wk_", "worker_id"}, {"le_", "lease_id"}, {"tk_", "token_id"},
        {"fl_", "fleet_id"},    {"pi_", "pilot_id"}};
    return common(names.at(text(member).substr(0, 3)));
  }
}
template <>
inline std::string type_of(const Score&) {
  return type_named("#/components/schemas/result");
}

// Prints the members of a row.
class Describe {
 public:
  explicit Describe(std::size_t indent) : margin_(indent, ' ') {}

  Describe& operator()(std::string_view key, const auto& member, std::string_view,
                       std::string_view help = "", std::string_view schema = "") {
    return add(key, schema.empty() ? type_of(member) : type_named(schema), help);
  }
  Describe& cost(std::string_view key, const auto& member, std::string_view,
                 std::string_view help = "") {
    return add(key, type_of(member), help);
  }
  Describe& filled(std::string_view key, const std::string&, std::string_view,
                   std::string_view help = "", std::string_view schema = "string") {
    return add(key, or_null(type_named(schema)), help);
  }
  Describe& stored(std::string_view key, const std::string&, std::string_view,
                   std::string_view schema, std::string_view help, None none = None::null) {
    const auto type = type_named(schema);
    return add(key, none == None::null ? or_null(type) : type, help);
  }
  Describe& also(std::string_view key, const auto& member, std::string_view help = "") {
    return add(key, type_of(member), help);
  }
  Describe& computed(std::string_view key, std::string_view schema, std::string_view help = "") {
    return add(key, type_named(schema), help);
  }
  Describe& of_one(std::string_view key, std::string_view schema, std::string_view help = "") {
    line(key, type_named(schema), help.empty() ? "Of one; lists have none" : help);
    return *this;
  }
  template <class Row>
  Describe& nested(std::string_view key, const Row&, std::string_view help = "") {
    using Own = decltype(required(Row()));
    return object(key, is_optional<Row> ? "[object, \"null\"]" : "object", help, [](Describe& f) {
      Own row;
      fields(f, row);
    });
  }
  Describe& group(std::string_view key, const auto& members) {
    return object(key, "object", "", members);
  }
  Describe& goal(auto&&...) { return *this; }
  Describe& hidden(auto&&...) { return *this; }

  // The lines below the row's name.
  [[nodiscard]] std::string yaml(std::string_view type = "object") const {
    std::string list;
    for (const auto& key : required_) list += (list.empty() ? "" : ", ") + key;
    return margin_ + "type: " + std::string(type) + "\n" + margin_ + "properties:\n" + lines_ +
           margin_ + "required: [" + list + "]\n";
  }

 private:
  template <class T>
  static T required(const std::optional<T>&);
  template <class T>
  static T required(const T&);

  Describe& add(std::string_view key, const std::string& type, std::string_view help) {
    line(key, type, help);
    required_.emplace_back(key);
    return *this;
  }
  void line(std::string_view key, const std::string& type, std::string_view help) {
    lines_ += margin_ + "  " + std::string(key) + ": {" + type;
    if (!help.empty()) lines_ += ", description: " + Json(help).dump();
    lines_ += "}\n";
  }
  Describe& object(std::string_view key, std::string_view type, std::string_view help,
                   const auto& members) {
    Describe part(margin_.size() + 4);
    members(part);
    lines_ += margin_ + "  " + std::string(key) + ":\n";
    if (!help.empty()) lines_ += margin_ + "    description: " + Json(help).dump() + "\n";
    lines_ += part.yaml(type);
    required_.emplace_back(key);
    return *this;
  }

  std::string margin_;
  std::string lines_;
  std::vector<std::string> required_;
};

template <class Row>
std::string schema_of() {
  Describe describe(6);
  Row row;
  fields(describe, row);
  return describe.yaml();
}

// By the names of the components.
inline std::map<std::string, std::string> row_schemas() {
  return {{"sweep", schema_of<SweepRow>()},
          {"trial", schema_of<TrialRow>()},
          {"ranked_trial", schema_of<BestRow>()},
          {"run", schema_of<RunRow>()},
          {"attempt", schema_of<AttemptRow>()},
          {"artifact", schema_of<ArtifactRow>()},
          {"metric", schema_of<MetricRow>()},
          {"metric_name", schema_of<MetricNameRow>()},
          {"model", schema_of<ModelRow>()},
          {"worker", schema_of<WorkerRow>()},
          {"token", schema_of<TokenRow>()},
          {"fleet", schema_of<FleetRow>()},
          {"pilot", schema_of<PilotRow>()},
          {"attempt_span", schema_of<api::SpanRow>()},
          {"busy_span", schema_of<api::BusyRow>()},
          {"slot_seconds", schema_of<api::SlotTimeRow>()},
          {"machine_point", schema_of<api::MachinePoint>()},
          {"waiting_sweep", schema_of<api::WaitRow>()},
          {"slot_holder", schema_of<api::HolderRow>()}};
}

}  // namespace hone::row
