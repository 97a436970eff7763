// The sweep file as a user writes it, YAML or JSON, and the line of each of its fields.
#pragma once

#include <string>

#include "sdk/cpp/yaml_document.hpp"

namespace hone {

struct SweepFile {
  Json document;
  std::string origin;                         // the file's name
  std::map<std::string, Position> positions;  // by JSON pointer

  // "sweep.yaml:12:5" for the field at a JSON pointer; for a field that is not there, its nearest
  // ancestor's place.
  [[nodiscard]] std::string place(const std::string& json_pointer) const;
};

// not_found where there is no such file; too_large beyond 1 MiB; invalid with a place for what is
// no YAML or JSON. Whether it is a sweep is decode_sweep_spec's question.
Result<SweepFile> read_sweep_file(const std::string& path);

// As above. origin names the text in refusals; a name that ends in .json is held to JSON's grammar.
Result<SweepFile> read_sweep_text(const std::string& text, const std::string& origin);

// --set: "budget.phases=5", "parameters.lr.max=1e-2", "command.2=--fast", "search={method: grid}".
// The value is read as YAML; objects on the way are made. A key that contains dots is found where
// it stands in the document already.
Status set_path(Json& document, const std::string& assignment);

}  // namespace hone
