#include "server/api/runs/logs.hpp"

#include <fcntl.h>

#include <algorithm>
#include <charconv>

#include "base/files.hpp"
#include "schemas/types/wire.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

namespace fs = std::filesystem;

// The two numbers of a file's name, "17-4096.log": the lease and the offset.
std::optional<std::pair<std::int64_t, std::int64_t>> numbers_in(const std::string& name) {
  std::int64_t lease = 0;
  std::int64_t offset = 0;
  const char* end = name.data() + name.size();
  const auto [dash, no_lease] = std::from_chars(name.data(), end, lease);
  if (no_lease != std::errc() || dash == end || *dash != '-') return std::nullopt;
  const auto [dot, no_offset] = std::from_chars(dash + 1, end, offset);
  if (no_offset != std::errc() || std::string_view(dot, end) != ".log") return std::nullopt;
  return std::pair(lease, offset);
}

// Appends what is new in `piece`, and keeps the end.
void extend(LogPiece& log, const LogPiece& piece) {
  const auto size = static_cast<std::int64_t>(log.bytes.size());
  const std::int64_t end = log.offset + size;
  if (piece.offset < log.offset || piece.offset > end) {
    log = piece;
  } else {
    const auto known = static_cast<std::size_t>(end - piece.offset);
    if (known < piece.bytes.size()) log.bytes.append(piece.bytes, known);
  }
  if (log.bytes.size() <= limits::log_bytes_max) return;
  const std::size_t beyond = log.bytes.size() - limits::log_bytes_max;
  log.bytes.erase(0, beyond);
  log.offset += static_cast<std::int64_t>(beyond);
}

}  // namespace

LogStore::LogStore(fs::path folder) : folder_(std::move(folder)) { find_kept(); }

void LogStore::find_kept() {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder_, failure)) {
    const auto numbers = numbers_in(entry.path().filename());
    std::error_code unreadable;
    const auto bytes = static_cast<std::int64_t>(entry.file_size(unreadable));
    if (!numbers || unreadable) continue;
    kept_[LeaseId{numbers->first}] = {numbers->second, bytes};
    kept_bytes_ += bytes;
  }
}

bool LogStore::want(LeaseId lease, Instant now) {
  const std::scoped_lock lock(mutex_);
  drop_unwanted(now);
  if (kept_.contains(lease)) return true;  // nothing more will come
  if (!followed_.contains(lease) && followed_.size() >= limits::logs_followed_max) return false;
  Followed& followed = followed_[lease];
  // The worker stopped sending meanwhile: what is here may be old.
  if (followed.wanted_until < now) followed.answered = false;
  followed.wanted_until = now + limits::log_wanted_time;
  return true;
}

void LogStore::mark(BeatReply& reply, Instant now) const {
  const std::scoped_lock lock(mutex_);
  if (followed_.empty()) return;
  for (LeaseStanding& standing : reply.leases) {
    const auto found = followed_.find(standing.lease);
    standing.log_wanted = found != followed_.end() && now < found->second.wanted_until;
  }
}

bool LogStore::add(LeaseId lease, const LogPiece& piece, Instant now) {
  const std::scoped_lock lock(mutex_);
  const auto found = followed_.find(lease);
  if (found == followed_.end() || found->second.wanted_until <= now) return false;
  extend(found->second.log, piece);
  found->second.answered = true;
  return true;
}

Status LogStore::keep(LeaseId lease, const LogPiece& piece) {
  std::error_code failure;
  fs::create_directories(folder_, failure);
  // A log is worth no wait for the disk: a power cut may lose it.
  const auto no_sync = [](int) { return 0; };
  const ReplaceOptions options{.mode = 0600, .sync = no_sync};
  if (auto written = replace_file(file_of(lease, piece.offset), piece.bytes, options); !written)
    return refuse(written.error().code, "cannot keep the log: " + written.error().detail);
  const std::scoped_lock lock(mutex_);
  followed_.erase(lease);
  if (const auto before = kept_.find(lease); before != kept_.end()) {
    kept_bytes_ -= before->second.bytes;
    if (before->second.offset != piece.offset)
      fs::remove(file_of(lease, before->second.offset), failure);
  }
  kept_[lease] = {piece.offset, static_cast<std::int64_t>(piece.bytes.size())};
  kept_bytes_ += kept_[lease].bytes;
  remove_oldest();
  return Done{};
}

std::optional<LogStore::View> LogStore::read(LeaseId lease) const {
  std::int64_t offset = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = followed_.find(lease); found != followed_.end()) {
      if (!found->second.answered) return std::nullopt;
      return View{found->second.log};
    }
    const auto kept = kept_.find(lease);
    if (kept == kept_.end()) return std::nullopt;
    offset = kept->second.offset;
  }
  const FileHandle file(::open(file_of(lease, offset).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  return View{{offset, read_to_end(file)}, true};
}

// Keeps an entry for a while after its last read, so that the end of the run finds it.
void LogStore::drop_unwanted(Instant now) {
  std::erase_if(followed_, [&](const auto& one) {
    return one.second.wanted_until + limits::log_late_time < now;
  });
}

void LogStore::remove_oldest() {
  while (kept_.size() > 1 &&
         (kept_bytes_ > limits::logs_kept_bytes_max || kept_.size() > limits::logs_kept_max)) {
    const auto oldest = kept_.begin();
    std::error_code ignored;
    fs::remove(file_of(oldest->first, oldest->second.offset), ignored);
    kept_bytes_ -= oldest->second.bytes;
    kept_.erase(oldest);
  }
}

fs::path LogStore::file_of(LeaseId lease, std::int64_t offset) const {
  return folder_ / (std::to_string(lease.value) + "-" + std::to_string(offset) + ".log");
}

}  // namespace hone::api
