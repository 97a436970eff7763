#include "server/app/options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>

#include "server/limits.hpp"
#include "server/standby/limits.hpp"

namespace hone {
namespace {

constexpr int usage_error = 2;

// Counts and times are positive: a bound of 0 would reject every client.
void add_bounds(CLI::App& app, http::Bounds& bounds) {
  const auto time = [&app](const std::string& name, Duration& value, const std::string& help) {
    const auto set = [&value](const double& s) { value = microseconds(std::llround(s * 1e6)); };
    app.add_option_function<double>(name, set, help)->check(CLI::Range(0.01, 86'400.0));
  };
  app.add_option("--connections", bounds.connections, "Open connections at a time")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->capture_default_str();
  app.add_option("--connections-per-peer", bounds.connections_per_peer,
                 "Open connections of one address (2048; loopback: only bounded by --connections)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}));
  app.add_option("--requests-per-second", bounds.requests_per_s,
                 "Sustained rate of one token or address (5000; loopback: unlimited)")
      ->check(CLI::Range(1, 1'000'000));
  time("--request-time", bounds.request_time,
       "Seconds from the first byte of a request to its last, and for reading an answer (30)");
  time("--idle-time", bounds.idle_time, "Seconds before a silent connection is closed (120)");
}

// TLS and tokens.
void add_security(CLI::App& app, ServerOptions& options) {
  app.add_option(
      "--tls-cert", options.tls.cert,
      "Serve HTTPS with this certificate (PEM, followed by its intermediate certificates)");
  app.add_option("--tls-key", options.tls.key, "The key of the certificate (PEM)");
  app.add_option("--tls-client-ca", options.tls.client_ca,
                 "Accept only clients with a certificate signed by one of these (PEM)");
  app.add_flag("--auth", options.auth,
               "Require a token with every request; the first one is written to DATA/admin.token");
  app.add_flag(
      "--new-admin-token", options.new_admin_token,
      "Create another administrator token and write it to DATA/admin.token over the old one");
  app.add_option("--worker-token-file", options.worker_token_file,
                 "With tokens: keep a valid worker token in this file");
  app.add_flag("--insecure", options.insecure,
               "Allow an address that other machines can reach without TLS and tokens");
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  return value == nullptr ? std::string() : std::string(value);
}

void add_standby(CLI::App& app, ServerOptions& options) {
  options.sync_wait_s = static_cast<double>(standby::limits::confirm_wait.us) / 1e6;
  options.peers.token_file = variable("HONE_TOKEN_FILE");
  options.peers.tls_ca = variable("HONE_TLS_CA");
  app.add_option("--follow", options.peers.follow,
                 "Be a standby of the server at this URL: copy its ledger and blobs, answer reads");
  app.add_option("--follow-token-file", options.peers.token_file,
                 "File with a token of that server with the scope replica (HONE_TOKEN_FILE)");
  app.add_option("--peer-tls-ca", options.peers.tls_ca,
                 "CA certificates of that server, or of the standbys (HONE_TLS_CA)");
  app.add_option("--advertise", options.peers.advertise,
                 "URL of this standby for other machines (default: that of --listen)");
  app.add_flag("--sync-replica", options.sync_replica,
               "Acknowledge a write only once a standby has it on its disk");
  app.add_option("--sync-wait", options.sync_wait_s,
                 "With --sync-replica: seconds before an unconfirmed write is answered with 503")
      ->check(CLI::Range(0.1, static_cast<double>(standby::limits::confirm_wait_max.us) / 1e6))
      ->capture_default_str();
}

void add_webhooks(CLI::App& app, ServerOptions& options) {
  app.add_option("--webhook", options.follow.webhooks,
                 "POST events to this URL and retry until it accepts them; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--webhook-events", options.follow.webhook_kinds,
                 "Kinds of events to send, such as sweep_ended,run_ended")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--webhook-secret-file", options.follow.webhook_secret_file,
                 "File whose first line is the key that signs webhooks")
      ->check(CLI::ExistingFile);
}

}  // namespace

std::variant<ServerOptions, int> parse_options(int argc, const char* const* argv) {
  ServerOptions options;
  std::string log_format = "text";
  options.blob_grace_s = static_cast<double>(limits::blob_grace.us) / 1e6;
  CLI::App app{"hone-server stores sweeps, leases their runs to workers and serves the API."};
  app.set_version_flag("--version", "hone-server " HONE_VERSION);
  auto* data = app.add_option("--data", options.data, "Folder of the ledger and the checkpoints");
  app.add_option("--listen", options.listen,
                 "Address and port to listen on; port 0 selects a free one")
      ->capture_default_str();
  add_security(app, options);
  add_bounds(app, options.bounds);
  app.add_flag("--die-with-parent", options.die_with_parent,
               "Shut down when the parent process ends");
  app.add_option("--log-level", options.log_level, "Lowest level to log on stderr")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "critical", "off"}))
      ->capture_default_str();
  app.add_option("--log-format", log_format, "Log each event as a line of text or of JSON")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  add_standby(app, options);
  add_webhooks(app, options);
  app.add_option(
         "--lease", options.lease_s,
         "Seconds without a heartbeat before a run is returned; workers send five in that time")
      ->check(CLI::Range(limits::lease_s_min, limits::lease_s_max))
      ->capture_default_str();
  app.add_option(
         "--drain-delay", options.drain_delay_s,
         "Seconds from SIGTERM until the server stops accepting; /readyz reports 503 meanwhile")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--blob-grace", options.blob_grace_s,
                 "Seconds before the file of a dropped checkpoint is deleted")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  app.add_option("--dashboard-dir", options.dashboard_dir,
                 "Serve the dashboard from this folder (for its development)")
      ->check(CLI::ExistingDirectory);
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
