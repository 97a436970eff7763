#include "server/dashboard/report.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/ascii.hpp"
#include "base/base64.hpp"
#include "base/hex.hpp"
#include "base/sha256.hpp"

namespace hone::dashboard {
namespace {

using Files = std::map<std::string, std::string_view, std::less<>>;

Error broken(const std::string& path, const std::string& why) {
  return refuse(Code::internal, "the dashboard cannot become one file: " + path + ": " + why);
}

bool is_name_character(char c) { return is_letter_or_digit(c) || c == '_' || c == '$'; }

// The name at the beginning of the text.
std::string_view name_of(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_name_character);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// Takes the next line off the text, without its line break.
std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// "pages/run.js", "../lib/dom.js" -> "lib/dom.js"
std::string resolved(std::string_view from, std::string_view to) {
  std::string folder(from.substr(0, from.rfind('/') == from.npos ? 0 : from.rfind('/')));
  while (to.starts_with("./") || to.starts_with("../")) {
    if (to.starts_with("../"))
      folder.resize(folder.rfind('/') == folder.npos ? 0 : folder.rfind('/'));
    to.remove_prefix(to.find('/') + 1);
  }
  return folder.empty() ? std::string(to) : folder + "/" + std::string(to);
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

// One module as a function's body: its imports as constants, its exports as names.
struct Module {
  std::string body;
  std::vector<std::string> exports;
};

// Puts modules behind those that they import, each as a constant that holds its exports.
class Bundle {
 public:
  explicit Bundle(const Files& files) : files_(files) {}

  Status add(const std::string& path);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  Result<Module> read(const std::string& path, std::string_view text);
  Result<std::string> line_of(const std::string& path, std::string_view line);
  Result<std::string> import_of(const std::string& path, std::string_view statement);
  Status export_of(const std::string& path, std::string_view line, Module& module);

  const Files& files_;
  std::map<std::string, std::string, std::less<>> constants_;  // path -> "m3"
  std::set<std::string, std::less<>> open_;
  std::string text_;
};

Status Bundle::add(const std::string& path) {
  if (constants_.contains(path)) return Done{};
  const auto file = files_.find(path);
  if (file == files_.end()) return broken(path, "there is no such file");
  if (!open_.insert(path).second) return broken(path, "it imports itself through others");
  const auto module = read(path, file->second);
  if (!module) return module.error();
  const std::string constant = "m" + std::to_string(constants_.size());
  constants_.emplace(path, constant);
  text_ += "// " + path + "\nconst " + constant + " = (() => {\n" + module->body + "return {\n";
  for (const auto& name : module->exports) text_ += name + ",\n";
  text_ += "};\n})();\n";
  return Done{};
}

Result<Module> Bundle::read(const std::string& path, std::string_view text) {
  Module module;
  while (!text.empty()) {
    if (text.starts_with("import ")) {
      const auto end = text.find(';');
      if (end == text.npos) return broken(path, "an import without an end");
      auto constants = import_of(path, text.substr(0, end));
      if (!constants) return constants.error();
      module.body += *constants;
      text.remove_prefix(end + 1);
    } else if (text.starts_with("export ")) {
      if (auto taken = export_of(path, take_line(text), module); !taken) return taken.error();
    } else {
      const auto line = line_of(path, take_line(text));
      if (!line) return line.error();
      module.body.append(*line).append("\n");
    }
  }
  return module;
}

// `import("./x.js")` -> `Promise.resolve(m3)`
Result<std::string> Bundle::line_of(const std::string& path, std::string_view line) {
  constexpr std::string_view mark = "import(\"";
  std::string text(line);
  for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
    const auto end = text.find("\")", at);
    if (end == text.npos) return broken(path, "cannot read " + text);
    const auto begin = at + mark.size();
    const std::string file = resolved(path, std::string_view(text).substr(begin, end - begin));
    if (auto added = add(file); !added) return added.error();
    text.replace(at, end + 2 - at, "Promise.resolve(" + constants_.find(file)->second + ")");
  }
  return text;
}

// `import {a as b} from "./x.js"` -> `const {a: b} = m3;`
Result<std::string> Bundle::import_of(const std::string& path, std::string_view statement) {
  const auto from = statement.find(" from \"");
  if (from == statement.npos || !statement.ends_with('"'))
    return broken(path, "cannot read " + std::string(statement));
  std::string names(statement.substr(7, from - 7));
  const auto target = statement.substr(from + 7, statement.size() - from - 8);
  const std::string file = resolved(path, target);
  if (auto added = add(file); !added) return added.error();
  if (names.starts_with("* as "))
    names.erase(0, 5);
  else if (names.starts_with("{"))
    replace_all(names, " as ", ": ");
  else
    return broken(path, "cannot read " + std::string(statement));
  return "const " + names + " = " + constants_.find(file)->second + ";";
}

Status Bundle::export_of(const std::string& path, std::string_view line, Module& module) {
  auto rest = line.substr(7);
  if (rest.starts_with("{ ") && rest.ends_with(" };")) {
    rest = rest.substr(2, rest.size() - 5);
    for (auto name = name_of(rest); !name.empty(); name = name_of(rest)) {
      module.exports.emplace_back(name);
      rest.remove_prefix(name.size());
      rest.remove_prefix(rest.starts_with(", ") ? 2 : 0);
    }
    return rest.empty() ? Status(Done{}) : broken(path, "cannot read " + std::string(line));
  }
  if (rest.starts_with("let "))
    return broken(path,
                  "importers copy what it exports: export a function that reads the variable");
  for (const std::string_view word : {"const ", "async function ", "function ", "class "}) {
    if (!rest.starts_with(word)) continue;
    const auto name = name_of(rest.substr(word.size()));
    if (name.empty()) break;
    module.exports.emplace_back(name);
    module.body.append(rest).append("\n");
    return Done{};
  }
  return broken(path, "cannot read " + std::string(line));
}

std::string digest_source(std::string_view text) {
  return "'sha256-" + base64_text(bytes_of_hex(sha256_hex(text))) + "'";
}

std::string policy_of(std::string_view script, std::string_view style) {
  return "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src " +
         digest_source(script) + "; style-src " + digest_source(style) +
         "; img-src data: blob:; base-uri 'none'; form-action 'none'; "
         "require-trusted-types-for 'script'; trusted-types hone\">\n";
}

// The file that a line links by "ui/VERSION/FILE".
std::optional<std::string> linked_file(std::string_view line) {
  constexpr std::string_view mark = "\"ui/";
  const auto at = line.find(mark);
  if (at == line.npos) return std::nullopt;
  const auto path = line.substr(at + mark.size());
  const auto file = path.substr(std::min(path.find('/'), path.size() - 1) + 1);
  return std::string(file.substr(0, file.find('"')));
}

// A style sheet with those that it imports, each on its own line: @import "FILE";
Result<std::string> sheet_of(const Files& files, const std::string& path) {
  const auto found = files.find(path);
  if (found == files.end()) return broken(path, "there is no such file");
  constexpr std::string_view import = "@import \"";
  std::string sheet;
  auto text = found->second;
  while (!text.empty()) {
    const auto line = take_line(text);
    if (!line.starts_with(import)) {
      sheet.append(line).append("\n");
      continue;
    }
    const auto name = line.substr(import.size());
    const auto imported = files.find(std::string(name.substr(0, name.find('"'))));
    if (imported == files.end()) return broken(path, "cannot read " + std::string(line));
    sheet += imported->second;
  }
  return sheet;
}

struct Page {
  std::string head;   // up to and with <meta charset>
  std::string rest;   // up to </body>
  std::string style;  // of all linked files
  std::string end;
};

Result<Page> page_of(const Files& files) {
  const auto index = files.find("index.html");
  if (index == files.end()) return broken("index.html", "there is no such file");
  Page page;
  auto text = index->second;
  std::string* part = &page.head;
  while (!text.empty()) {
    const auto line = take_line(text);
    if (const auto file = linked_file(line)) {
      if (!file->ends_with(".css")) continue;
      auto style = sheet_of(files, *file);
      if (!style) return style.error();
      page.style += *style;
      continue;
    }
    if (line == "</body>") part = &page.end;
    part->append(line).append("\n");
    if (line.starts_with("<meta charset")) part = &page.rest;
  }
  if (page.rest.empty() || page.end.empty())
    return broken("index.html", "needs lines <meta charset...> and </body>");
  return page;
}

Files by_path(const std::vector<SourceFile>& files) {
  Files all;
  for (const auto& file : files) all.emplace(file.path, file.text);
  return all;
}

}  // namespace

Result<std::string> one_script(const std::vector<SourceFile>& files, const std::string& path) {
  const auto all = by_path(files);
  Bundle bundle(all);
  if (auto added = bundle.add(path); !added) return added.error();
  return bundle.text();
}

Result<std::string> one_sheet(const std::vector<SourceFile>& files, const std::string& path) {
  return sheet_of(by_path(files), path);
}

Result<std::string> one_file(const std::vector<SourceFile>& files) {
  const auto page = page_of(by_path(files));
  if (!page) return page.error();
  auto modules = one_script(files, "app.js");
  if (!modules) return modules.error();
  std::string script = "\n" + *std::move(modules);
  replace_all(script, "</script", "<\\/script");  // in texts of the script
  if (page->style.find("</style") != std::string::npos)
    return broken("index.html", "a style that ends itself");
  return page->head + policy_of(script, page->style) + "<style>" + page->style + "</style>\n" +
         page->rest + "<script type=\"application/json\" id=\"report\">" +
         std::string(report_placeholder) + "</script>\n<script type=\"module\">" + script +
         "</script>\n" + page->end;
}

}  // namespace hone::dashboard
