#include "server/app/options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>

#include "server/limits.hpp"

namespace hone {
namespace {

constexpr int usage_error = 2;

// Counts and times are positive; a bound of 0 would let nobody in.
void add_bounds(CLI::App& app, http::Bounds& bounds) {
  const auto time = [&app](const std::string& name, Duration& value, const std::string& help) {
    const auto set = [&value](const double& s) { value = microseconds(std::llround(s * 1e6)); };
    app.add_option_function<double>(name, set, help)->check(CLI::Range(0.01, 86'400.0));
  };
  app.add_option("--connections", bounds.connections, "Open connections at a time")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->capture_default_str();
  app.add_option("--connections-per-peer", bounds.connections_per_peer,
                 "Of one address (2048; this machine's own: no bound but the one above)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}));
  app.add_option("--requests-per-second", bounds.requests_per_s,
                 "Of one token or address (5000; this machine's own: no bound)")
      ->check(CLI::Range(1, 1'000'000));
  time("--request-time", bounds.request_time,
       "Seconds from a request's first byte to its last, and for a slow reader of an answer (30)");
  time("--idle-time", bounds.idle_time, "Seconds that a silent connection is kept (120)");
}

// Who is let in, and how bytes travel.
void add_guards(CLI::App& app, ServerOptions& options) {
  app.add_option("--tls-cert", options.tls.cert,
                 "Speak https with this certificate (PEM, with what is between it and its root)");
  app.add_option("--tls-key", options.tls.key, "The certificate's key (PEM)");
  app.add_option("--tls-client-ca", options.tls.client_ca,
                 "Let in only clients whose certificate one of these signed (PEM)");
  app.add_flag("--auth", options.auth,
               "Ask every request for a token; the first one is written to DATA/admin.token");
  app.add_flag("--new-admin-token", options.new_admin_token,
               "Write another administrator's token to DATA/admin.token (the old one is lost)");
  app.add_option("--worker-token-file", options.worker_token_file,
                 "With tokens: keep one for workers in this file");
  app.add_flag("--insecure", options.insecure,
               "Listen on an address that other machines reach, without TLS and tokens");
}

void add_webhooks(CLI::App& app, ServerOptions& options) {
  app.add_option("--webhook", options.follow.webhooks,
                 "POST events to this address until it takes them; may be given several times")
      ->allow_extra_args(false);
  app.add_option("--webhook-events", options.follow.webhook_kinds,
                 "Which events, as in sweep_ended,run_ended")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--webhook-secret-file", options.follow.webhook_secret_file,
                 "A file whose first line signs the webhooks")
      ->check(CLI::ExistingFile);
}

}  // namespace

std::variant<ServerOptions, int> parse_options(int argc, const char* const* argv) {
  ServerOptions options;
  std::string log_format = "text";
  options.blob_grace_s = static_cast<double>(limits::blob_grace.us) / 1e6;
  CLI::App app{"hone-server keeps sweeps, hands their runs to workers and answers the API."};
  app.set_version_flag("--version", "hone-server " HONE_VERSION);
  auto* data = app.add_option("--data", options.data, "Folder for the ledger and the checkpoints");
  app.add_option("--listen", options.listen, "Address and port; port 0 picks a free one")
      ->capture_default_str();
  add_guards(app, options);
  add_bounds(app, options.bounds);
  app.add_flag("--die-with-parent", options.die_with_parent,
               "Shut down when the process that started this one ends");
  app.add_option("--log-level", options.log_level, "What to log on stderr")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "critical", "off"}))
      ->capture_default_str();
  app.add_option("--log-format", log_format,
                 "How to log: a line of text, or of JSON, for each event")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  add_webhooks(app, options);
  app.add_option("--lease", options.lease_s,
                 "Seconds that a run waits for its silent worker; workers beat five times as often")
      ->check(CLI::Range(limits::lease_s_min, limits::lease_s_max))
      ->capture_default_str();
  app.add_option("--drain-delay", options.drain_delay_s,
                 "Seconds from SIGTERM to the end of accepting, while /readyz says no")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--blob-grace", options.blob_grace_s,
                 "Seconds that the bytes of a dropped checkpoint stay on the disk")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  app.add_flag("--routes", options.routes, "Print the table of routes as JSON and exit");
  try {
    app.parse(argc, argv);
    if (!options.routes && data->count() == 0) throw CLI::RequiredError("--data");
  } catch (const CLI::ParseError& stop) {
    const bool wanted = app.exit(stop) == 0;  // help or version
    return wanted ? 0 : usage_error;
  }
  options.log_json = log_format == "json";
  return options;
}

}  // namespace hone
