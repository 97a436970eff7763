// schema: prints the JSON schema of sweep files, for editors and other programs.
#include <nlohmann/json.hpp>

#include "base/expect.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/start/sweep_schema.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {
namespace {

// Lets the references that begin with `from` begin with `to`.
void redirect(Json& node, const std::string& from, const std::string& to) {
  for (auto& [key, value] : node.items())
    if (key == "$ref" && value.is_string() && value.get_ref<std::string&>().starts_with(from))
      value = to + value.get<std::string>().substr(from.size());
    else if (value.is_structured())
      redirect(value, from, to);
}

// schemas/v1/sweep.json with the definitions of common.json inside: editors follow no reference to
// another file.
Json whole_schema() {
  auto sweep = parse_json(sweep_schema_text), common = parse_json(common_schema_text);
  if (!sweep || !common) unreachable();  // a test validates files with them
  redirect(*common, "#/$defs/", "#/$defs/common/$defs/");
  redirect(*sweep, "common.json#/$defs/", "#/$defs/common/$defs/");
  (*sweep)["$defs"]["common"]["$defs"] = std::move((*common)["$defs"]);
  return *std::move(sweep);
}

struct SchemaOptions {};

Result<Exit> schema(Session& session, const SchemaOptions&) {
  session.print_json(to_pretty_text(whole_schema()) + "\n");
  return Exit::ok;
}

}  // namespace

CommandAction declare_schema(Flags&) {
  return with_options(schema, [](SchemaOptions&) {});
}

}  // namespace hone::cli
