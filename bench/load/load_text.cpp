// Renders a measurement as a table.
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/load/load.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/table.hpp"

namespace hone::load {
namespace {

using cli::Align;
using cli::Cell;
using cli::Table;

std::string fixed(const Json& value, int digits) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits,
                value.is_number() ? value.get<double>() : 0.0);
  return text.data();
}

std::string at(const Json& json, const char* pointer, int digits) {
  const Json::json_pointer place(pointer);
  return json.contains(place) ? fixed(json.at(place), digits) : "-";
}

void add(Table& table, const std::string& what, const std::string& value,
         const std::string& note = {}) {
  table.rows.push_back({{what}, {value}, {note}});
}

std::string times_note(const Json& times) {
  return "p50 " + at(times, "/p50_ms", 2) + " ms, p99 " + at(times, "/p99_ms", 2) + " ms, max " +
         at(times, "/max_ms", 1) + " ms";
}

std::string text_of(const Json& json, const char* name) {
  return json.contains(name) ? json.at(name).dump() : "-";
}

void add_server(Table& table, const Json& server) {
  add(table, "server CPU", at(server, "/cpu_cores", 2) + " cores",
      cli::bytes_text(static_cast<std::int64_t>(server.value("rss_bytes", 0.0))) + " resident");
  if (!server.contains("commits_per_s")) return;
  add(table, "commits/s", at(server, "/commits_per_s", 0),
      at(server, "/commands_per_commit", 1) + " commands each, " +
          at(server, "/commit_mean_ms", 2) + " ms");
  if (!server.contains("busy_cores")) return;
  for (const auto& [part, cores] : server.at("busy_cores").items())
    add(table, "  " + part, fixed(cores, 3) + " cores");
}

std::string single_text(const Json& result, const cli::Screen& screen) {
  Table table{{{"measured"}, {"value", Align::right}, {"", Align::left, 20}}, {}};
  const bool fleet = result.contains("workers");
  if (fleet)
    add(table, "workers", text_of(result, "workers"), text_of(result, "leases") + " with a lease");
  else
    add(table, "trials/s", at(result, "/trials_per_s", 0),
        text_of(result, "clients") + " clients, " + text_of(result, "connections") +
            " connections, " + at(result, "/seconds", 1) + " s");
  add(table, "operations/s", at(result, "/operations_per_s", 0));
  for (const auto& [name, times] : result.at("operations").items())
    add(table, "  " + name, times.at("count").dump(), times_note(times));
  add(table, "errors", text_of(result, "errors"), result.value("first_error", ""));
  if (result.contains("disk")) {
    const Json& disk = result.at("disk");
    add(table, "disk fsyncs/s", at(disk, "/fsyncs_per_s", 0),
        "idle " + times_note(disk.at("idle")) + "; " + disk.value("file_system", ""));
    if (disk.contains("under_load"))
      add(table, "", "", "under load " + times_note(disk.at("under_load")));
  }
  add_server(table, result.at("server"));
  add(table, "clients CPU", at(result, "/clients_cpu_cores", 2) + " cores");
  return cli::render(table, screen);
}

// Compares reports a second with the limit of the disk: its syncs a second, each for a whole batch.
std::string reports_text(const Json& rows, const cli::Screen& screen) {
  Table table{{{"connections", Align::right},
               {"reports/s", Align::right},
               {"p50 ms", Align::right},
               {"p99 ms", Align::right},
               {"fsyncs/s", Align::right},
               {"commits/s", Align::right},
               {"batch", Align::right},
               {"limit/s", Align::right},
               {"server", Align::right},
               {"clients", Align::right},
               {"errors", Align::right}},
              {}};
  for (const Json& row : rows) {
    const double syncs = row.at("/disk/fsyncs_per_s"_json_pointer).get<double>();
    const double batch = row.at("server").value("commands_per_commit", 0.0);
    table.rows.push_back({{text_of(row, "connections")},
                          {at(row, "/operations_per_s", 0)},
                          {at(row, "/operations/report/p50_ms", 2)},
                          {at(row, "/operations/report/p99_ms", 2)},
                          {at(row, "/disk/fsyncs_per_s", 0)},
                          {at(row, "/server/commits_per_s", 0)},
                          {at(row, "/server/commands_per_commit", 1)},
                          {fixed(syncs * batch, 0)},
                          {at(row, "/server/cpu_cores", 2)},
                          {at(row, "/clients_cpu_cores", 2)},
                          {text_of(row, "errors")}});
  }
  return cli::render(table, screen);
}

}  // namespace

std::string load_text(const Json& result, const cli::Screen& screen) {
  if (!result.contains("reports")) return single_text(result, screen);
  const Json& rows = result.at("reports");
  std::string text = reports_text(rows, screen);
  if (!rows.empty())
    text += "\nwhere the time of the last row went\n" + single_text(rows.back(), screen);
  return text;
}

}  // namespace hone::load
