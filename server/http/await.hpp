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
#include "server/sweep/command.hpp"

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

// The engine's reply to a command, or its refusal to queue it.
inline boost::asio::awaitable<Result<Reply>> ask_engine(Shared& shared, Command command,
                                                        Caller by = {}) {
  using Resume = std::function<void()>;
  auto taken = std::make_shared<bool>(true);
  auto deliver = [&shared, taken](Resume resume) {
    if (*taken)
      shared.outbox.add(std::move(resume));
    else
      boost::asio::post(shared.io, std::move(resume));
  };
  auto start = [&engine = shared.parts->engine, taken, command = std::move(command),
                by](auto done) mutable {
    if (auto pushed = engine.push(Envelope{std::move(command), done, by}); !pushed) {
      *taken = false;
      done(pushed.error());
    }
  };
  return await_answer<Result<Reply>>(shared.io, std::move(deliver), std::move(start));
}

// Runs `work`, which returns a Result<T>, on a thread of the pool.
template <class T, class Pool, class Work>
boost::asio::awaitable<Result<T>> on_pool(Shared& shared, Pool& pool, Work work) {
  auto start = [&pool, work = std::move(work)](auto done) {
    auto job = [work, done](auto&... given) mutable {
      try {
        done(work(given...));
      } catch (const std::exception& trouble) {
        done(refuse(Code::internal, "the server could not answer: " + std::string(trouble.what())));
      }
    };
    if (auto pushed = pool.push(std::move(job)); !pushed) done(pushed.error());
  };
  return await_answer<Result<T>>(shared.io, std::move(start));
}

// On a reader thread, with its connection: work(SQLite::Database&).
template <class T, class Work>
boost::asio::awaitable<Result<T>> on_reader(Shared& shared, Work work) {
  return on_pool<T>(shared, shared.parts->readers, std::move(work));
}

// On a thread that may wait for the disk: work().
template <class T, class Work>
boost::asio::awaitable<Result<T>> on_disk(Shared& shared, Work work) {
  return on_pool<T>(shared, shared.parts->disk, std::move(work));
}

}  // namespace hone::http
