#include "sdk/cli/session/session.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "base/nearest.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/pages.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {
namespace {

struct FormatRow {
  std::string_view word;
  Format format;
};
constexpr auto formats = std::to_array<FormatRow>({{"table", Format::table},
                                                   {"json", Format::json},
                                                   {"jsonl", Format::jsonl},
                                                   {"csv", Format::csv},
                                                   {"value", Format::value},
                                                   {"md", Format::md},
                                                   {"latex", Format::latex},
                                                   {"curves", Format::curves},
                                                   {"dot", Format::curves},
                                                   {"tree", Format::table}});

bool is_offered(const FormatRow& row, std::string_view own) {
  const bool special = row.format == Format::curves || row.word == "tree";
  return !special || (" " + std::string(own) + " ").find(" " + std::string(row.word) + " ") !=
                         std::string::npos;
}

}  // namespace

std::string with_cursor(const std::string& path, const std::string& cursor) {
  const char joint = path.find('?') == std::string::npos ? '?' : '&';
  return path + joint + "after=" + escape_path(cursor);
}

Result<Format> parse_format(std::string_view word, std::string_view own) {
  std::vector<std::string_view> words;
  for (const auto& row : formats) {
    if (!is_offered(row, own)) continue;
    if (row.word == word) return row.format;
    words.push_back(row.word);
  }
  return refuse(Code::invalid,
                "unknown format '" + std::string(word) + "'" + did_you_mean(word, words) +
                    "; the formats are table, json, jsonl, csv, value, md and latex" +
                    (own.empty() ? "" : ", and for this command " + std::string(own)));
}

Session::Session(CommonOptions options)
    : options_(std::move(options)),
      screen_(detect_screen(STDOUT_FILENO, options_.no_color)),
      terminal_(screen_.color) {}

Session::Session(CommonOptions options, Screen screen, std::ostream& out, std::ostream& messages)
    : options_(std::move(options)), screen_(screen), terminal_(out, messages, screen.color) {}

Session::~Session() = default;

void Session::print(std::string_view text) { terminal_.print(text); }

void Session::print_json(std::string_view json) { terminal_.print_json(json); }

void Session::print_bytes(std::string_view bytes) { terminal_.print_bytes(bytes); }

void Session::note(std::string_view text) {
  if (!options_.quiet && !text.empty()) terminal_.note(text);
}

Result<Client*> Session::client() {
  if (client_) return client_.get();
  auto endpoint = parse_endpoint(options_.server);
  if (!endpoint) return endpoint.error();
  if (const auto equipped = equip(*endpoint, options_.credentials); !equipped)
    return equipped.error();
  client_ = std::make_unique<Client>(*endpoint);
  return client_.get();
}

struct Session::Replies {
  std::map<std::string, Result<Json>> by_path;
};

void Session::remember() { replies_ = std::make_shared<Replies>(); }

Result<Json> Session::get(const std::string& path) {
  if (replies_)
    if (const auto known = replies_->by_path.find(path); known != replies_->by_path.end())
      return known->second;
  auto there = client();
  auto reply = there ? (*there)->get_json(path) : Result<Json>(there.error());
  if (replies_) replies_->by_path.emplace(path, reply);
  return reply;
}

Result<Json> Session::post(const std::string& path, const Json& body) {
  auto there = client();
  return there ? (*there)->post_json(path, body) : Result<Json>(there.error());
}

Result<std::vector<Json>> Session::list(const std::string& path, std::size_t most) {
  std::vector<Json> items;
  Pages pages;
  while (true) {
    auto page = get(pages.cursor().empty() ? path : with_cursor(path, pages.cursor()));
    if (!page) return page.error();
    for (const auto& item : items_at(*page, "/items"))
      if (items.size() < most) items.push_back(item);
    if (items.size() == most) return items;
    const auto more = pages.follow(*page);
    if (!more) return more.error();
    if (!*more) return items;
  }
}

}  // namespace hone::cli
