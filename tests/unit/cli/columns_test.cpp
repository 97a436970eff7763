// Every column of a list names a member of the reply that it shows.
#include "sdk/cli/commands/look/columns.hpp"

#include <fstream>
#include <map>
#include <sstream>

#include "sdk/cpp/yaml_document.hpp"
#include "tests/unit/cli/given.hpp"

namespace hone::cli {
namespace {

Json read_schema(const std::string& name) {
  std::ifstream stream(std::string(HONE_SOURCE_DIR) + "/schemas/" + name);
  std::stringstream text;
  text << stream.rdbuf();
  auto document = parse_yaml(text.str(), name);
  EXPECT_TRUE(document.ok()) << name;
  return document.ok() ? std::move(document->json) : Json::object();
}

// Finds members in schemas/openapi.yaml and the schemas that it refers to.
class Schemas {
 public:
  bool has(const Json& schema, const std::vector<std::string>& path, std::size_t at = 0) {
    if (at == path.size()) return true;
    if (schema.contains("$ref")) return has(referred(schema["$ref"]), path, at);
    for (const char* kind : {"anyOf", "allOf"})
      if (schema.contains(kind))
        for (const Json& choice : schema[kind])
          if (has(choice, path, at)) return true;
    return schema.contains("properties") && schema["properties"].contains(path[at]) &&
           has(schema["properties"][path[at]], path, at + 1);
  }
  const Json& document(const std::string& file) {
    const auto found = documents_.find(file);
    return found != documents_.end() ? found->second
                                     : documents_.emplace(file, read_schema(file)).first->second;
  }

 private:
  // "#/components/schemas/x" of openapi.yaml, "v1/x.json", "v1/common.json#/$defs/x".
  const Json& referred(const std::string& target) {
    const auto hash = target.find('#');
    const std::string file = target.substr(0, hash);
    const Json& whole = document(file.empty() ? "openapi.yaml" : file);
    return hash == std::string::npos ? whole
                                     : whole.at(Json::json_pointer(target.substr(hash + 1)));
  }
  std::map<std::string, Json> documents_;
};

std::vector<std::string> parts_of(const std::string& pointer) {
  std::vector<std::string> parts;
  std::istringstream stream(pointer.substr(1));
  for (std::string part; std::getline(stream, part, '/');) parts.push_back(part);
  return parts;
}

struct ListSchema {
  const char* list;
  const char* file;
  const char* schema;  // of one item
  Fields columns;
};

std::vector<ListSchema> lists() {
  const auto find = [](const char* kind) { return find_columns(kind); };
  const char* api = "openapi.yaml";
  return {
      {"ls", api, "/components/schemas/sweep", sweep_columns()},
      {"trials", api, "/components/schemas/trial", trial_columns()},
      {"runs", api, "/components/schemas/run", run_columns()},
      {"attempts", api, "/components/schemas/attempts/properties/items/items", attempt_columns()},
      {"files", api, "/components/schemas/artifacts/properties/items/items", artifact_columns()},
      {"models", api, "/components/schemas/model", model_columns()},
      {"workers", api, "/components/schemas/worker", worker_columns()},
      {"tokens", api, "/components/schemas/token", token_columns()},
      {"events", api, "/components/schemas/events/properties/items/items", event_columns()},
      {"best", api, "/components/schemas/bests/properties/items/items", best_columns()},
      {"pareto", api, "/components/schemas/pareto/properties/items/items", pareto_columns()},
      {"best by cost", api, "/components/schemas/bests/properties/items/items", front_columns()},
      {"incumbent", api, "/components/schemas/trial", incumbent_columns()},
      {"curve", api, "/components/schemas/curve/properties/items/items", report_columns()},
      {"explain", api, "/components/schemas/explanation/properties/verdicts/items",
       verdict_columns(true)},
      {"confirm", api, "/components/schemas/confirmation/properties/items/items",
       confirmation_columns()},
      {"importance", api, "/components/schemas/importance/properties/items/items",
       importance_columns()},
      {"ask", "v1/ask_reply.json", "", asked_columns()},
      {"find sweep", api, "/components/schemas/sweep", find("sweep")},
      {"find trial", api, "/components/schemas/trial", find("trial")},
      {"find run", api, "/components/schemas/run", find("run")},
      {"find model", api, "/components/schemas/model", find("model")},
      {"find attempt", api, "/components/schemas/attempts/properties/items/items", find("attempt")},
      {"find dataset", api, "/components/schemas/dataset", find("dataset")},
      {"find workflow", api, "/components/schemas/workflow", find("workflow")},
      {"find report", api, "/components/schemas/found_report", find("report")},
      {"find metric", api, "/components/schemas/found_metric", find("metric")},
      {"find artifact", api, "/components/schemas/found_artifact", find("artifact")},
      {"find evaluation", api, "/components/schemas/evaluation", find("evaluation")},
      {"find worker", api, "/components/schemas/worker", find("worker")}};
}

TEST(Columns, name_members_of_the_schemas) {
  Schemas schemas;
  for (const auto& [list, file, pointer, columns] : lists()) {
    const Json& schema = schemas.document(file).at(Json::json_pointer(pointer));
    ASSERT_FALSE(columns.empty()) << list;
    for (const Field& column : columns) {
      if (!column.computed) {
        EXPECT_TRUE(schemas.has(schema, parts_of(column.pointer)))
            << list << ": " << column.pointer << " is not in the schema";
      }
    }
  }
}

TEST(Columns, that_the_cli_computes_are_marked_as_such) {
  Schemas schemas;
  for (const auto& [list, file, pointer, columns] : lists()) {
    const Json& schema = schemas.document(file).at(Json::json_pointer(pointer));
    for (const Field& column : columns) {
      if (column.computed) {
        EXPECT_FALSE(schemas.has(schema, parts_of(column.pointer)))
            << list << ": " << column.pointer;
      }
    }
  }
}

TEST(Columns, have_one_name_each) {
  for (const auto& [list, file, pointer, columns] : lists()) {
    std::map<std::string, int> in_table, in_data;
    for (const Field& column : columns) {
      if (column.where != Where::data_only) ++in_table[column.name];
      if (column.where != Where::table_only) ++in_data[column.name];
    }
    for (const auto& names : {in_table, in_data})
      for (const auto& [name, count] : names) EXPECT_EQ(count, 1) << list << ": " << name;
  }
}

// The members of the first item that a reply lacks.
std::vector<std::string> absent_in(const Json& items, const Fields& columns) {
  EXPECT_FALSE(items.empty());
  std::vector<std::string> absent;
  for (const Field& column : columns)
    if (!column.computed && !items.empty() &&
        !items.front().contains(Json::json_pointer(column.pointer)))
      absent.push_back(column.pointer);
  return absent;
}

TEST(Columns, name_members_of_real_replies) {
  ServedApi server;
  finish_sweep(server.api);
  const std::vector<std::string> none;
  const auto items = [&](const std::string& path) { return server.api.get(path)["items"]; };
  EXPECT_EQ(absent_in(items("/v1/sweeps"), sweep_columns()), none);
  EXPECT_EQ(absent_in(items("/v1/sweeps/sw_1/trials"), trial_columns()), none);
  EXPECT_EQ(absent_in(items("/v1/sweeps/sw_1/runs"), run_columns()), none);
  EXPECT_EQ(absent_in(items("/v1/runs/rn_1.0/attempts"), attempt_columns()), none);
  EXPECT_EQ(absent_in(items("/v1/sweeps/sw_1/best"), best_columns()), none);
  // Only reports of several objectives have further values.
  const std::vector<std::string> further{"/further"};
  EXPECT_EQ(absent_in(items("/v1/runs/rn_1.0/curve"), report_columns()), further);
  EXPECT_EQ(absent_in(items("/v1/find?where=report"), find_columns("report")), further);
  EXPECT_EQ(absent_in(items("/v1/trials/tr_1/curve"), band_columns()), none);
  EXPECT_EQ(absent_in(items("/v1/events"), {event_columns()[0], event_columns()[2]}), none);
  EXPECT_EQ(absent_in(server.api.get("/v1/trials/tr_1/explain")["verdicts"], verdict_columns(true)),
            none);
  // Only a workflow that its user named has these.
  EXPECT_EQ(absent_in(items("/v1/find?where=workflow"), find_columns("workflow")),
            (std::vector<std::string>{"/name", "/version", "/description"}));
  for (const char* kind : {"sweep", "trial", "run", "attempt", "worker"})
    EXPECT_EQ(absent_in(items(std::string("/v1/find?where=") + kind), find_columns(kind)), none)
        << kind;
}

TEST(Columns, selects_by_name_and_shows_the_selection_everywhere) {
  const Fields selected = select(trial_columns(), {"runs", "id"});
  ASSERT_EQ(selected.size(), 2U);
  EXPECT_EQ(selected[0].pointer, "/runs");
  EXPECT_EQ(selected[0].where, Where::everywhere);
  EXPECT_EQ(selected[1].pointer, "/id");
}

}  // namespace
}  // namespace hone::cli
