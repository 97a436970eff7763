// A piece of a run's log: the engine knows which token owns the worker, a reader which worker held
// the lease, and the disk threads keep the log of a process that has ended.
#include <memory>
#include <utility>

#include "server/api/runs/run_log.hpp"
#include "server/http/await.hpp"
#include "server/http/connection.hpp"

namespace hone::http {
namespace asio = boost::asio;

namespace {

asio::awaitable<Status> check_upload(Connection& connection, const Incoming& incoming,
                                     const api::LogUpload& upload) {
  auto& shared = connection.shared;
  // A heartbeat without leases changes nothing; it is refused to a worker of another token.
  auto asking = ask_engine(shared, Beat{upload.worker, {}}, incoming.request.speaker);
  const auto owned = co_await std::move(asking);
  if (!owned) co_return owned.error();
  const auto speaker = speaker_of(connection, incoming);
  const Reads::Pass pass(shared.reads, Lane::live, speaker, connection);
  auto work = [&upload](SQLite::Database& db) { return api::check_log(db, upload); };
  auto reading = on_reader<Done>(shared, pass.ticket(), work);
  co_return co_await std::move(reading);
}

}  // namespace

asio::awaitable<api::Response> take_log(Connection& connection, const Incoming& incoming) {
  auto& shared = connection.shared;
  auto* const logs = shared.parts->logs;
  const auto upload = api::parse_log(incoming.request);
  if (!upload) co_return api::problem(upload.error());
  auto checking = check_upload(connection, incoming, *upload);
  const auto checked = co_await std::move(checking);
  if (!checked) co_return api::problem(checked.error());
  if (logs == nullptr) co_return api::render_log_taken(false);
  if (!upload->last)
    co_return api::render_log_taken(logs->add(upload->lease, upload->piece, incoming.request.now));
  auto keep = [logs, &upload] { return logs->keep(upload->lease, upload->piece); };
  auto keeping = on_disk<Done>(shared, speaker_of(connection, incoming), keep);
  const auto kept = co_await std::move(keeping);
  co_return kept ? api::render_log_taken(false) : api::problem(kept.error());
}

}  // namespace hone::http
