// import: sweeps of other tools as sweep files of hone.
#include "sdk/cpp/import/import.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/flags.hpp"
#include "sdk/cli/session.hpp"
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

Result<Exit> run(Session& session, const Wish& wish) {
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
  flags.argument("FORMAT", wish->format, "whose file it is: " + formats);
  flags.argument("FILE", wish->file, "the file to translate (YAML or JSON)");
  return [wish](Session& session) { return run(session, *wish); };
}

}  // namespace hone::cli
