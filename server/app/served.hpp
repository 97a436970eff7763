// What a primary and a follower serve from.
#pragma once

#include "server/api/health/forecast_errors.hpp"
#include "server/app/opened.hpp"
#include "server/dashboard/pages.hpp"
#include "server/engine/clock.hpp"
#include "server/limits.hpp"

namespace hone {

// Members are destroyed in reverse order: the lock of the data folder last.
struct Served {
  // Takes all of `opened` but its state.
  Served(const ServerOptions& options, Opened& opened);
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  // For programs that wait for it on standard output.
  void print_address() const;

  // After a commit: events up to seq can be read.
  void show_events(std::int64_t seq);

  // Requests need a token only `with_tokens`.
  http::ServerParts parts(const ServerOptions& options, api::Role& role, bool with_tokens);

  DataFolder folder;
  HighWater mark;
  api::BlobStore blobs;
  api::LogStore logs;
  api::ForecastErrors forecasts;
  std::unique_ptr<http::Server> server;
  std::unique_ptr<SQLite::Database> writer;
  http::ReaderPool readers;
  http::DiskPool disk{limits::disk_threads};
  http::DiskPool parsers{limits::parser_threads, http::Price::cpu};
  http::DiskPool importers{limits::import_threads, http::Price::cpu};
  std::unique_ptr<Followers> followers;
  Counters counters;
  dashboard::Pages pages;
  api::Keyring keys;
  Clock clock;  // the time without steps, for what happens outside the engine
};

constexpr Duration from_seconds(double s) { return {static_cast<std::int64_t>(s * 1e6)}; }

}  // namespace hone
