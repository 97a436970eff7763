// import: sweeps of other tools as sweep files of hone, and sweeps of other servers as they were.
#include "sdk/cpp/import/import.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/sha256.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/session.hpp"
#include "sdk/cpp/sweep_file.hpp"

namespace hone::cli {
namespace {

struct Wish {
  std::string format;
  std::string file;
};

Result<const ImportFormat*> format_of(const std::string& name) {
  if (const ImportFormat* format = find_import_format(name)) return format;
  std::string detail = "no format '" + name + "' to import:";
  for (const ImportFormat& format : import_formats())
    detail += "\n  " + std::string(format.name) + "  " + std::string(format.summary);
  return refuse(Code::invalid, detail);
}

// A document of `hone export --format json` goes to the server as it is.
Result<Exit> take_in(Session& session, const std::string& name) {
  std::ifstream stream(name, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  if (!stream) return refuse(Code::invalid, "cannot read '" + name + "'");
  auto document = parse_json(text.str());
  if (!document) return refuse(Code::invalid, name + ": " + document.error().detail);
  Json body;
  body["request_id"] = "import-" + sha256_hex(text.str()).substr(0, 32);
  body["export"] = *std::move(document);
  const auto reply = session.post("/v1/imports", body);
  if (!reply) return reply.error();
  if (session.options().format != Format::table) return print_object(session, *reply, "");
  session.print(text_at(*reply, "/sweep") + "\n");
  return Exit::ok;
}

Result<Exit> run(Session& session, const Wish& wish) {
  if (wish.format == "hone" && !wish.file.empty()) return take_in(session, wish.file);
  if (wish.file.empty() && std::filesystem::exists(wish.format))
    return take_in(session, wish.format);
  if (wish.file.empty())
    return refuse(Code::invalid, "which file? as: hone import hone sweep.json");
  const auto format = format_of(wish.format);
  if (!format) return format.error();
  const auto file = read_sweep_file(wish.file);
  if (!file) return file.error();
  const auto sibling = [&](const std::string& name) -> Result<Json> {
    const auto beside = std::filesystem::path(wish.file).parent_path() / name;
    auto read = read_sweep_file(beside.string());
    if (!read) return read.error();
    return std::move(read->document);
  };
  const auto translated = (*format)->translate(file->document, sibling);
  if (!translated)
    return refuse(translated.error().code,
                  file->place(translated.error().at) + ": " + translated.error().detail);
  const auto name = std::filesystem::path(wish.file).filename().string();
  session.print(import_text(*translated, name + " (" + wish.format + ")"));
  for (const std::string& sentence : translated->lost) session.note(sentence);
  return Exit::ok;
}

}  // namespace

Work declare_import(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  std::string formats;
  for (const ImportFormat& format : import_formats())
    formats += (formats.empty() ? "" : ", ") + std::string(format.name);
  flags.argument("FORMAT", wish->format, "whose file it is: hone (an export), " + formats);
  flags.optional_argument("FILE", wish->file, "the file");
  return [wish](Session& session) { return run(session, *wish); };
}

}  // namespace hone::cli
