// A sweep file in YAML or JSON, with the line of each field.
#pragma once

#include <string>

#include "sdk/cpp/yaml_document.hpp"

namespace hone {

struct SweepFile {
  Json document;
  std::string origin;                         // the file's name
  std::map<std::string, Position> positions;  // by JSON pointer

  // "sweep.yaml:12:5" for the field at a JSON pointer; for an absent field, the place of its
  // nearest ancestor.
  [[nodiscard]] std::string place(const std::string& json_pointer) const;
};

// Returns not_found for a missing file, too_large beyond 1 MiB, and invalid, with the place, for
// malformed YAML or JSON. Does not check whether the document is a sweep:
// decode_request<SweepSpec> does.
Result<SweepFile> read_sweep_file(const std::string& path);

// The same for a text. `origin` names it in errors; a name ending in .json requires JSON.
Result<SweepFile> read_sweep_text(const std::string& text, const std::string& origin);

// --set: "budget.phases=5", "parameters.lr.max=1e-2", "command.2=--fast", "search={method: grid}".
// The value is YAML. Creates missing objects on the path. Finds an existing key that contains dots.
Status set_path(Json& document, const std::string& assignment);

}  // namespace hone
