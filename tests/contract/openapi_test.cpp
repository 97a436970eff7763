// schemas/openapi.yaml against the table of routes, and against the files and components that it
// names.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "sdk/cpp/yaml_document.hpp"
#include "server/api/router.hpp"
#include "tests/contract/row_schemas.hpp"

namespace hone {
namespace {

std::filesystem::path schemas() { return std::filesystem::path(HONE_SOURCE_DIR) / "schemas"; }

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

Json read(const std::filesystem::path& file) {
  auto document = parse_yaml(text_of(file), file.filename().string());
  EXPECT_TRUE(document.ok()) << (document.ok() ? "" : document.error().detail);
  return document.ok() ? std::move(document->json) : Json::object();
}

std::string upper(std::string word) {
  for (auto& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return word;
}

std::set<std::string> routes_of_the_table() {
  std::set<std::string> routes;
  for (const auto& row : api::describe_routes())
    routes.insert(upper(row.at("method").get<std::string>()) + " " +
                  row.at("path").get<std::string>());
  return routes;
}

std::set<std::string> routes_of(const Json& openapi) {
  std::set<std::string> routes;
  for (const auto& [path, item] : openapi.at("paths").items())
    for (const auto& [verb, operation] : item.items())
      if (verb != "parameters") routes.insert(upper(verb) + " " + path);
  return routes;
}

std::map<std::string, std::string> scopes_of_the_table() {
  std::map<std::string, std::string> scopes;
  for (const auto& row : api::describe_routes())
    scopes[upper(row.at("method").get<std::string>()) + " " + row.at("path").get<std::string>()] =
        row.at("scopes").get<std::string>();
  return scopes;
}

// The scopes that each operation names, as "read worker"; "" where it is open to all.
std::map<std::string, std::string> scopes_of(const Json& openapi) {
  std::map<std::string, std::string> scopes;
  for (const auto& [path, item] : openapi.at("paths").items())
    for (const auto& [verb, operation] : item.items()) {
      if (verb == "parameters") continue;
      auto& words = scopes[upper(verb) + " " + path];
      for (const auto& choice : operation.at("security"))
        for (const auto& scope : choice.value("token", Json::array()))
          words += (words.empty() ? "" : " ") + scope.get<std::string>();
    }
  return scopes;
}

// Every {"$ref": target} below a document.
void collect_refs(const Json& json, std::set<std::string>& refs) {
  if (json.is_object() && json.contains("$ref")) refs.insert(json.at("$ref").get<std::string>());
  if (json.is_structured())
    for (const auto& member : json) collect_refs(member, refs);
}

// refs of the document in `file`: "#/pointer", "other.json" or "other.json#/pointer".
void expect_targets(const std::filesystem::path& file) {
  std::set<std::string> refs;
  collect_refs(read(file), refs);
  for (const auto& ref : refs) {
    const auto hash = ref.find('#');
    const auto name = ref.substr(0, hash);
    const auto target = name.empty() ? file : file.parent_path() / name;
    ASSERT_TRUE(std::filesystem::exists(target)) << file << " names " << ref;
    const auto pointer = hash == std::string::npos ? std::string() : ref.substr(hash + 1);
    EXPECT_TRUE(read(target).contains(Json::json_pointer(pointer))) << file << " names " << ref;
  }
}

// Sets the lines of a component. False if there is no such component.
bool set_component(std::string& text, const std::string& name, const std::string& lines) {
  const std::string title = "\n    " + name + ":\n";
  const auto found = text.find(title, text.find("\n  schemas:\n"));
  if (found == std::string::npos) return false;
  const auto begin = found + title.size();
  auto end = begin;
  while (text.compare(end, 6, "      ") == 0) end = text.find('\n', end) + 1;
  text.replace(begin, end - begin, lines);
  return true;
}

// HONE_REWRITE=1 writes the schemas of rows in place of comparing them.
TEST(OpenApi, has_the_schemas_of_rows_that_their_descriptions_print) {
  const auto file = schemas() / "openapi.yaml";
  const std::string text = text_of(file);
  std::string wanted = text;
  for (const auto& [name, lines] : row::row_schemas())
    EXPECT_TRUE(set_component(wanted, name, lines)) << "no component " << name;
  if (std::getenv("HONE_REWRITE") != nullptr) std::ofstream(file) << wanted;
  EXPECT_EQ(text_of(file), wanted) << "run HONE_REWRITE=1 schemas_contract_test";
}

TEST(OpenApi, describes_exactly_the_routes_there_are) {
  EXPECT_EQ(routes_of(read(schemas() / "openapi.yaml")), routes_of_the_table());
}

TEST(OpenApi, names_the_scopes_that_each_route_needs) {
  EXPECT_EQ(scopes_of(read(schemas() / "openapi.yaml")), scopes_of_the_table());
}

TEST(OpenApi, names_only_what_there_is) {
  expect_targets(schemas() / "openapi.yaml");
  for (const auto& schema : std::filesystem::directory_iterator(schemas() / "v1"))
    expect_targets(schema.path());
}

}  // namespace
}  // namespace hone
