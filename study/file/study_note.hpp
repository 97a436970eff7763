// The file of a study in the ledger: notes on its first sweep, from which the server and other
// programs know the study's scales and repetitions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/codec/json.hpp"

namespace hone::study {

// Markdown: a sentence each, and a part of the document as one line of JSON. The ledger takes
// 16 KiB of a note.
std::vector<std::string> notes_of(const Json& document);

// Puts documents together from such notes, in the order in which they were recorded.
class NotedDocuments {
 public:
  // Leaves any other note out.
  void add(const std::string& note);
  // The one that was complete last; nullopt without one.
  [[nodiscard]] const std::optional<Json>& newest() const { return newest_; }

 private:
  std::map<std::string, std::map<int, std::string>> parts_;  // by digest and number
  std::optional<Json> newest_;
};

}  // namespace hone::study
