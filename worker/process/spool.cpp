#include "worker/process/spool.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "schemas/codec/body.hpp"
#include "schemas/codec/json.hpp"

namespace hone::worker {
namespace fs = std::filesystem;
namespace {

Json exit_json(const Exited& exited) {
  return Json{{"by_signal", exited.by_signal},
              {"number", exited.number},
              {"log_tail", exited.log_tail},
              {"memory_ran_out", exited.memory_ran_out || exited.memory_exceeded},
              {"preparing", exited.preparing}};
}

std::optional<Exited> read_exit(LeaseId lease, const Json& json) {
  const auto bad = [&](const char* key, auto is) {
    return !json.contains(key) || !(json[key].*is)();
  };
  if (!json.is_object() || bad("by_signal", &Json::is_boolean) ||
      bad("number", &Json::is_number_integer) || bad("log_tail", &Json::is_string) ||
      bad("memory_ran_out", &Json::is_boolean))
    return std::nullopt;
  return Exited{lease,
                json["by_signal"].get<bool>(),
                json["number"].get<int>(),
                json["log_tail"].get<std::string>(),
                json["memory_ran_out"].get<bool>(),
                json.value("preparing", Json(false)) == true};
}

// Returns false for a line that was torn when its writer died: the last one.
bool take_line(const std::string& text, Recovered& recovered) {
  const auto json = parse_json(text);
  if (!json || !json->is_object() || json->size() != 1) return false;
  if (json->contains("exit")) {
    recovered.exited = read_exit(recovered.grant.lease, (*json)["exit"]);
    return recovered.exited.has_value();
  }
  auto line = parse_trial_line(text);
  if (line) recovered.lines.push_back(std::move(*line));
  return line.ok();
}

std::optional<Recovered> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  const auto json = parse_json(text);
  auto grant = json ? decode_reply<std::optional<LeaseGrant>>(*json)
                    : Result<std::optional<LeaseGrant>>(std::optional<LeaseGrant>());
  if (!grant || !*grant) return std::nullopt;
  Recovered recovered{std::move(**grant), {}, std::nullopt};
  while (std::getline(file, text))
    if (!take_line(text, recovered)) break;
  return recovered;
}

// Whether the file holds more than the grant.
bool has_lines(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  return std::getline(file, text) && file.peek() != std::ifstream::traits_type::eof();
}

std::int64_t bytes_in(const fs::path& folder) {
  std::int64_t bytes = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    bytes += static_cast<std::int64_t>(entry.file_size(ignored));
  return bytes;
}

std::string grant_line(const LeaseGrant& grant) {
  return to_text(encode(std::optional(grant))) + "\n";
}

}  // namespace

Spool::Spool(const std::string& data, std::int64_t bytes_max)
    : folder_(fs::path(data) / "spool"),
      refused_(fs::path(data) / "refused"),
      bytes_max_(bytes_max) {
  fs::create_directories(folder_);
}

std::vector<Recovered> Spool::recover(std::vector<std::string>& dropped) {
  std::vector<Recovered> all;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder_, failure)) {
    auto recovered = read_file(entry.path());
    if (recovered && path_of(recovered->grant.lease) == entry.path()) {
      all.push_back(std::move(*recovered));
      continue;
    }
    dropped.push_back(entry.path());
    fs::remove(entry.path(), failure);
  }
  return all;
}

Status Spool::open(const LeaseGrant& grant) {
  const std::string path = path_of(grant.lease);
  File file{
      FileHandle(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600)),
      grant, 0};
  if (!file.handle)
    return refuse(Code::internal, path + " cannot be written: " + std::strerror(errno));
  if (auto written = write(file, grant_line(grant)); !written) return written;
  files_.insert_or_assign(grant.lease, std::move(file));
  return Done{};
}

// Metrics are dropped first if space is short: no decision depends on them.
Status Spool::append(LeaseId lease, const TrialLine& line) {
  const auto found = files_.find(lease);
  if (found == files_.end()) return Done{};
  if (std::holds_alternative<MetricPoint>(line) && bytes_ >= bytes_max_) return Done{};
  return write(found->second, trial_line_text(line) + "\n");
}

Status Spool::append(const Exited& exited) {
  const auto found = files_.find(exited.lease);
  if (found == files_.end()) return Done{};
  return write(found->second, to_text(Json{{"exit", exit_json(exited)}}) + "\n");
}

Status Spool::delivered(LeaseId lease, int next_phase) {
  const auto found = files_.find(lease);
  if (found == files_.end()) return Done{};
  LeaseGrant grant = found->second.grant;
  grant.next_phase = next_phase;
  bytes_ -= found->second.bytes;
  const std::string path = path_of(lease);
  // A new file replaces the old one by rename, so that a death in between leaves one of the two.
  File file{FileHandle(::open((path + ".new").c_str(),
                              O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600)),
            std::move(grant), 0};
  files_.erase(found);
  if (!file.handle)
    return refuse(Code::internal, path + " cannot be written: " + std::strerror(errno));
  if (auto written = write(file, grant_line(file.grant)); !written) return written;
  if (std::rename((path + ".new").c_str(), path.c_str()) != 0)
    return refuse(Code::internal, path + " cannot be written: " + std::strerror(errno));
  files_.insert_or_assign(lease, std::move(file));
  return Done{};
}

Result<std::optional<std::string>> Spool::close_refused(LeaseId lease) {
  const fs::path path = path_of(lease);
  const bool holds_lines = has_lines(path);
  std::error_code failure;
  if (holds_lines) {
    fs::create_directory(refused_, failure);
    if (!failure) fs::permissions(refused_, fs::perms::owner_all, failure);
    const auto size = static_cast<std::int64_t>(fs::file_size(path, failure));
    if (!failure && bytes_in(refused_) + size > limits::refused_bytes_max)
      failure = std::make_error_code(std::errc::no_space_on_device);
    if (!failure) fs::rename(path, fs::path(refused_) / path.filename(), failure);
  }
  close(lease);
  if (!holds_lines) return std::optional<std::string>();
  if (failure)
    return refuse(Code::internal, "the refused reports of " + text(lease) + " cannot be kept in " +
                                      refused_ + ": " + failure.message());
  return std::optional((fs::path(refused_) / path.filename()).string());
}

void Spool::close(LeaseId lease) {
  if (const auto found = files_.find(lease); found != files_.end()) {
    bytes_ -= found->second.bytes;
    files_.erase(found);
  }
  std::error_code ignored;
  fs::remove(path_of(lease), ignored);
}

// Writes a whole line or nothing: a partial line would hide those after it.
Status Spool::write(File& file, const std::string& text) {
  const auto written = write_all(file.handle, text);
  if (written) {
    file.bytes += static_cast<std::int64_t>(text.size());
    bytes_ += static_cast<std::int64_t>(text.size());
    return Done{};
  }
  [[maybe_unused]] const int cut = ::ftruncate(file.handle.fd(), file.bytes);
  return refuse(Code::internal,
                "the spool in " + folder_ + " cannot be written: " + written.error().detail);
}

std::string Spool::path_of(LeaseId lease) const { return fs::path(folder_) / text(lease); }

}  // namespace hone::worker
