// A sweep with its whole history, as one document (schemas/types/past.hpp) that is made in pieces:
// its events are read twice, first for what the document names before them.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "db/queries/past.hpp"
#include "db/queries/past_reader.hpp"
#include "db/queries/queries.hpp"
#include "schemas/codec/event_codec.hpp"
#include "schemas/types/event.hpp"
#include "server/api/arguments.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/limits.hpp"
#include "server/sweep/history/renumber.hpp"

namespace hone::api {
namespace {

// Numbers of a series in one piece: some 200 KiB.
constexpr std::size_t piece_numbers = 16'384;

Error too_many(const char* what, std::size_t most) {
  return refuse(Code::too_large, "the sweep has more than " + std::to_string(most) + " " + what +
                                     ": copy the data folder with hone db backup instead");
}

// What a document holds besides events and metrics, collected from the events of the sweep.
class Survey {
 public:
  explicit Survey(SweepRow sweep) : sweep_(std::move(sweep)) {}

  Status begin(SQLite::Database& db) {
    if (auto read = read_origin(db); !read) return read;
    ids_ = first_ids();
    past_.ledger = newest_link(db, {sweep_.id});
    return read_confirmed(db);
  }

  Status add(SQLite::Database& db, Event event) {
    if (++events_ > limits::export_events_max) return too_many("events", limits::export_events_max);
    if (const auto* code = std::get_if<CodeRecorded>(&event.body))
      if (auto met = meet(db, code->workflow); !met) return met;
    if (const auto* granted = std::get_if<LeaseGranted>(&event.body))
      if (auto met = meet(db, granted->worker); !met) return met;
    std::optional<TrialId> from;
    if (const auto* proposed = std::get_if<TrialProposed>(&event.body)) from = proposed->from;
    if (!renumber(event.body, ids_))
      return refuse(Code::internal, "event " + std::to_string(event.seq) + " of " +
                                        text(sweep_.id) + " names what the sweep never had");
    if (!from || !past_.confirms) return Done{};
    return note_origin(db, std::get<TrialProposed>(event.body).trial, *from);
  }

  // With the ids of workers and workflows, for another pass over the events.
  [[nodiscard]] Renumbering ids() const {
    Renumbering ids = first_ids();
    ids.worker = ids_.worker;
    ids.executed = ids_.executed;
    return ids;
  }
  [[nodiscard]] const SweepPast& past() const { return past_; }

 private:
  [[nodiscard]] Renumbering first_ids() const {
    Renumbering ids;
    ids.sweep = SweepId{1};
    ids.workflow = WorkflowId{1};
    ids.executed[sweep_.workflow] = WorkflowId{1};
    if (past_.dataset) ids.dataset = DatasetId{1};
    return ids;
  }

  Status read_origin(SQLite::Database& db) {
    auto workflow = find_workflow(db, sweep_.workflow);
    if (!workflow) return workflow.error();
    past_.workflow = workflow->info;
    if (!sweep_.dataset) return Done{};
    auto dataset = find_dataset(db, *sweep_.dataset);
    if (!dataset) return dataset.error();
    past_.dataset = dataset->info;
    return Done{};
  }

  Status read_confirmed(SQLite::Database& db) {
    if (!sweep_.confirms) return Done{};
    const auto confirmed = find_sweep(db, *sweep_.confirms);
    if (!confirmed) return confirmed.error();
    const auto spec = spec_of(*confirmed);
    if (!spec) return spec.error();
    past_.confirms = PastConfirmed{confirmed->submitted_at, spec->seed, {}};
    return Done{};
  }

  // A document numbers trials from 1. Call when the trial has its number.
  Status note_origin(SQLite::Database& db, TrialId trial, TrialId of) {
    const auto origin = find_trial(db, of);
    if (!origin) return origin.error();
    if (origin->sweep == sweep_.confirms)
      past_.confirms->trials.push_back({trial, TrialId{origin->number + 1}});
    return Done{};
  }

  // Workers are numbered as they come.
  Status meet(SQLite::Database& db, WorkerId id) {
    if (ids_.worker.contains(id)) return Done{};
    const auto row = find_worker(db, id);
    if (!row) return row.error();
    past_.workers.push_back({"", row->host, row->pid, row->cpus, row->gpus, row->hone_version});
    ids_.worker[id] = WorkerId{static_cast<std::int64_t>(past_.workers.size())};
    return Done{};
  }

  // So are the workflows of attempts, after that of the sweep.
  Status meet(SQLite::Database& db, WorkflowId id) {
    if (ids_.executed.contains(id)) return Done{};
    auto row = find_workflow(db, id);
    if (!row) return row.error();
    past_.workflows.push_back(std::move(row->info));
    ids_.executed[id] = WorkflowId{static_cast<std::int64_t>(past_.workflows.size()) + 1};
    return Done{};
  }

  const SweepRow sweep_;
  Renumbering ids_;
  SweepPast past_;  // without events and metrics
  std::size_t events_ = 0;
};

// Renders one series in pieces: its points are in memory, 24 bytes each.
class SeriesText {
 public:
  SeriesText(Series series, RunId run) : series_(std::move(series)) {
    frame_ = to_text(encode(Series{run, series_.name, {}}));
  }
  std::string next() {
    if (!begun_) return begin();
    if (at_ == series_.points.size()) return end_column();
    const std::size_t until = std::min(at_ + piece_numbers, series_.points.size());
    Json numbers = Json::array();
    for (std::size_t i = at_; i < until; ++i) numbers.push_back(number(series_.points[i]));
    std::string text = to_text(numbers);
    text = text.substr(1, text.size() - 2);  // without brackets
    if (at_ > 0) text.insert(text.begin(), ',');
    at_ = until;
    return text;
  }
  [[nodiscard]] bool ended() const { return column_ == Column::end; }

 private:
  enum class Column { steps, values, times, end };

  [[nodiscard]] Json number(const SeriesPoint& point) const {
    if (column_ == Column::values) return point.value;
    return column_ == Column::steps ? point.step : point.at.us;
  }
  // The text up to the next empty list, in which the numbers of a column go.
  std::string begin() {
    begun_ = true;
    return take_frame();
  }
  std::string end_column() {
    at_ = 0;
    column_ = static_cast<Column>(static_cast<int>(column_) + 1);
    return ended() ? frame_ : take_frame();
  }
  std::string take_frame() {
    static constexpr std::array<std::string_view, 3> lists{"\"steps\":[]", "\"values\":[]",
                                                           "\"at_us\":[]"};
    const auto list = lists.at(static_cast<std::size_t>(column_));  // no text holds a bare quote
    const auto cut = frame_.find(list) + list.size() - 1;
    std::string text = frame_.substr(0, cut);
    frame_.erase(0, cut);
    return text;
  }

  Series series_;
  std::string frame_;  // what was not written yet of the series without its points
  Column column_ = Column::steps;
  std::size_t at_ = 0;
  bool begun_ = false;
};

class SweepExport final : public Pieces {
 public:
  SweepExport(SweepRow sweep, std::int64_t newest)
      : sweep_(sweep.id), newest_(newest), survey_(std::move(sweep)), reader_(sweep_, newest) {}

  Status begin(SQLite::Database& db) {
    if (has_more_points(db, sweep_, limits::export_points_max))
      return too_many("metric points", limits::export_points_max);
    return survey_.begin(db);
  }

  Result<std::string> next(SQLite::Database& db) override {
    switch (stage_) {
      case Stage::survey:
        return look(db);
      case Stage::events:
        return write_events(db);
      case Stage::metrics:
        return write_metrics(db);
      case Stage::end:
        break;
    }
    return std::string();
  }
  [[nodiscard]] bool ended() const override { return stage_ == Stage::end; }

 private:
  enum class Stage { survey, events, metrics, end };
  // Where the events go in the text of a document without any, and then the metrics.
  static constexpr std::string_view gap = "\"events\":[],\"metrics\":[]";
  static constexpr std::size_t before_events = std::string_view("\"events\":[").size();
  static constexpr std::string_view between = "],\"metrics\":[";

  // Reads on, and returns the beginning of the document once all events were seen.
  Result<std::string> look(SQLite::Database& db) {
    Status fine = Done{};
    const bool more = reader_.read(db, [&](Event event) {
      if (fine) fine = survey_.add(db, std::move(event));
    });
    if (!fine) return fine.error();
    if (more) return std::string();
    const std::string frame = to_text(encode(survey_.past()));
    const auto cut = frame.find(gap);
    rest_ = frame.substr(cut + gap.size() - 1);
    ids_ = survey_.ids();
    reader_ = PastReader(sweep_, newest_);
    stage_ = Stage::events;
    return frame.substr(0, cut + before_events);
  }

  Result<std::string> write_events(SQLite::Database& db) {
    std::string text;
    const bool more = reader_.read(db, [&](Event event) {
      renumber(event.body, ids_);
      if (std::exchange(has_events_, true)) text += ',';
      text += to_text(encode(event));
    });
    if (more) return text;
    stage_ = Stage::metrics;
    return text += between;
  }

  Result<std::string> write_metrics(SQLite::Database& db) {
    if (series_) {
      std::string text = series_->next();
      if (series_->ended()) series_.reset();
      return text;
    }
    auto next = next_series(db, sweep_, last_series_);
    if (!next) {
      stage_ = Stage::end;
      return rest_;
    }
    last_series_ = *next;
    const auto trial = ids_.trial.find(next->run.trial);
    if (trial == ids_.trial.end()) return std::string();  // proposed after the export had begun
    read_points(db, *next);
    const RunId run{trial->second, next->run.replicate};
    series_.emplace(*std::move(next), run);
    return std::string(std::exchange(has_series_, true) ? "," : "");
  }

  const SweepId sweep_;
  const std::int64_t newest_;  // event of the ledger when it began
  Survey survey_;
  PastReader reader_;
  Renumbering ids_;
  Series last_series_;
  std::optional<SeriesText> series_;
  std::string rest_;  // of the document, after the metrics
  Stage stage_ = Stage::survey;
  bool has_events_ = false;
  bool has_series_ = false;
};

}  // namespace

// GET /v1/sweeps/{sweep}/export
Result<std::unique_ptr<Pieces>> export_sweep(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  auto pieces = std::make_unique<SweepExport>(*std::move(sweep), last_seq(db));
  if (auto begun = pieces->begin(db); !begun) return begun.error();
  return std::unique_ptr<Pieces>(std::move(pieces));
}

}  // namespace hone::api
