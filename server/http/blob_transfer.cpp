// Checkpoints between socket and disk, piece by piece: neither a large one nor a slow disk holds up
// other requests.
#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
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
namespace bhttp = boost::beast::http;
using boost::system::error_code;

namespace {

using BodyParser = bhttp::request_parser<bhttp::buffer_body>;

Error too_large_blob() {
  return refuse(Code::too_large,
                "a blob has at most " + std::to_string(limits::blob_bytes_max) + " bytes");
}

// Reads up to one piece of the body. Refuses what breaks a bound or the framing; throws when the
// client is gone.
asio::awaitable<Result<std::size_t>> read_piece(Connection& connection, BodyParser& parser,
                                                std::vector<char>& piece) {
  auto& body = parser.get().body();
  body.data = piece.data();
  body.size = piece.size();
  connection.stream.expires_after(chrono(connection.shared.bounds.request_time));
  error_code trouble;
  co_await bhttp::async_read(connection.stream, connection.buffer, parser,
                             asio::redirect_error(asio::use_awaitable, trouble));
  if (trouble == bhttp::error::body_limit) co_return too_large_blob();
  if (trouble && trouble != bhttp::error::need_buffer) throw boost::system::system_error(trouble);
  co_return piece.size() - body.size;
}

// Reads the whole body into the upload.
asio::awaitable<Status> receive(Connection& connection, BodyParser& parser, api::Upload& upload) {
  std::vector<char> piece(limits::blob_piece_bytes);
  while (!parser.is_done()) {
    const auto bytes = co_await read_piece(connection, parser, piece);
    if (!bytes) co_return bytes.error();
    const std::string_view received(piece.data(), *bytes);
    auto append = [&upload, received]() { return upload.append(received); };
    auto pending = on_disk<Done>(connection.shared, append);
    const auto appended = co_await std::move(pending);
    if (!appended) co_return appended.error();
  }
  co_return Done{};
}

// An uploaded blob's size.
asio::awaitable<Result<std::int64_t>> store(Connection& connection, Incoming& incoming) {
  const auto& digest = incoming.request.ids.at(0);
  const auto& blobs = connection.shared.rooms->blobs;
  using Begun = std::shared_ptr<api::Upload>;  // std::function copies its captures
  auto begin = [&blobs]() -> Result<Begun> {
    auto upload = blobs.begin();
    if (!upload) return upload.error();
    return std::make_shared<api::Upload>(*std::move(upload));
  };
  auto beginning = on_disk<Begun>(connection.shared, begin);
  const auto upload = co_await std::move(beginning);
  if (!upload) co_return upload.error();
  co_await invite_body(connection, incoming);
  BodyParser parser(std::move(incoming.parser));
  parser.body_limit(limits::blob_bytes_max);
  const auto received = co_await receive(connection, parser, **upload);
  if (!received) co_return received.error();
  incoming.has_body = false;  // all of it was read
  auto finish = [&upload, &digest]() { return (*upload)->finish(digest); };
  auto finishing = on_disk<Done>(connection.shared, finish);
  const auto finished = co_await std::move(finishing);
  if (!finished) co_return finished.error();
  co_return (*upload)->bytes();
}

// Closes a descriptor.
struct File {
  int descriptor = -1;
  explicit File(const char* path) : descriptor(::open(path, O_RDONLY | O_CLOEXEC)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

Result<std::size_t> read_at(const File& file, std::vector<char>& piece, std::int64_t offset) {
  const auto bytes = ::pread(file.descriptor, piece.data(), piece.size(), offset);
  if (bytes < 0)
    return refuse(Code::internal, std::string("the blob cannot be read: ") + std::strerror(errno));
  return static_cast<std::size_t>(bytes);
}

// The header is out already: trouble on the way can only be told by closing early.
asio::awaitable<void> send(Connection& connection, const api::Blob& blob) {
  const File file(blob.file.c_str());
  std::vector<char> piece(limits::blob_piece_bytes);
  std::int64_t sent = 0;
  while (sent < blob.bytes) {
    auto read = [&file, &piece, sent]() { return read_at(file, piece, sent); };
    auto pending = on_disk<std::size_t>(connection.shared, read);
    const auto bytes = co_await std::move(pending);
    if (!bytes || *bytes == 0) throw boost::system::system_error(asio::error::broken_pipe);
    connection.stream.expires_after(chrono(connection.shared.bounds.request_time));
    co_await asio::async_write(connection.stream, asio::buffer(piece.data(), *bytes),
                               asio::use_awaitable);
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
  const auto length = incoming.parser.content_length();
  if (length && *length > limits::blob_bytes_max)
    co_return co_await write_early(connection, incoming, api::problem(too_large_blob()));
  const auto bytes = co_await store(connection, incoming);
  if (!bytes) co_return co_await write_early(connection, incoming, api::problem(bytes.error()));
  Json json;
  json["sha256"] = digest;
  json["bytes"] = *bytes;
  co_return co_await write_answer(connection, incoming, api::json_response(json, 201));
}

asio::awaitable<After> get_blob(Connection& connection, const Incoming& incoming) {
  const auto& digest = incoming.request.ids.at(0);
  const auto& blobs = connection.shared.rooms->blobs;
  auto find = [&blobs, &digest]() { return blobs.find(digest); };
  auto pending = on_disk<api::Blob>(connection.shared, find);
  const auto blob = co_await std::move(pending);
  if (!blob) co_return co_await write_answer(connection, incoming, api::problem(blob.error()));
  const bool keep = incoming.keep_alive && !connection.shared.draining;
  auto head = make_head(incoming, 200, "application/octet-stream");
  head.keep_alive(keep);
  head.content_length(static_cast<std::uint64_t>(blob->bytes));
  connection.stream.expires_after(chrono(connection.shared.bounds.request_time));
  co_await bhttp::async_write(connection.stream, head, asio::use_awaitable);
  if (!incoming.head_only) co_await send(connection, *blob);
  co_return keep ? After::keep : After::close;
}

}  // namespace hone::http
