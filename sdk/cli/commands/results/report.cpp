// report: a folder for a paper, with a text on methods, tables, figures and their data, and the
// command that repeats each; or one of the figures.
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/markup.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/results/report_page.hpp"
#include "sdk/cli/commands/results/sweep_figures.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/captured.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "study/report/pdf.hpp"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::string sweep, out, figure;
  bool force = false;
};

// A file of the report. Without a text, one that a report of another state of the sweep has.
struct ReportFile {
  std::string name;
  std::string shows;
  std::string text;
};

// Numbers in full: a file of data/ and the command that prints it.
struct DataFile {
  const char* name;
  CommandAction (*declare)(Flags& flags);
  std::vector<std::string> words;
  std::string command;
};

std::vector<DataFile> data_files(const std::string& id) {
  return {{"trials.csv", declare_trials, {id}, "hone ls trials " + id},
          {"runs.csv", declare_runs, {id}, "hone ls runs " + id},
          {"reports.csv", declare_export, {id}, "hone export " + id},
          {"bands.csv", declare_export, {id, "--bands"}, "hone export " + id + " --bands"}};
}

std::string figure_command(const std::string& id, std::string_view kind) {
  return "hone report " + id + " --figure " + std::string(kind) + " -o " + std::string(kind) +
         ".svg";
}

// The figures, and what they add to the page.
Status add_figures(Session& session, const Json& sweep, study::Page& page, std::string& markdown,
                   std::vector<ReportFile>& files) {
  for (const FigureKind& kind : figure_kinds()) {
    const std::string name = "figures/" + std::string(kind.name) + ".svg";
    const std::string title(kind.title);
    const auto drawn = kind.draw(session, sweep);
    if (!drawn && drawn.error().code != Code::conflict && drawn.error().code != Code::not_found)
      return drawn.error();
    const std::string pdf = name.substr(0, name.size() - 3) + "pdf";
    files.push_back({name, title, drawn ? *drawn : std::string()});
    files.push_back({pdf, title, drawn ? study::pdf_of(*drawn) : std::string()});
    if (!drawn) continue;
    const std::string command = figure_command(text_at(sweep, "/id"), kind.name);
    page.figures.push_back({title + " (" + name + ": " + command + ")", *drawn});
    markdown += "\n![" + title + "](" + name + ")\n\n" + title + ": `" + command + "`\n";
  }
  return Done{};
}

Status add_data(Session& session, const ReportedSweeps& sweeps, std::vector<ReportFile>& files) {
  for (const DataFile& data : data_files(text_at(sweeps.sweep, "/id"))) {
    auto csv = captured(session, data.declare, data.words, Format::csv);
    if (!csv) return csv.error();
    files.push_back(
        {std::string("data/") + data.name, data.command + " --format csv", *std::move(csv)});
  }
  std::vector<Json> all{sweeps.sweep};
  all.insert(all.end(), sweeps.confirmations.begin(), sweeps.confirmations.end());
  for (const Json& one : all)
    files.push_back({"data/" + text_at(one, "/id") + ".json",
                     "hone show " + text_at(one, "/id") + " --format json",
                     to_pretty_text(one) + "\n"});
  return Done{};
}

void add_tables(const std::vector<ReportTable>& tables, study::Page& page,
                std::vector<ReportFile>& files) {
  for (const char* name : {"best", "confirm", "front", "importance"})
    for (const char* file : {"tables/", "data/"})
      files.push_back({std::string(file) + name + (*file == 't' ? ".tex" : ".csv"), {}, {}});
  for (const ReportTable& made : tables) {
    study::PageTable table = made.table;
    table.note +=
        " Numbers in full: " + made.command + (made.csv.empty() ? "" : " --format csv") + ".";
    files.push_back({"tables/" + made.name + ".tex", table.title, latex_of(table)});
    if (!made.csv.empty())
      files.push_back({"data/" + made.name + ".csv", made.command + " --format csv", made.csv});
    page.tables.push_back(std::move(table));
  }
}

// The whole report, in memory.
Result<std::vector<ReportFile>> files_of(Session& session, SweepId id) {
  const auto sweeps = reported_sweeps(session, id);
  if (!sweeps) return sweeps.error();
  auto paragraphs = methods_of(session, *sweeps);
  if (!paragraphs) return paragraphs.error();
  const auto tables = tables_of(session, *sweeps);
  if (!tables) return tables.error();
  paragraphs->push_back("This report was written by `hone report " + text(id) +
                        "` of hone " HONE_VERSION ".");
  study::Page page{"Sweep " + text(id), *std::move(paragraphs), {}, {}, {}};
  std::vector<ReportFile> files;
  std::string markdown;
  add_tables(*tables, page, files);
  if (auto done = add_figures(session, sweeps->sweep, page, markdown, files); !done)
    return done.error();
  if (auto done = add_data(session, *sweeps, files); !done) return done.error();
  files.push_back(
      {"report.md", "text and tables, and links to the figures", markdown_of(page) + markdown});
  files.push_back({"report.tex", "text and tables", latex_of(page)});
  files.push_back({"index.html", "all of it, for a browser", html_of(page)});
  return files;
}

Status write_report(const fs::path& folder, const std::vector<ReportFile>& files) {
  std::error_code failed;
  for (const char* part : {"tables", "figures", "data"})
    if (fs::create_directories(folder / part, failed); failed)
      return refuse(Code::internal,
                    "cannot make " + (folder / part).string() + ": " + failed.message());
  for (const ReportFile& file : files)
    if (file.text.empty()) fs::remove(folder / file.name, failed);
  for (const ReportFile& file : files)
    if (!file.text.empty())
      if (auto written = write_file(folder / file.name, file.text); !written)
        return refuse(Code::internal, written.error().detail);
  return Done{};
}

Result<Exit> write_folder(Session& session, SweepId sweep, const ReportOptions& options) {
  if (options.out == "-")
    return refuse(Code::invalid,
                  "a report is a folder: name it with -o; --figure writes to stdout");
  const fs::path folder = options.out.empty() ? text(sweep) + "-report" : options.out;
  std::error_code ignored;
  if (!options.force && fs::exists(folder, ignored))
    return refuse(Code::conflict,
                  folder.string() +
                      " exists; add --force to replace the files of a report there, "
                      "or give another name");
  const auto files = files_of(session, sweep);
  if (!files) return files.error();
  if (auto written = write_report(folder, *files); !written) return written.error();
  std::vector<Json> rows;
  for (const ReportFile& file : *files)
    if (!file.text.empty())
      rows.push_back({{"file", (folder / file.name).string()}, {"shows", file.shows}});
  return print_list(session, {{"file", "/file"}, {"shows", "/shows", CellType::long_text}}, rows,
                    "");
}

enum class FigureForm { svg, pdf };

// By the ending of the file. A file without one, such as /dev/stdout, gets SVG.
Result<FigureForm> form_of(const std::string& file) {
  std::string ending = fs::path(file).extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (ending.empty() || ending == ".svg") return FigureForm::svg;
  if (ending == ".pdf") return FigureForm::pdf;
  return refuse(
      Code::invalid,
      "a figure is written as SVG or PDF: name the file NAME.svg or NAME.pdf, not " + file);
}

Result<Exit> write_figure(Session& session, SweepId sweep, const ReportOptions& options) {
  const bool to_stdout = options.out.empty() || options.out == "-";
  const auto form = form_of(options.out);
  if (!form) return form.error();
  for (const FigureKind& kind : figure_kinds()) {
    if (kind.name != options.figure) continue;
    std::error_code ignored;
    if (!to_stdout && !options.force && fs::exists(options.out, ignored))
      return refuse(Code::conflict,
                    options.out + " exists; add --force to replace it, or give another name");
    const auto shown = session.get("/v1/sweeps/" + text(sweep));
    if (!shown) return shown.error();
    auto drawn = kind.draw(session, *shown);
    if (!drawn) return drawn.error();
    if (*form == FigureForm::pdf) drawn = study::pdf_of(*drawn);
    if (to_stdout) {
      session.print(*drawn);
      return Exit::ok;
    }
    if (auto written = write_file(options.out, *drawn); !written)
      return refuse(Code::internal, written.error().detail);
    session.print(options.out + "\n");
    return Exit::ok;
  }
  return refuse(Code::invalid,
                "there is no figure '" + options.figure + "'; the figures are " + figure_names());
}

Result<Exit> report(Session& session, const ReportOptions& options) {
  session.remember();
  const auto sweep = resolve_sweep(session, options.sweep);
  if (!sweep) return sweep.error();
  return options.figure.empty() ? write_folder(session, *sweep, options)
                                : write_figure(session, *sweep, options);
}

}  // namespace

CommandAction declare_report(Flags& flags) {
  return with_options(report, [&](ReportOptions& options) {
    flags.optional_argument("SWEEP", options.sweep,
                            "id of the sweep, or of anything in it (the newest)");
    flags.text("-o,--out PATH", options.out,
               "write this folder (SWEEP-report); with --figure: this file (- or none: stdout)");
    flags.text("--figure KIND", options.figure,
               "draw one figure, as SVG or to a file NAME.pdf: " + figure_names());
    flags.flag("--force", options.force, "replace existing files");
  });
}

}  // namespace hone::cli
