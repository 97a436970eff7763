// Pages of the ledger for standbys. A request confirms the page before it and waits a little for
// the next one.
#include <boost/asio/as_tuple.hpp>

#include "server/api/role.hpp"
#include "server/engine/metric_feed.hpp"
#include "server/http/await.hpp"
#include "server/http/connection.hpp"
#include "server/standby/ledger_page.hpp"
#include "server/standby/limits.hpp"
#include "server/standby/standbys.hpp"

namespace hone::http {
namespace asio = boost::asio;

namespace {

namespace bounds = standby::limits;

// Refuses a standby that must not follow this server.
Status check_pull(const Shared& shared, const standby::Pull& pull) {
  const auto* standbys = shared.parts->standbys;
  if (standbys == nullptr)
    return refuse(Code::conflict, "this server is a standby itself: follow its primary");
  if (pull.term > standbys->term())
    return refuse(Code::conflict, "the standby has followed a server of term " +
                                      std::to_string(pull.term) + ", this one is of term " +
                                      std::to_string(standbys->term()) + ": follow the newer one");
  return Done{};
}

// The digest and the URL of a standby are on the disk before its first page: a promotion is then
// always recognized. That it had every event once is noted there before it is counted.
asio::awaitable<Status> enroll(Connection& connection, const Incoming& incoming,
                               const standby::Pull& pull, bool in_sync) {
  auto& shared = connection.shared;
  auto* const standbys = shared.parts->standbys;
  const Instant now = shared.now();
  if (standbys->knows(pull, in_sync, now)) co_return Done{};
  standby::Present present;
  for (const auto& [digest, at] : shared.pulls) present.insert(digest);
  auto add = [standbys, &pull, in_sync, present, now] {
    return standbys->add(pull, in_sync, present, now);
  };
  auto pending = on_disk<Done>(shared, speaker_of(connection, incoming), add);
  co_return co_await std::move(pending);
}

asio::awaitable<Result<standby::Page>> read_page(Connection& connection, const Incoming& incoming,
                                                 const standby::Pull& pull) {
  auto& shared = connection.shared;
  using Rows = std::vector<standby::Row>;
  const Reads::Pass pass(shared.reads, Lane::standby, speaker_of(connection, incoming), connection);
  // Before the rows, which then hold the runs of all points. A point that came before its run was
  // lost on the standby.
  auto* feed = shared.parts->feed;
  auto batch = feed == nullptr ? MetricFeed::Batch()
                               : feed->after(pull.feed.life, pull.feed.next, bounds::page_points);
  const std::int64_t needed = shared.newest_seq.load();
  auto work = [&pull](SQLite::Database& db) { return standby::rows_after(db, pull); };
  auto pending = on_reader<Rows>(shared, pass.ticket(), work);
  auto rows = co_await std::move(pending);
  if (!rows) co_return rows.error();
  standby::Page page;
  page.version = HONE_VERSION;
  page.term = shared.parts->standbys->term();
  page.sync = shared.parts->standbys->sync();
  page.newest = std::max(shared.newest_seq.load(), pull.after);
  page.rows = *std::move(rows);
  const std::int64_t reached = page.rows.empty() ? pull.after : page.rows.back().seq;
  if (feed != nullptr && reached < needed) {
    page.feed = pull.feed;  // the points wait for the rows of a later page
  } else if (feed != nullptr) {
    page.feed = {feed->life(), batch.next};
    page.gap = batch.gap;
    for (auto& [run, at, point] : batch.entries)
      page.points.push_back({run, std::move(point.name), point.step, point.value, at});
  }
  co_return page;
}

// Until the ledger or the metrics grow, or the time is over.
asio::awaitable<void> await_news(Shared& shared, std::chrono::steady_clock::time_point until) {
  asio::steady_timer timer(shared.io, until);
  shared.sleeping_standbys.insert(&timer);
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
  shared.sleeping_standbys.erase(&timer);
}

void confirm(Shared& shared, const standby::Pull& pull) {
  shared.pulls[pull.digest] = std::chrono::steady_clock::now();
  const auto* feed = shared.parts->feed;
  const bool same_life = feed != nullptr && feed->life() == pull.feed.life;
  shared.outbox.confirm({pull.after, same_life ? pull.feed.next : 0});
  if (shared.parts->role == nullptr) return;
  shared.parts->role->confirmed(pull.after);
  shared.parts->role->set_standbys(static_cast<int>(shared.pulls.size()));
}

}  // namespace

void forget_silent_standbys(Shared& shared) {
  const auto before = std::chrono::steady_clock::now() - chrono(bounds::presence_time);
  std::erase_if(shared.pulls, [&](const auto& pull) { return pull.second < before; });
  if (shared.parts->role != nullptr)
    shared.parts->role->set_standbys(static_cast<int>(shared.pulls.size()));
}

asio::awaitable<After> pull_page(Connection& connection, const Incoming& incoming) {
  auto& shared = connection.shared;
  const auto refused = [&](const Error& why) {
    return write_answer(connection, incoming, api::problem(why));
  };
  const auto pull = standby::parse_pull(incoming.request.body);
  if (!pull) co_return co_await refused(pull.error());
  if (auto may = check_pull(shared, *pull); !may) co_return co_await refused(may.error());
  auto enrolling = enroll(connection, incoming, *pull, false);
  if (auto known = co_await std::move(enrolling); !known) co_return co_await refused(known.error());
  const auto until = std::chrono::steady_clock::now() + chrono(pull->wait);
  while (true) {
    const auto seen = shared.newest_seq.load();
    const auto seen_point = shared.newest_point.load();
    auto reading = read_page(connection, incoming, *pull);
    const auto page = co_await std::move(reading);
    if (!page) co_return co_await refused(page.error());
    // Its ledger is this one up to there.
    auto noting = enroll(connection, incoming, *pull, pull->after >= seen);
    if (auto noted = co_await std::move(noting); !noted) co_return co_await refused(noted.error());
    confirm(shared, *pull);
    const bool late = std::chrono::steady_clock::now() >= until || shared.draining;
    if (!page->rows.empty() || !page->points.empty() || late) {
      api::Response answer;
      answer.content_type = "application/octet-stream";
      answer.body = standby::text(*page);
      co_return co_await write_answer(connection, incoming, std::move(answer));
    }
    if (shared.newest_seq.load() == seen && shared.newest_point.load() == seen_point)
      co_await await_news(shared, until);
  }
}

}  // namespace hone::http
