#include "server/http/reads.hpp"

#include <algorithm>

#include "server/http/connection.hpp"
#include "server/limits.hpp"

namespace hone::http {

Reads::Pass::Pass(Reads& reads, Lane lane, std::string speaker, Connection& connection)
    : reads_(reads) {
  ticket_->lane = lane;
  ticket_->speaker = std::move(speaker);
  ticket_->connection = &connection;
  renew();
  reads_.tickets_.insert(ticket_);
  if (lane == Lane::sweep) {
    ++reads_.heavy_[ticket_->speaker];
    ++reads_.heavy_in_all_;
  }
  reads_.watch();
}

Reads::Pass::~Pass() {
  ticket_->stop = true;
  reads_.tickets_.erase(ticket_);
  if (ticket_->lane != Lane::sweep) return;
  --reads_.heavy_in_all_;
  const auto found = reads_.heavy_.find(ticket_->speaker);
  if (--found->second == 0) reads_.heavy_.erase(found);
}

void Reads::Pass::renew() {
  const bool is_heavy = ticket_->lane == Lane::sweep;
  const Duration time = is_heavy ? limits::heavy_read_time : limits::read_time;
  ticket_->deadline = std::chrono::steady_clock::now() + chrono(time);
}

Status Reads::may_start(Lane lane, const std::string& speaker) const {
  if (lane != Lane::sweep) return Done{};
  const auto found = heavy_.find(speaker);
  if (found != heavy_.end() && found->second >= limits::heavy_reads_per_speaker_max)
    return refuse(Code::busy, "this token or address has " + std::to_string(found->second) +
                                  " reads of whole sweeps in progress, its bound: wait for one");
  if (heavy_in_all_ >= limits::heavy_reads_max)
    return refuse(Code::busy, "the server has " + std::to_string(heavy_in_all_) +
                                  " reads of whole sweeps in progress, its bound: try again later");
  return Done{};
}

std::size_t Reads::wasted() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(tickets_, [](const auto& ticket) { return ticket->stop.load(); }));
}

// Looks at every read now and then, as long as there is one: a socket does not report the end of a
// client that has sent more bytes before it left.
void Reads::watch() {
  if (watching_) return;
  watching_ = true;
  timer_.expires_after(chrono(limits::read_watch_period));
  timer_.async_wait([this](const boost::system::error_code& trouble) {
    watching_ = false;
    if (trouble) return;
    stop_wasted();
    if (!tickets_.empty()) watch();
  });
}

void Reads::stop_wasted() {
  const auto now = std::chrono::steady_clock::now();
  for (const auto& ticket : tickets_) {
    if (ticket->deadline <= now) ticket->too_late = true;
    if (ticket->too_late || ticket->connection->is_gone()) ticket->stop = true;
  }
}

}  // namespace hone::http
