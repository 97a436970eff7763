// import: converts sweeps of other tools, and takes in sweeps exported by other servers.
#include "sdk/cpp/import/import.hpp"

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/start/import_study.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/session.hpp"
#include "sdk/cpp/sweep_file.hpp"

namespace hone::cli {
namespace {

struct ImportOptions {
  std::string format;
  std::string file;
  std::string study;
};

Result<const ImportFormat*> format_of(const std::string& name) {
  if (const ImportFormat* format = find_import_format(name)) return format;
  std::string detail = "unknown format '" + name + "'; the formats are:";
  for (const ImportFormat& format : import_formats())
    detail += "\n  " + std::string(format.name) + "  " + std::string(format.summary);
  return refuse(Code::invalid, detail);
}

}  // namespace

Result<Json> send_import(Session& session, const Json& body) {
  const auto before = session.get("/v1/me");
  const auto reply = session.post("/v1/imports", body);
  if (!reply || !before) return reply;
  const std::string sweep = text_at(*reply, "/sweep");
  const auto added = session.get("/v1/events?sweep=" + escape_path(sweep) +
                                 "&after=" + std::to_string(int_at(*before, "/seq")));
  if (added && member(*added, "/items").empty())
    session.note("this file was imported before: " + sweep +
                 " is that sweep, and nothing was added");
  return reply;
}

namespace {

// Sends a document of `hone export --format json` to the server.
Result<Exit> import_export(Session& session, const std::string& name) {
  const auto content = read_file(name);
  if (!content) return content.error();
  auto document = parse_json(*content);
  if (!document) return refuse(Code::invalid, name + ": " + document.error().detail);
  Json body;
  body["request_id"] = "import-" + sha256_hex(*content).substr(0, 32);
  body["export"] = *std::move(document);
  const auto reply = send_import(session, body);
  if (!reply) return reply.error();
  if (session.options().format != Format::table) return print_object(session, *reply, "");
  session.print(text_at(*reply, "/sweep") + "\n");
  if (const std::string ledger = text_at(body, "/export/ledger"); !ledger.empty())
    session.note("event and link of the ledger that it comes from: " + ledger +
                 "; hone db check --link compares them there");
  return Exit::ok;
}

// "sweep.yaml:7:3" of a pointer into the file, or FILE#POINTER into one that it names.
std::string place_of(const SweepFile& file, const std::map<std::string, SweepFile>& siblings,
                     const std::string& at) {
  const auto hash = at.find('#');
  const auto sibling = siblings.find(at.substr(0, hash));
  if (hash == std::string::npos || sibling == siblings.end()) return file.place(at);
  return sibling->second.place(at.substr(hash + 1));
}

Result<Exit> import_foreign(Session& session, const ImportFormat& format, const SweepFile& file) {
  std::map<std::string, SweepFile> siblings;  // by the name that the file gives them
  const auto sibling = [&](const std::string& name) -> Result<Json> {
    const auto path = std::filesystem::path(file.origin).parent_path() / name;
    auto read = read_sweep_file(path.string());
    if (!read) return read.error();
    return siblings.insert_or_assign(name, *std::move(read)).first->second.document;
  };
  const auto translated = format.translate(file.document, sibling);
  if (!translated)
    return refuse(translated.error().code, place_of(file, siblings, translated.error().at) + ": " +
                                               translated.error().detail);
  const auto name = std::filesystem::path(file.origin).filename().string();
  session.print(import_text(*translated, name + " (" + std::string(format.name) + ")"));
  for (const Untranslated& one : translated->lost)
    session.note(place_of(file, siblings, one.at) + ": " + one.sentence);
  return Exit::ok;
}

Result<Exit> import_sweep(Session& session, const ImportOptions& options) {
  if (options.format == "hone" && !options.file.empty())
    return import_export(session, options.file);
  if (options.file.empty() && std::filesystem::exists(options.format))
    return import_export(session, options.format);
  if (options.file.empty())
    return refuse(Code::invalid, "no file given; write: hone import hone sweep.json");
  const auto format = format_of(options.format);
  if (!format) return format.error();
  const auto kind = upkeep::optuna_file(options.file);
  if (options.format == "optuna" && kind != upkeep::OptunaFile::other)
    return import_study(session, options.file, kind, options.study);
  if (!options.study.empty())
    return refuse(Code::invalid, "--study needs the format optuna and a storage or journal file");
  const auto file = read_sweep_file(options.file);
  if (!file) return file.error();
  return import_foreign(session, **format, *file);
}

}  // namespace

CommandAction declare_import(Flags& flags) {
  return with_options(import_sweep, [&](ImportOptions& options) {
    std::string formats;
    for (const ImportFormat& format : import_formats())
      formats += (formats.empty() ? "" : ", ") + std::string(format.name);
    flags.argument("FORMAT", options.format, "format of the file: hone (an export), " + formats);
    flags.optional_argument("FILE", options.file,
                            "the file to import; of Optuna a space, or a storage with its trials");
    flags.text("--study NAME", options.study, "the study of an Optuna storage that holds several");
  });
}

}  // namespace hone::cli
