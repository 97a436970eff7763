// The descriptions of schemas/codec against schemas/v1: every object of every good case has the
// same fields, the same required ones and the same words and bounds in both. What a decoder knows
// is read from its refusals.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/unit/codec/decoders.hpp"

namespace hone {
namespace {

using Names = std::set<std::string>;
using Pointer = Json::json_pointer;

// A schema and the file that its "#/..." refer to.
struct Schema {
  std::string file;
  Json json;
};

const Json& document_of(const std::string& file) {
  static std::map<std::string, Json> files;
  auto& json = files[file];
  if (json.is_null()) json = json_of(schemas_folder() / "v1" / file);
  return json;
}

bool has_all(const Json& properties, const Json& object) {
  for (const auto& [key, value] : object.items())
    if (!properties.contains(key)) return false;
  return true;
}

bool is_closed(const Json& schema) {
  return schema.value("additionalProperties", Json(true)) == Json(false);
}

bool describes(const Schema& schema, const Json& value) {
  if (value.is_array()) return schema.json.contains("items");
  if (!value.is_object()) return !schema.json.contains("properties");
  return schema.json.contains("properties") &&
         (!is_closed(schema.json) || has_all(schema.json.at("properties"), value));
}

// Follows $ref, and of anyOf and oneOf the alternative that the value is of.
Schema resolved(Schema schema, const Json& value) {
  while (schema.json.contains("$ref")) {
    const auto reference = schema.json.at("$ref").get<std::string>();
    const auto hash = reference.find('#');
    if (hash != 0) schema.file = reference.substr(0, hash);
    const auto inside = hash == std::string::npos ? "" : reference.substr(hash + 1);
    schema.json = document_of(schema.file).at(Pointer(inside));
  }
  for (const char* choice : {"anyOf", "oneOf"}) {
    if (!schema.json.contains(choice) || schema.json.contains("properties")) continue;
    for (const Json& one : schema.json.at(choice)) {
      auto found = resolved({schema.file, one}, value);
      if (describes(found, value)) return found;
    }
  }
  return schema;
}

// One document that a decoder reads, and what may be changed in it.
class Probe {
 public:
  Probe(Decoder decoder, Json document) : decoder_(decoder), document_(std::move(document)) {}

  int run(const Schema& schema) {
    strict_ = is_closed(schema.json);
    walk(schema, document_, Pointer());
    return objects_;
  }

 private:
  void walk(const Schema& from, const Json& value, const Pointer& at) {
    const Schema schema = resolved(from, value);
    if (value.is_array() && schema.json.contains("items"))
      for (std::size_t i = 0; i < value.size(); ++i)
        walk({schema.file, schema.json.at("items")}, value[i], at / i);
    if (!value.is_object() || !schema.json.contains("properties")) return;
    SCOPED_TRACE("the object at '" + at.to_string() + "'");
    if (strict_) check_fields(schema, at);
    if (strict_) check_required(schema, value, at);
    for (const auto& [key, member] : value.items()) {
      if (!schema.json.at("properties").contains(key)) continue;
      const Schema property{schema.file, schema.json.at("properties").at(key)};
      check_scalar(resolved(property, member).json, member, at / key);
      walk(property, member, at / key);
    }
  }

  // A field that nothing resembles is refused with a list of all that there are.
  void check_fields(const Schema& schema, const Pointer& at) {
    if (!is_closed(schema.json)) return;
    Json changed = document_;
    changed[at]["zzzzzzzzzzzz"] = 1;
    const auto error = decoder_(changed);
    ASSERT_TRUE(error) << "read an unknown field";
    Names known, described;
    for (const auto& [key, value] : schema.json.at("properties").items())
      if (value != Json(false)) described.insert(key);
    std::stringstream list(
        error->detail.substr(std::min(error->detail.find("there is ") + 9, error->detail.size())));
    for (std::string name; std::getline(list >> std::ws, name, ',');) known.insert(name);
    if (error->detail.ends_with("there is none here")) known.clear();
    EXPECT_EQ(known, described) << error->detail;
    ++objects_;
  }

  void check_required(const Schema& schema, const Json& value, const Pointer& at) {
    for (const Json& required : schema.json.value("required", Json::array())) {
      const auto key = required.get<std::string>();
      if (!value.contains(key) || value.at(key).is_null()) continue;
      Json changed = document_;
      changed[at].erase(key);
      EXPECT_TRUE(decoder_(changed)) << key << " is required";
    }
  }

  // Words and bounds: the schema's next value outside is refused there.
  void check_scalar(const Json& schema, const Json& value, const Pointer& at) {
    if (schema.contains("enum") && value.is_string()) {
      Names words;
      for (const Json& word : schema.at("enum"))
        if (word.is_string()) words.insert(word.get<std::string>());
      const auto error = expect_refused(at, "no such word");
      for (const auto& word : words)
        EXPECT_NE(error.find(word), std::string::npos) << error << " lacks " << word;
    }
    if (!strict_) return;
    if (value.is_number_integer() && schema.contains("minimum"))
      expect_refused(at, schema.at("minimum").get<std::int64_t>() - 1);
    if (value.is_number_integer() && schema.contains("maximum"))
      expect_refused(at, schema.at("maximum").get<std::int64_t>() + 1);
    if (value.is_string() && schema.contains("maxLength"))
      expect_refused(at, std::string(schema.at("maxLength").get<std::size_t>() + 1, 'a'));
    if (value.is_array() && schema.contains("maxItems") && !value.empty())
      expect_refused(at, Json(schema.at("maxItems").get<std::size_t>() + 1, value[0]));
  }

  std::string expect_refused(const Pointer& at, Json value) {
    Json changed = document_;
    changed[at] = std::move(value);
    const auto error = decoder_(changed);
    EXPECT_TRUE(error) << at << " may not be " << changed[at].dump().substr(0, 80);
    return error ? error->detail : "";
  }

  Decoder decoder_;
  Json document_;
  bool strict_ = true;  // a reply may come from a newer server: more is read than it should hold
  int objects_ = 0;
};

TEST(Schemas, describe_what_the_decoders_read) {
  int objects = 0;
  for (const auto& file : std::filesystem::directory_iterator(schemas_folder() / "cases"))
    for (const auto& row : json_of(file.path())) {
      const auto name = row.at("schema").get<std::string>();
      if (!row.contains("ok") || !decoders().contains(name)) continue;
      SCOPED_TRACE(name + ": " + row.at("name").get<std::string>());
      const Json document = row.at("value");
      if (name == "problem" || decoders().at(name)(document)) continue;
      objects +=
          Probe(decoders().at(name), document).run({name + ".json", document_of(name + ".json")});
    }
  EXPECT_GE(objects, 100);
}

}  // namespace
}  // namespace hone
