#include "server/dashboard/pages.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "server/dashboard/folder.hpp"
#include "server/dashboard/report.hpp"

namespace hone::dashboard {
namespace {

constexpr std::string_view prefix = "/ui/";
constexpr std::string_view development = "dev";        // the version of files from a folder
constexpr std::string_view placeholder = "@VERSION@";  // in index.html
constexpr std::string_view report_file = "report.html";

// Nothing inline, nothing from elsewhere, no frames: text from a sweep cannot run or leave.
constexpr std::string_view security_fields =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; media-src blob:; connect-src 'self'; worker-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types hone\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Permissions-Policy: camera=(), geolocation=(), microphone=()\r\n";

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> types{{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".json", "application/json"},
}};

std::string_view type_of(std::string_view path) {
  for (const auto& [ending, type] : types)
    if (path.ends_with(ending)) return type;
  return {};
}

// Whether one of the listed tokens is `name` and not refused by q=0.
bool accepts(std::string_view list, std::string_view name) {
  const auto at = list.find(name);
  if (at == std::string_view::npos) return false;
  const auto rest = list.substr(at + name.size());
  const auto parameters = rest.substr(0, rest.find(','));
  const auto q = parameters.find("q=0");
  return q == std::string_view::npos ||
         parameters.find_first_of("123456789", q + 3) != std::string_view::npos;
}

api::Response missing(const std::string& path) {
  return api::problem(
      refuse(Code::not_found, "there is no file " + path + " here; reload the page"));
}

api::Response page(std::string_view type, std::string body) {
  api::Response response;
  response.content_type = type;
  response.body = std::move(body);
  response.cache_control = "no-cache";
  response.fields = security_fields;
  return response;
}

api::Response embedded(const Asset& asset, const Wanted& wanted) {
  auto response = page(type_of(asset.path), {});
  const std::string tag = "\"" + std::string(asset.sha256.substr(0, 32)) + "\"";
  response.fields += "Vary: Accept-Encoding\r\nETag: " + tag + "\r\n";
  if (asset.path != "index.html") response.cache_control = "public, max-age=31536000, immutable";
  if (wanted.if_none_match.find(tag) != std::string_view::npos) {
    response.status = 304;
    return response;
  }
  const bool packed =
      asset.gzip.size() < asset.plain.size() && accepts(wanted.accept_encoding, "gzip");
  if (packed) response.fields += "Content-Encoding: gzip\r\n";
  response.body = packed ? asset.gzip : asset.plain;
  return response;
}

// "/" -> "index.html", "/ui/VERSION/app.js" -> "app.js"; nullopt for the paths of the API, and an
// empty text for another version.
std::optional<std::string> file_of(std::string_view path, std::string_view current) {
  if (path == "/") return "index.html";
  if (!path.starts_with(prefix)) return std::nullopt;
  path.remove_prefix(prefix.size());
  if (path == report_file) return std::string(path);
  const auto slash = path.find('/');
  if (slash == std::string_view::npos || path.substr(0, slash) != current) return "";
  return std::string(path.substr(slash + 1));
}

// No path that leaves the folder.
bool stays_inside(std::string_view path) {
  return !path.empty() && is_plain(path, "-_/.") && !path.starts_with('/') &&
         path.find("..") == std::string_view::npos;
}

std::string embedded_report() {
  std::vector<SourceFile> files;
  for (const auto& asset : assets())
    files.push_back({std::string(asset.path), std::string(asset.plain)});
  auto text = one_file(files);  // a test builds it
  return text ? *std::move(text) : std::string();
}

}  // namespace

Pages::Pages(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) report_ = embedded_report();
}

api::Response Pages::report_page() const {
  if (folder_.empty() && report_.empty())
    return api::problem(refuse(Code::not_found, "this server was built without its dashboard"));
  if (folder_.empty()) return page(type_of(report_file), report_);
  auto text = one_file(files_of(folder_));
  return text ? page(type_of(report_file), *std::move(text)) : api::problem(text.error());
}

std::optional<api::Response> Pages::answer(const api::Request& request,
                                           const Wanted& wanted) const {
  const auto path = file_of(request.path, folder_.empty() ? version() : development);
  if (!path) return std::nullopt;
  if (request.method != api::Method::get)
    return api::wrong_method(api::word(request.method), request.path, "GET, HEAD");
  if (!stays_inside(*path) || type_of(*path).empty()) return missing(request.path);
  if (*path == report_file) return report_page();
  if (!folder_.empty()) return from_folder(*path);
  const auto all = assets();
  const auto found = std::ranges::find(all, *path, &Asset::path);
  return found == all.end() ? missing(request.path) : embedded(*found, wanted);
}

api::Response Pages::from_folder(const std::string& path) const {
  const auto file = std::filesystem::path(folder_) / path;
  std::error_code trouble;
  const auto bytes = std::filesystem::file_size(file, trouble);
  if (trouble || bytes > file_bytes_max) return missing(path);
  std::string body = text_of(file);
  if (path == "index.html")
    for (auto at = body.find(placeholder); at != std::string::npos; at = body.find(placeholder, at))
      body.replace(at, placeholder.size(), development);
  return page(type_of(path), std::move(body));
}

}  // namespace hone::dashboard
