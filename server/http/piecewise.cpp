// Answers that are made in pieces: a reader makes the next one when the client has the one before.
#include <array>
#include <charconv>
#include <memory>
#include <string>

#include "server/http/await.hpp"
#include "server/http/connection.hpp"

namespace hone::http {
namespace asio = boost::asio;

namespace {

using Made = std::shared_ptr<api::Pieces>;  // std::function copies its captures

asio::awaitable<Result<Made>> begin(Connection& connection, const Incoming& incoming,
                                    const Reads::Pass& pass) {
  auto open = [&incoming](SQLite::Database& db) -> Result<Made> {
    auto pieces = api::open_pieces(*incoming.route, db, incoming.request);
    if (!pieces) return pieces.error();
    return Made(*std::move(pieces));
  };
  auto pending = on_reader<Made>(connection.shared, pass.ticket(), open);
  co_return co_await std::move(pending);
}

// The next bytes. Each piece has the time of a read.
asio::awaitable<Result<std::string>> next(Connection& connection, Reads::Pass& pass, Made pieces) {
  std::string text;
  while (text.empty() && !pieces->ended()) {
    pass.renew();
    auto make = [pieces](SQLite::Database& db) { return pieces->next(db); };
    auto pending = on_reader<std::string>(connection.shared, pass.ticket(), make);
    auto made = co_await std::move(pending);
    if (!made) co_return made.error();
    text = *std::move(made);
  }
  co_return text;
}

// A chunk of HTTP/1.1; HTTP/1.0 has none, and ends with the connection.
std::string framed(std::string text, unsigned version) {
  if (version == 10) return text;
  std::array<char, 16> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), text.size(), 16).ptr;
  std::string head(size.data(), end);
  return head.append("\r\n").append(text).append("\r\n");
}

asio::awaitable<void> write_in_time(Connection& connection, const std::string& text) {
  connection.expires_after(connection.shared.bounds.request_time);
  co_await connection.write(text);
}

}  // namespace

asio::awaitable<After> send_pieces(Connection& connection, const Incoming& incoming) {
  auto& shared = connection.shared;
  const auto refused = [&](const Error& why) {
    return write_answer(connection, incoming, api::problem(why));
  };
  const auto speaker = speaker_of(connection, incoming);
  if (auto may = shared.reads.may_start(Lane::sweep, speaker); !may)
    co_return co_await refused(may.error());
  Reads::Pass pass(shared.reads, Lane::sweep, speaker, connection);
  auto beginning = begin(connection, incoming, pass);
  const auto pieces = co_await std::move(beginning);
  if (!pieces) co_return co_await refused(pieces.error());
  auto first = next(connection, pass, *pieces);
  auto text = co_await std::move(first);
  if (!text) co_return co_await refused(text.error());
  const bool keep = incoming.keep_alive && !shared.draining && incoming.version != 10;
  api::Response answer;
  if (incoming.version != 10) answer.fields = "Transfer-Encoding: chunked\r\n";
  add_role(shared, answer.fields);
  const auto head = head_text(incoming, answer, keep, {});
  co_await write_in_time(connection, head);
  while (!incoming.head_only && !text->empty()) {
    const auto piece = framed(*std::move(text), incoming.version);
    co_await write_in_time(connection, piece);
    auto following = next(connection, pass, *pieces);
    text = co_await std::move(following);
    // The status is sent already, so a failure can only be reported by closing early.
    if (!text) throw boost::system::system_error(asio::error::broken_pipe);
  }
  const auto end = framed({}, incoming.version);
  if (!incoming.head_only && !end.empty()) co_await write_in_time(connection, end);
  co_return keep ? After::keep : After::close;
}

}  // namespace hone::http
