// A request: "GET /v1/sweeps?limit=3" in the first line, then the body. It is routed and parsed as
// the server does; reads are answered from a ledger with some history. No answer may be a 500.
#include <filesystem>
#include <memory>

#include "db/file/database.hpp"
#include "server/api/router.hpp"
#include "server/engine/engine.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/db/storm.hpp"

namespace hone::fuzz {
namespace {

constexpr int history_commands = 400;
constexpr unsigned int server_error = 500;

struct History {
  History() {
    Engine engine(*db, Instant{1'700'000'000'000'000});
    Storm storm(3, [&engine](const Command& command, Instant now) {
      Result<Reply> reply = refuse(Code::internal, "no reply");
      std::vector<Envelope> batch;
      batch.push_back({command, [&reply](Result<Reply> given) { reply = std::move(given); }});
      engine.step(std::move(batch), now);
      return reply;
    });
    storm.blow(history_commands);
  }
  ~History() { std::filesystem::remove_all(folder); }
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("hone-fuzz-" + std::to_string(getpid()));
  std::unique_ptr<SQLite::Database> db = *open_for_writing(":memory:");
  api::BlobStore blobs{folder};
};

api::Method method_of(std::string_view name) {
  if (name == "GET") return api::Method::get;
  if (name == "POST") return api::Method::post;
  return name == "PUT" ? api::Method::put : api::Method::other;
}

void answer(History& history, const api::Route& route, const api::Request& request) {
  if (const auto* write = std::get_if<api::Write>(&route.handler)) {
    const auto command = api::parse_write(*write, history.blobs, request);
    expect(command.ok() || command.error().code != Code::internal, "a body is refused, no bug");
    return;
  }
  if (!std::holds_alternative<api::Read>(route.handler) &&
      !std::holds_alternative<api::Piecewise>(route.handler) &&
      !std::holds_alternative<api::Follow>(route.handler))
    return;
  const auto response = api::answer_read(route, *history.db, request);
  expect(response.status != server_error, "a question is answered or refused, no bug");
}

}  // namespace

void feed(const std::uint8_t* data, std::size_t size) {
  static History history;
  const auto [line, body] = first_line(text_of(data, size));
  const auto blank = line.find(' ');
  if (blank == std::string_view::npos) return;
  auto request = api::parse_target(method_of(line.substr(0, blank)), line.substr(blank + 1));
  if (!request) return;
  const auto match = api::find_route(request->method, request->path);
  if (match.route == nullptr) return;
  request->ids = match.ids;
  request->now = Instant{1'800'000'000'000'000};
  request->body = body;
  if (api::check_query(*match.route, *request)) answer(history, *match.route, *request);
}

}  // namespace hone::fuzz
