// The file of a study in the ledger: a note on its first sweep, from which the server and other
// programs know the study's scales and repetitions.
#pragma once

#include <optional>
#include <string>

#include "schemas/codec/json.hpp"

namespace hone::study {

// Markdown: a sentence, and the document as one line of JSON.
std::string note_of(const Json& document);

// The document of such a note; nullopt of any other note.
std::optional<Json> document_of(const std::string& note);

}  // namespace hone::study
