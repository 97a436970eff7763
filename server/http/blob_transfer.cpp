// Blobs between socket and disk, piece by piece, so that neither a large blob nor a slow disk
// delays other requests.
#include <unistd.h>

#include <boost/asio/error.hpp>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/sha256.hpp"
#include "server/http/await.hpp"
#include "server/http/connection.hpp"
#include "server/limits.hpp"

namespace hone::http {
namespace asio = boost::asio;

namespace {

Error too_large_blob() {
  return refuse(Code::too_large,
                "a blob has at most " + std::to_string(limits::blob_bytes_max) + " bytes");
}

// Counts the piece of a transfer that is in memory.
Result<ByteBudget::Share> reserve_piece(Connection& connection, const Incoming& incoming) {
  auto share =
      connection.shared.bodies.take(speaker_of(connection, incoming), limits::blob_piece_bytes);
  if (share) return *std::move(share);
  return refuse(Code::busy, "as many blobs are being transferred as may be: try again in a second");
}

// Reads the whole body into the upload.
asio::awaitable<Status> receive(Connection& connection, const std::string& speaker,
                                api::Upload& upload) {
  std::vector<char> piece(limits::blob_piece_bytes);
  while (true) {
    connection.expires_after(connection.shared.bounds.request_time);
    const auto bytes = co_await connection.read_piece(piece, limits::blob_bytes_max);
    if (!bytes && bytes.error().code == Code::too_large) co_return too_large_blob();
    if (!bytes) co_return bytes.error();
    if (*bytes == 0) co_return Done{};
    const std::string_view received(piece.data(), *bytes);
    auto append = [&upload, received]() { return upload.append(received); };
    auto pending = on_disk<Done>(connection.shared, speaker, append);
    const auto appended = co_await std::move(pending);
    if (!appended) co_return appended.error();
  }
}

// Receives and keeps a blob, and returns its size.
asio::awaitable<Result<std::int64_t>> store(Connection& connection, Incoming& incoming) {
  const auto& digest = incoming.request.ids.at(0);
  const auto& blobs = connection.shared.parts->blobs;
  const auto speaker = speaker_of(connection, incoming);
  using Begun = std::shared_ptr<api::Upload>;  // std::function copies its captures
  auto begin = [&blobs]() -> Result<Begun> {
    auto upload = blobs.begin();
    if (!upload) return upload.error();
    return std::make_shared<api::Upload>(*std::move(upload));
  };
  auto beginning = on_disk<Begun>(connection.shared, speaker, begin);
  const auto upload = co_await std::move(beginning);
  if (!upload) co_return upload.error();
  co_await send_continue(connection, incoming);
  const auto received = co_await receive(connection, speaker, **upload);
  if (!received) co_return received.error();
  incoming.has_body = false;  // all of it was read
  auto finish = [&upload, &digest]() { return (*upload)->finish(digest); };
  auto finishing = on_disk<Done>(connection.shared, speaker, finish);
  const auto finished = co_await std::move(finishing);
  if (!finished) co_return finished.error();
  co_return (*upload)->bytes();
}

Result<std::size_t> read_at(const FileHandle& file, std::vector<char>& piece, std::int64_t offset) {
  const auto bytes = ::pread(file.fd(), piece.data(), piece.size(), offset);
  if (bytes < 0)
    return refuse(Code::internal, std::string("the blob cannot be read: ") + std::strerror(errno));
  return static_cast<std::size_t>(bytes);
}

// The header is sent already, so a failure can only be reported by closing early.
asio::awaitable<void> send(Connection& connection, const std::string& speaker,
                           const api::OpenBlob& blob) {
  std::vector<char> piece(limits::blob_piece_bytes);
  std::int64_t sent = 0;
  while (sent < blob.bytes) {
    auto read = [&blob, &piece, sent]() { return read_at(blob.file, piece, sent); };
    auto pending = on_disk<std::size_t>(connection.shared, speaker, read);
    const auto bytes = co_await std::move(pending);
    if (!bytes || *bytes == 0) throw boost::system::system_error(asio::error::broken_pipe);
    connection.expires_after(connection.shared.bounds.request_time);
    co_await connection.write({piece.data(), *bytes});
    sent += static_cast<std::int64_t>(*bytes);
  }
}

}  // namespace

asio::awaitable<After> put_blob(Connection& connection, Incoming& incoming) {
  const auto digest = incoming.request.ids.at(0);
  if (!is_sha256_hex(digest)) {
    auto refusal =
        refuse(Code::invalid, "a blob is named by its SHA-256: 64 hex digits in lower case");
    co_return co_await write_early(connection, incoming, api::problem(refusal));
  }
  if (incoming.content_length.value_or(0) > limits::blob_bytes_max)
    co_return co_await write_early(connection, incoming, api::problem(too_large_blob()));
  const auto held = reserve_piece(connection, incoming);
  if (!held) co_return co_await write_early(connection, incoming, api::problem(held.error()));
  const auto bytes = co_await store(connection, incoming);
  if (!bytes) co_return co_await write_early(connection, incoming, api::problem(bytes.error()));
  Json json;
  json["sha256"] = digest;
  json["bytes"] = *bytes;
  co_return co_await write_answer(connection, incoming, api::json_response(json, 201));
}

asio::awaitable<After> get_blob(Connection& connection, const Incoming& incoming) {
  const auto& digest = incoming.request.ids.at(0);
  const auto& blobs = connection.shared.parts->blobs;
  const auto speaker = speaker_of(connection, incoming);
  auto open = [&blobs, &digest]() { return blobs.open(digest); };
  auto pending = on_disk<api::OpenBlob>(connection.shared, speaker, open);
  const auto blob = co_await std::move(pending);
  if (!blob) co_return co_await write_answer(connection, incoming, api::problem(blob.error()));
  const auto held = reserve_piece(connection, incoming);
  if (!held) co_return co_await write_answer(connection, incoming, api::problem(held.error()));
  const bool keep = incoming.keep_alive && !connection.shared.draining;
  api::Response answer;
  answer.content_type = "application/octet-stream";
  const auto head = head_text(incoming, answer, keep, blob->bytes);
  connection.expires_after(connection.shared.bounds.request_time);
  co_await connection.write(head);
  if (!incoming.head_only) co_await send(connection, speaker, *blob);
  co_return keep ? After::keep : After::close;
}

}  // namespace hone::http
