// How a coroutine of the io thread waits for the answer of another thread. Internal to server/http.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "server/http/shared.hpp"
#include "server/sweep/state/command.hpp"

namespace hone::http {

// Calls start(done) at once. The coroutine continues when any thread has called `done(value)`,
// which must happen exactly once; `deliver(resume)` runs `resume` on the io thread. The handler is
// shared, because std::function copies `done`.
template <class T, class Deliver, class Start>
boost::asio::awaitable<T> await_answer(boost::asio::io_context& io, Deliver deliver, Start start) {
  namespace asio = boost::asio;
  auto initiate = [&io, deliver = std::move(deliver)](auto handler, Start begin) {
    auto held = std::make_shared<decltype(handler)>(std::move(handler));
    auto done = [deliver, held, work = asio::make_work_guard(io)](T value) {
      auto answer = std::make_shared<T>(std::move(value));
      deliver([held, answer, work] {
        auto resume = std::move(*held);
        resume(std::move(*answer));
      });
    };
    begin(std::move(done));
  };
  return asio::async_initiate<const asio::use_awaitable_t<>, void(T)>(
      std::move(initiate), asio::use_awaitable, std::move(start));
}

template <class T, class Start>
boost::asio::awaitable<T> await_answer(boost::asio::io_context& io, Start start) {
  auto deliver = [&io](auto resume) { boost::asio::post(io, std::move(resume)); };
  return await_answer<T>(io, std::move(deliver), std::move(start));
}

// The engine's reply to a command, or its refusal to queue it. Refuses (unavailable) a reply that
// no standby confirmed in time, where replies wait for one. Precondition: this server is a primary.
inline boost::asio::awaitable<Result<Reply>> ask_engine(Shared& shared, Command command,
                                                        Caller by = {}, std::string digest = {}) {
  using Resume = std::function<void()>;
  auto taken = std::make_shared<bool>(true);
  auto confirmed = std::make_shared<bool>(true);
  auto deliver = [&shared, taken, confirmed](Resume resume) {
    if (*taken)
      shared.outbox.add(std::move(resume), confirmed);
    else
      boost::asio::post(shared.io, std::move(resume));
  };
  auto start = [&engine = *shared.parts->engine, taken, command = std::move(command), by,
                digest = std::move(digest)](auto done) mutable {
    Envelope envelope{std::move(command), done, by, std::move(digest)};
    if (auto pushed = engine.push(std::move(envelope)); !pushed) {
      *taken = false;
      done(pushed.error());
    }
  };
  auto pending = await_answer<Result<Reply>>(shared.io, std::move(deliver), std::move(start));
  auto reply = co_await std::move(pending);
  if (reply && !*confirmed)
    co_return refuse(Code::unavailable,
                     "no standby has confirmed this request in time (--sync-replica): it is stored "
                     "here, but not acknowledged; send it again");
  co_return reply;
}

// Runs `work`, which returns a Result<T>, on a thread of a pool: push(job) queues it.
template <class T, class Push, class Work>
boost::asio::awaitable<Result<T>> on_pool(Shared& shared, Push push, Work work) {
  auto start = [push = std::move(push), work = std::move(work)](auto done) {
    auto job = [work, done](auto&... given) mutable {
      try {
        done(work(given...));
      } catch (const std::exception& trouble) {
        done(refuse(Code::internal, "the server could not answer: " + std::string(trouble.what())));
      }
    };
    if (auto pushed = push(std::move(job)); !pushed) done(pushed.error());
  };
  return await_answer<Result<T>>(shared.io, std::move(start));
}

// On a reader thread, with its connection: work(SQLite::Database&). Skipped, or interrupted, once
// the ticket is stopped; the answer is then of no use to a client. A coroutine owns its ticket.
template <class T, class Work>
boost::asio::awaitable<Result<T>> on_reader(Shared& shared,
                                            std::shared_ptr<ReadTicket> ticket,  // NOLINT
                                            Work work) {
  auto unless_stopped = [ticket, work = std::move(work)](SQLite::Database& db) mutable {
    if (ticket->stop)
      return Result<T>(refuse(Code::timed_out, "the read waited longer than it may: try again"));
    return Result<T>(work(db));
  };
  auto push = [&readers = shared.parts->readers, ticket](ReaderPool::Job job) {
    const ReaderPool::Stop stop(ticket, &ticket->stop);
    return readers.push(ticket->lane, ticket->speaker, std::move(job), stop);
  };
  return on_pool<T>(shared, std::move(push), std::move(unless_stopped));
}

// On a thread that may wait for the disk: work(). The speaker's jobs take turns with others'.
template <class T, class Work>
boost::asio::awaitable<Result<T>> on_disk(Shared& shared, const std::string& speaker, Work work) {
  auto push = [&disk = shared.parts->disk, speaker](DiskPool::Job job) {
    return disk.push(speaker, std::move(job));
  };
  return on_pool<T>(shared, std::move(push), std::move(work));
}

// On the thread that parses large bodies, or that for imports: work(). As on_disk.
template <class T, class Work>
boost::asio::awaitable<Result<T>> on_parser(Shared& shared, const std::string& speaker,
                                            bool is_import, Work work) {
  auto* const importers = shared.parts->importers;
  DiskPool& pool = is_import && importers != nullptr ? *importers : shared.parts->parsers;
  auto push = [&parsers = pool, speaker](DiskPool::Job job) {
    return parsers.push(speaker, std::move(job));
  };
  return on_pool<T>(shared, std::move(push), std::move(work));
}

}  // namespace hone::http
