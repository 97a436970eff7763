// Sweeps of other tools as sweep files of hone. A translation is a first draft for a person to
// read: each place whose meaning changed carries a remark, and what could not be translated is
// named.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone {

struct Import {
  Json sweep = Json::object();
  std::map<std::string, std::string> remarks;  // by JSON pointer into the sweep
  std::vector<std::string> lost;               // what could not be translated, one sentence each
};

// Reads a file that the imported one names, relative to it.
using Sibling = std::function<Result<Json>(const std::string& name)>;

struct ImportFormat {
  std::string_view name;
  std::string_view summary;
  // Refuses a document that is not of this format; error.at is a pointer into the document.
  Result<Import> (*translate)(const Json& document, const Sibling& sibling);
};

std::span<const ImportFormat> import_formats();
// nullptr where there is none of that name.
const ImportFormat* find_import_format(std::string_view name);

// The sweep file as YAML, the remarks as comments above the lines they speak of.
std::string import_text(const Import& import, std::string_view origin);

}  // namespace hone
