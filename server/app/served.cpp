#include "server/app/served.hpp"

#include <cstdio>

#include "db/queries/queries.hpp"
#include "db/queries/tokens.hpp"
#include "server/engine/clock.hpp"

namespace hone {

Served::Served(const ServerOptions& options, Opened& opened)
    : folder(std::move(opened.folder)),
      mark(std::move(opened.mark)),
      blobs(folder.blobs()),
      logs(folder.path() / "logs"),
      server(std::move(opened.server)),
      writer(std::move(opened.writer)),
      readers(std::move(opened.readers)),
      followers(std::move(opened.followers)),
      pages(options.dashboard_dir),
      keys(read_keys(*writer)),
      clock(SlewedClock(SystemClock{}, MonotonicClock{}, last_instant(*writer))) {}

void Served::print_address() const {
  std::printf("hone-server listening on %s\n", server->url().c_str());
  std::fflush(stdout);
}

void Served::show_events(std::int64_t seq) {
  mark.advance(seq);
  server->announce(seq);
  followers->wake();
}

http::ServerParts Served::parts(const ServerOptions& options, api::Role& role, bool with_tokens) {
  return {.engine = nullptr,
          .readers = readers,
          .disk = disk,
          .parsers = parsers,
          .blobs = blobs,
          .counters = counters,
          .importers = &importers,
          .drain_delay = {},
          .blob_grace = from_seconds(options.blob_grace_s),
          .dashboard = &pages,
          .logs = &logs,
          .keys = with_tokens ? &keys : nullptr,
          .role = &role,
          .forecasts = &forecasts,
          .clock = clock};
}

}  // namespace hone
