#include "server/standby/page.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "schemas/codec/json.hpp"
#include "server/standby/limits.hpp"

namespace hone::standby {
namespace {

Error bad(const std::string& what) {
  return refuse(Code::invalid, "the page of the ledger is malformed: " + what);
}

// Reads fields that end with a blank, the last one with the end of the line.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}

  std::string_view word() {
    const auto end = std::min(rest_.find(' '), rest_.size());
    const auto word = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    whole_ = whole_ && !word.empty();
    return word;
  }
  template <class Number>
  Number number() {
    const auto digits = word();
    Number value{};
    const char* end = digits.data() + digits.size();
    const auto [stop, trouble] = std::from_chars(digits.data(), end, value);
    whole_ = whole_ && trouble == std::errc() && stop == end;
    return value;
  }
  std::string_view rest() { return std::exchange(rest_, {}); }
  // Whether every field was there, and nothing is left.
  [[nodiscard]] bool whole() const { return whole_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool whole_ = true;
};

// Removes and returns a line; nullopt if it has no end.
std::optional<std::string_view> take_line(std::string_view& bytes) {
  const auto end = bytes.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const auto line = bytes.substr(0, end);
  bytes.remove_prefix(end + 1);
  return line;
}

template <class T>
T member(const Json& json, const char* key, T fallback) {
  const auto found = json.find(key);
  if (found == json.end()) return fallback;
  if constexpr (std::is_same_v<T, std::string>)
    return found->is_string() ? found->template get<T>() : fallback;
  else if constexpr (std::is_same_v<T, bool>)
    return found->is_boolean() ? found->template get<T>() : fallback;
  else
    return found->is_number_integer() ? found->template get<T>() : fallback;
}

Result<Row> take_row(std::string_view& bytes) {
  const auto head = take_line(bytes);
  if (!head) return bad("an event has no end");
  Line line(*head);
  Row row;
  row.seq = line.number<std::int64_t>();
  row.at.us = line.number<std::int64_t>();
  row.kind = line.word();
  const auto sweep = line.word();
  const auto size = line.number<std::size_t>();
  const auto link = line.word();
  const std::string which = "event " + std::to_string(row.seq);
  if (!line.whole() || row.kind.size() > limits::kind_bytes_max) return bad(which);
  if (sweep != "-") {
    std::int64_t number = 0;
    const char* end = sweep.data() + sweep.size();
    const auto [stop, trouble] = std::from_chars(sweep.data(), end, number);
    if (trouble != std::errc() || stop != end) return bad(which + " is of no sweep");
    row.sweep = SweepId{number};
  }
  if (link != "-" && !is_sha256_hex(link)) return bad(which + " has no link");
  if (link != "-") row.link = link;
  if (bytes.size() <= size || bytes[size] != '\n') return bad(which + " ends too early");
  row.body = bytes.substr(0, size);
  bytes.remove_prefix(size + 1);
  return row;
}

Result<Point> take_point(std::string_view& bytes) {
  const auto head = take_line(bytes);
  if (!head) return bad("a metric has no end");
  Line line(*head);
  Point point;
  point.run.trial.value = line.number<std::int64_t>();
  point.run.replicate = line.number<int>();
  point.step = line.number<std::int64_t>();
  point.value = line.number<double>();
  point.at.us = line.number<std::int64_t>();
  point.name = line.rest();
  const bool fits = !point.name.empty() && point.name.size() <= limits::name_bytes_max;
  if (!line.whole() || !fits || !std::isfinite(point.value)) return bad("a metric");
  return point;
}

void add(std::string& bytes, const Row& row) {
  bytes += std::to_string(row.seq) + " " + std::to_string(row.at.us) + " " + row.kind + " " +
           (row.sweep ? std::to_string(row.sweep->value) : "-") + " " +
           std::to_string(row.body.size()) + " " + (row.link.empty() ? "-" : row.link) + "\n";
  bytes += row.body;
  bytes += '\n';
}

void add(std::string& bytes, const Point& point) {
  char value[40];
  const auto end = std::to_chars(value, value + sizeof value, point.value).ptr;
  bytes += std::to_string(point.run.trial.value) + " " + std::to_string(point.run.replicate) + " " +
           std::to_string(point.step) + " ";
  bytes.append(value, end);
  bytes += " " + std::to_string(point.at.us) + " " + point.name + "\n";
}

}  // namespace

std::string text(const Pull& pull) {
  Json json;
  json["after"] = pull.after;
  json["link"] = pull.link;
  json["standby"] = pull.digest;
  json["url"] = pull.url;
  json["term"] = pull.term;
  json["wait_ms"] = pull.wait.us / 1000;
  json["feed"] = {{"life", pull.feed.life}, {"next", pull.feed.next}};
  return to_text(json);
}

Result<Pull> parse_pull(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return json.error();
  if (!json->is_object()) return refuse(Code::invalid, "must be an object");
  Pull pull;
  pull.after = member<std::int64_t>(*json, "after", -1);
  pull.link = member<std::string>(*json, "link", "");
  pull.digest = member<std::string>(*json, "standby", "");
  pull.url = member<std::string>(*json, "url", "");
  pull.term = member<std::int64_t>(*json, "term", 0);
  const auto wait_ms = member<std::int64_t>(*json, "wait_ms", 0);
  if (pull.after < 0) return refuse(Code::invalid, "must be the number of an event", "/after");
  if (!pull.link.empty() && !is_sha256_hex(pull.link))
    return refuse(Code::invalid, "must be 64 hex digits, or empty", "/link");
  if (!is_sha256_hex(pull.digest))
    return refuse(Code::invalid, "must be the SHA-256 of the standby's secret", "/standby");
  if (pull.term < 0 || pull.term > limits::term_max)
    return refuse(Code::invalid, "must be from 0 to " + std::to_string(limits::term_max), "/term");
  if (pull.url.size() > limits::url_bytes_max)
    return refuse(Code::invalid, "is longer than a URL may be", "/url");
  if (wait_ms < 0 || wait_ms > limits::pull_wait_max.us / 1000)
    return refuse(Code::invalid,
                  "must be from 0 to " + std::to_string(limits::pull_wait_max.us / 1000),
                  "/wait_ms");
  pull.wait = milliseconds(wait_ms);
  if (const auto feed = json->find("feed"); feed != json->end() && feed->is_object())
    pull.feed = {member<std::string>(*feed, "life", ""), member<std::int64_t>(*feed, "next", 0)};
  return pull;
}

std::string text(const Page& page) {
  Json json;
  json["hone"] = page.version;
  json["term"] = page.term;
  json["newest"] = page.newest;
  json["sync"] = page.sync;
  json["feed"] = {{"life", page.feed.life}, {"next", page.feed.next}};
  json["gap"] = page.gap;
  json["events"] = page.rows.size();
  json["points"] = page.points.size();
  std::string bytes = to_text(json) + "\n";
  for (const Row& row : page.rows) add(bytes, row);
  for (const Point& point : page.points) add(bytes, point);
  return bytes;
}

Result<Page> parse_page(std::string_view bytes, std::int64_t after) {
  const auto head = take_line(bytes);
  const auto json = head ? parse_json(*head) : Result<Json>(bad("it has no first line"));
  if (!json || !json->is_object()) return bad("its first line");
  Page page;
  page.version = member<std::string>(*json, "hone", "");
  page.term = member<std::int64_t>(*json, "term", 0);
  page.newest = member<std::int64_t>(*json, "newest", 0);
  page.sync = member<bool>(*json, "sync", false);
  page.gap = member<bool>(*json, "gap", false);
  if (const auto feed = json->find("feed"); feed != json->end() && feed->is_object())
    page.feed = {member<std::string>(*feed, "life", ""), member<std::int64_t>(*feed, "next", 0)};
  if (page.term < 0 || page.term >= limits::term_max) return bad("its term");
  const auto events = member<std::int64_t>(*json, "events", -1);
  const auto points = member<std::int64_t>(*json, "points", -1);
  if (events < 0 || events > limits::page_events || points < 0 ||
      points > static_cast<std::int64_t>(limits::page_points))
    return bad("its number of events or metrics");
  for (std::int64_t i = 0; i < events; ++i) {
    auto row = take_row(bytes);
    if (!row) return row.error();
    if (row->seq != after + 1 + i) return bad("event " + std::to_string(row->seq) + " is not next");
    page.rows.push_back(*std::move(row));
  }
  for (std::int64_t i = 0; i < points; ++i) {
    auto point = take_point(bytes);
    if (!point) return point.error();
    page.points.push_back(*std::move(point));
  }
  if (!bytes.empty()) return bad("it continues after its end");
  return page;
}

}  // namespace hone::standby
