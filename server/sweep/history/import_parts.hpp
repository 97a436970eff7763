// A large import as several events, so that other commands are decided between them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "server/sweep/history/renumber.hpp"
#include "server/sweep/state/command.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {

class ImportParts {
 public:
  // Takes the next free ids. Refuses a confirmation whose sweep is not here or does not fit.
  // Precondition: the import fits, and its request id is new.
  static Result<ImportParts> plan(const Book& book, const Import& import);

  // The events of an import that is one.
  Events whole();
  // The events of the first or a further part, with at most so many of the sweep. Precondition: it
  // is not done.
  Events next(std::size_t most);
  // Whether all events of the sweep were in a part; its last one follows.
  [[nodiscard]] bool is_done() const;
  [[nodiscard]] EventBody last() const;

  [[nodiscard]] SweepId sweep() const { return ids_.sweep; }
  [[nodiscard]] const std::shared_ptr<const ImportRequest>& request() const { return request_; }
  // The run of this server that a run of the document became.
  [[nodiscard]] RunId run(RunId of_document) const;

 private:
  ImportParts() = default;
  [[nodiscard]] SweepImported frame(ImportPart part) const;
  void add_events(std::size_t most, std::vector<Event>& past);

  std::shared_ptr<const ImportRequest> request_;
  Events before_;  // what the sweep names: workflows, data sets, workers
  Renumbering ids_;
  ImportedIds taken_;
  TrialLinks links_;
  std::optional<SweepId> confirms_;
  std::size_t next_ = 0;
};

}  // namespace hone
