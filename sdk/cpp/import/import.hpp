// Translates sweeps of other tools into sweep files. A translation is a draft for the user to
// check: each place whose meaning changed has a remark, and everything untranslated is listed.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone {

// A part of the foreign document that was not translated.
struct Untranslated {
  // A JSON pointer into the document, or FILE#POINTER into a file that the document names.
  std::string at;
  std::string sentence;  // which part, and why or what to do instead
};

struct ImportedSpec {
  Json sweep = Json::object();
  std::map<std::string, std::string> remarks;  // by JSON pointer into the sweep
  std::vector<Untranslated> lost;
  std::vector<std::pair<std::string, std::string>> names;  // of the parameters: theirs and hone's
};

// Reads a file that the imported one names, relative to it.
using Sibling = std::function<Result<Json>(const std::string& name)>;

struct ImportFormat {
  std::string_view name;
  std::string_view summary;
  // Rejects a document of another format; error.at is written as Untranslated::at.
  Result<ImportedSpec> (*translate)(const Json& document, const Sibling& sibling);
};

std::span<const ImportFormat> import_formats();
// Returns nullptr if no format has that name.
const ImportFormat* find_import_format(std::string_view name);

// The sweep file as YAML, with the remarks as comments above their lines.
std::string import_text(const ImportedSpec& import, std::string_view origin);

}  // namespace hone
