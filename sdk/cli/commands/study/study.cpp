// study: compares methods by real sweeps.
#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/files.hpp"
#include "schemas/codec/problem.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/study/local_server.hpp"
#include "sdk/cli/commands/study/study_run.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/interrupt.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cpp/sweep_file.hpp"
#include "study/report/page.hpp"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;
using study::Study;
using study::StudyData;

struct StudyOptions {
  std::string action, file;
  std::string data;  // empty: NAME.study here
  std::string out = ".";
  int slots = 0;  // 0: the cores of this machine
  int disk_gb = 20;
  bool from_data = false;
};

struct LoadedStudy {
  Json document;
  Study study;
};

Result<LoadedStudy> load(const Json& document, const SweepFile* file) {
  auto study = study::decode_study(document);
  if (study)
    if (const auto fits = study::check_study(*study); !fits) study = fits.error();
  if (study) return LoadedStudy{document, *std::move(study)};
  const Error& error = study.error();
  const std::string at = error.at.empty() ? "" : error.at + ": ";
  return refuse(error.code, (file ? file->place(error.at) + ": " : "") + at + error.detail);
}

Result<LoadedStudy> load_file(const std::string& path) {
  const auto file = read_sweep_file(path);
  if (!file) return refuse(Code::invalid, file.error().detail);
  return load(file->document, &*file);
}

std::string folder_of(const StudyOptions& options, const Study& study) {
  return fs::absolute(options.data.empty() ? study.name + ".study" : options.data).string();
}

// Where the sweeps of a study are: a server that was named, that of a running study, or one started
// for this command.
struct Place {
  FileHandle lock;  // of a run: no other one may use the folder
  std::unique_ptr<LocalServer> own;
  std::unique_ptr<Session> session;
};

std::unique_ptr<Session> session_at(const Session& outer, const std::string& url) {
  CommonOptions options = outer.options();
  options.server = url;
  return std::make_unique<Session>(std::move(options));
}

Result<Place> place_with_own_server(const Session& session, const std::string& folder, int slots,
                                    FileHandle lock) {
  auto own = LocalServer::start(folder, slots);
  if (!own) return own.error();
  Place place{std::move(lock), *std::move(own), nullptr};
  place.session = session_at(session, place.own->url());
  return place;
}

// Where the sweeps are read.
Result<Place> place_to_read(Session& session, const StudyOptions& options, const Study& study) {
  if (session.options().server_named)
    return Place{{}, nullptr, session_at(session, session.options().server)};
  const std::string folder = folder_of(options, study);
  if (!fs::exists(folder))
    return refuse(Code::not_found, "there is no " + folder +
                                       ": run the study first (hone study run " + options.file +
                                       "), or name its folder with --data");
  // A server answers for a while after its study was killed: only the lock shows whether it runs.
  const auto lock = lock_file(folder + "/study.lock");
  if (const auto url = recorded_url(folder); !lock && !url.empty())
    return Place{{}, nullptr, session_at(session, url)};
  return place_with_own_server(session, folder, 0, {});
}

Result<Place> place_to_run(Session& session, const StudyOptions& options, const Study& study,
                           int slots) {
  const std::string folder = folder_of(options, study);
  if (const auto made = make_durable_folder(folder); !made)
    return refuse(Code::invalid, "cannot create " + folder + ": " + made.error().detail);
  auto lock = lock_file(folder + "/study.lock");
  if (!lock)
    return refuse(lock.error().code, "the study runs already (" + lock.error().detail +
                                         "); follow it with: hone study watch " + options.file);
  if (const auto named = record_pid(*lock); !named) return named.error();
  if (session.options().server_named)
    return Place{*std::move(lock), nullptr, session_at(session, session.options().server)};
  return place_with_own_server(session, folder, slots, *std::move(lock));
}

// The repetitions that are there.
Result<std::vector<study::Outcome>> recorded_outcomes(Session& session, const Study& study) {
  StudyLedger ledger(session, study);
  if (const auto listed = ledger.refresh(); !listed) return listed.error();
  return ledger.outcomes();
}

Fields columns() {
  const auto number = [](const char* name, const char* pointer) {
    return Field{.name = name, .pointer = pointer, .type = CellType::number};
  };
  return {{.name = "method", .pointer = "/method"},
          number("score", "/iqm"),
          {.name = "interval", .pointer = "/shown", .where = Where::table_only, .computed = true},
          number("mean rank", "/mean_rank"),
          number("beaten", "/beaten"),
          number("optimism", "/optimism"),
          number("area", "/area")};
}

Result<Exit> print_findings(Session& session, const Study& study,
                            const std::vector<study::Outcome>& outcomes) {
  const auto findings = study::findings_of(study, outcomes);
  const Json json = study::encode_findings(study, findings);
  if (session.options().format == Format::json) return print_object(session, json, "");
  std::vector<Json> rows;
  for (Json row : json.at("methods")) {
    row["shown"] = range_text(row.at("interval"));
    rows.push_back(std::move(row));
  }
  const auto printed = print_list(session, columns(), rows, "no repetition is whole yet");
  if (!printed) return printed;
  if (session.options().format != Format::table) return printed;
  session.note(std::to_string(findings.outcomes) + " of " + std::to_string(findings.expected) +
               " repetitions of cells; score: interquartile mean on new seeds, as a share of the "
               "problems' scales.");
  for (const std::string& sentence : study::conclusions_of(study, findings)) session.note(sentence);
  return printed;
}

Result<Exit> run_study(Session& session, const StudyOptions& options, const LoadedStudy& loaded) {
  const int slots = options.slots > 0
                        ? options.slots
                        : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const InterruptsHeld held;
  auto place = place_to_run(session, options, loaded.study, slots);
  if (!place) return place.error();
  const std::string folder = folder_of(options, loaded.study);
  constexpr Duration patience = seconds(120);
  StudyLedger ledger(*place->session, loaded.study, patience);
  if (const auto listed = ledger.refresh(); !listed) return listed.error();
  ledger.record_code();
  if (const auto recorded = ledger.record_file(loaded.document); !recorded) return recorded.error();
  constexpr std::int64_t gigabyte = 1'000'000'000;
  session.note("study " + loaded.study.name + ": " +
               std::to_string(study::units_of(loaded.study, 1).size()) + " cells, at most " +
               std::to_string(study::most_repetitions(loaded.study)) + " repetitions; sweeps in " +
               folder + "; a signal ends it, and the same command continues it");
  session.note("it is shown at " + place->session->options().server + "/#/studies/" +
               loaded.study.name);
  StudyRun run(*place->session, ledger, loaded.study,
               {2 * slots, folder, options.disk_gb * gigabyte});
  const auto interrupted = run.run();
  if (!interrupted) return interrupted.error();
  if (*interrupted) {
    session.note("stopped; the same command continues the study");
    return Exit::interrupted;
  }
  return print_findings(session, loaded.study, run.outcomes());
}

Result<Exit> show_study(Session& session, const StudyOptions& options, const LoadedStudy& loaded) {
  auto place = place_to_read(session, options, loaded.study);
  if (!place) return place.error();
  const auto outcomes = recorded_outcomes(*place->session, loaded.study);
  if (!outcomes) return outcomes.error();
  return print_findings(session, loaded.study, *outcomes);
}

// Follows a study until it has ended or its server has.
Result<Exit> watch_study(Session& session, const StudyOptions& options, const LoadedStudy& loaded) {
  constexpr Duration every = seconds(5);
  auto place = place_to_read(session, options, loaded.study);
  if (!place) return place.error();
  Pace pace;
  while (true) {
    const auto outcomes = recorded_outcomes(*place->session, loaded.study);
    if (!outcomes) return outcomes.error();
    const auto findings = study::findings_of(loaded.study, *outcomes);
    pace.observe(now(), static_cast<std::int64_t>(findings.outcomes));
    const auto left = pace.left(static_cast<std::int64_t>(findings.expected));
    session.terminal().show_progress(
        "study " + loaded.study.name + "  " + std::to_string(findings.outcomes) + "/" +
        std::to_string(findings.expected) + "  ETA " + (left ? duration_text(*left) : "--"));
    const bool known = findings.verdict && findings.verdict->answer != study::Answer::open;
    if (place->own || known || findings.outcomes == findings.expected) {
      session.terminal().end_progress();
      return print_findings(session, loaded.study, *outcomes);
    }
    if (interrupted_within(every)) return Exit::interrupted;
  }
}

Status write_report(const StudyOptions& options, const Study& study, const StudyData& data) {
  const auto findings = study::findings_of(study, data.outcomes);
  const std::string command = options.from_data ? "hone study report --from " + options.file
                                                : "hone study report " + options.file;
  const auto page = study::page_of(study, findings, command);
  const fs::path stem = fs::path(options.out) / study.name;
  std::error_code failure;  // a file that cannot be written says why
  fs::create_directories(options.out, failure);
  const std::array<std::pair<const char*, std::string>, 4> files{
      {{".md", study::markdown_of(page)},
       {".tex", study::latex_of(page)},
       {".html", study::html_of(page)},
       {".json", to_text(study::encode_data(data)) + "\n"}}};
  for (const auto& [ending, text] : files)
    if (const auto written = write_file(stem.string() + ending, text); !written)
      return written.error();
  return Done{};
}

Result<Exit> report_study(Session& session, const StudyOptions& options,
                          const LoadedStudy& loaded) {
  auto place = place_to_read(session, options, loaded.study);
  if (!place) return place.error();
  auto outcomes = recorded_outcomes(*place->session, loaded.study);
  if (!outcomes) return outcomes.error();
  const StudyData data{loaded.document, *std::move(outcomes)};
  if (const auto written = write_report(options, loaded.study, data); !written)
    return written.error();
  session.note("wrote " + loaded.study.name + ".md, .tex, .html and .json (the data) to " +
               options.out);
  return Exit::ok;
}

Result<Exit> report_data(Session& session, const StudyOptions& options) {
  const auto text = read_file(options.file);
  if (!text) return text.error();
  const auto json = parse_json(*text);
  if (!json) return json.error();
  const auto data = study::decode_data(*json);
  if (!data) return data.error();
  const auto loaded = load(data->study, nullptr);
  if (!loaded) return loaded.error();
  if (const auto written = write_report(options, loaded->study, *data); !written)
    return written.error();
  session.note("wrote " + loaded->study.name + ".md, .tex, .html and .json to " + options.out);
  return Exit::ok;
}

using Action = Result<Exit> (*)(Session&, const StudyOptions&, const LoadedStudy&);
constexpr std::array<std::pair<std::string_view, Action>, 4> actions{
    {{"run", run_study}, {"watch", watch_study}, {"show", show_study}, {"report", report_study}}};

Result<Exit> run_action(Session& session, const StudyOptions& options) {
  const auto action = std::find_if(actions.begin(), actions.end(),
                                   [&](const auto& one) { return one.first == options.action; });
  if (action == actions.end())
    return refuse(Code::invalid, "'" + options.action +
                                     "' is not an action; there is run, watch, show and report");
  if (options.from_data && options.action != "report")
    return refuse(Code::invalid, "--from belongs to hone study report");
  if (options.from_data) return report_data(session, options);
  const auto loaded = load_file(options.file);
  if (!loaded) return loaded.error();
  return action->second(session, options, *loaded);
}

}  // namespace

CommandAction declare_study(Flags& flags) {
  return with_options(run_action, [&](StudyOptions& options) {
    flags.argument("ACTION", options.action, "run, watch, show or report");
    flags.argument("FILE", options.file, "the study file; with --from, the data of a report");
    flags.text("--data DIR", options.data,
               "folder of the study's own server (NAME.study here); --server uses another one");
    flags.integer("--slots N", options.slots, {0, 4096},
                  "with run: cores to train on (this machine's)");
    flags.integer("--disk GB", options.disk_gb, {1, 1e6},
                  "with run: submit nothing more once the folder has so many gigabytes (20)");
    flags.text("-o,--out DIR", options.out, "with report: where to write its files (this folder)");
    flags.flag("--from", options.from_data, "with report: FILE is the data of an earlier report");
  });
}

}  // namespace hone::cli
