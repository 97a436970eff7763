// What a server has recorded of a study: its sweeps by name, and the outcomes of its repetitions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/types/instant.hpp"
#include "study/results/outcome.hpp"

namespace hone::study {

// Returns the server's answer to GET of a path.
using ReadPath = std::function<Result<Json>(const std::string& path)>;

// A sweep of the study, as the list of sweeps shows it.
struct ListedSweep {
  std::string id;
  std::optional<Instant> submitted_at{}, ended_at{};
};

class RecordedStudy {
 public:
  // Keeps a reference to `study`.
  RecordedStudy(const Study& study, ReadPath read) : study_(study), read_(std::move(read)) {}

  // Lists the sweeps of the study that exist. Call first.
  Status refresh();
  [[nodiscard]] const std::map<std::string, ListedSweep>& sweeps() const { return sweeps_; }

  // The id of the sweep that has the name of this document.
  [[nodiscard]] std::optional<std::string> find(const Json& sweep) const;
  // The row of a sweep.
  Result<Json> row(const std::string& id) { return read_("/v1/sweeps/" + id); }

  // What the tuning sweep, which has ended, gave; without the value of the test.
  Result<Outcome> tuned(const Unit& unit, const Json& row);
  // The mean of the new seeds; nullopt if one has none.
  Result<std::optional<double>> fresh(const std::string& id);
  // The whole outcome of a unit, if its sweeps have ended.
  Result<std::optional<Outcome>> outcome(const Unit& unit);
  // The outcomes that are there of all repetitions that the study may have.
  Result<std::vector<Outcome>> outcomes();

 protected:
  void add(const std::string& name, const std::string& id) { sweeps_[name].id = id; }

 private:
  Result<std::optional<Json>> ended_row(const std::string& id);

  const Study& study_;
  ReadPath read_;
  std::map<std::string, ListedSweep> sweeps_;  // by name
};

// The path of the list of a study's sweeps; `more` narrows it: "" or " and note".
std::string sweeps_path(const std::string& study, const std::string& more = "");

// The study's document as its newest note has it; nullopt if no sweep has one.
Result<std::optional<Json>> recorded_document(const std::string& study, const ReadPath& read);

}  // namespace hone::study
