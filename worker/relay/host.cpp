#include "worker/relay/host.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iostream>
#include <utility>

#include "worker/relay/poll.hpp"
#include "worker/relay/timing.hpp"
#include "worker/train/ipc/descriptor_passing.hpp"

namespace hone::relay {
namespace {

constexpr auto from_seats = "inproc://seats";
// More than the largest training has actors; each takes a few hundred bytes here.
constexpr std::size_t guests_max = 4'096;
// Besides a slot, a guest sends the states of its environments, once a phase: a megabyte for each
// of 64 environments.
constexpr std::int64_t states_bytes_max = std::int64_t{1} << 26;
// Frames of one guest that wait in memory, each of a slot or of states at most: then its connection
// is not read. As many as an actor has slots.
constexpr int guest_frames_max = 4;
// Frames of guests between two looks at the training.
constexpr int frames_at_once = 256;
// Weights for one guest take no more of a network that many share, nor of the processors.
constexpr double weights_bytes_per_s = 50e6;
constexpr double weights_interval_s = 0.02;

// Passes on what the training sends to an actor: the number of its seat, and a frame; at the end
// the number alone.
void read_training(zmq::context_t& context, std::uint64_t seat, ipc::Channel& channel) {
  try {
    zmq::socket_t out(context, zmq::socket_type::push);
    out.connect(from_seats);
    const zmq::const_buffer number(&seat, sizeof seat);
    while (auto message = channel.receive()) {
      out.send(number, zmq::send_flags::sndmore);
      out.send(zmq::buffer(bytes_of({FrameKind::message, seat, message->kind, message->slot,
                                     message->number, std::move(message->payload)})));
    }
    out.send(number);
  } catch (const zmq::error_t&) {  // the context has ended
  }
}

bool is_numeric(const std::string& address) {
  return address.find_first_not_of("0123456789.") == std::string::npos;
}

}  // namespace

Host::Host(HostPlan plan)
    : plan_(std::move(plan)),
      parameters_(plan_.memory.bytes().subspan(plan_.layout.parameters), plan_.layout.floats),
      weights_(plan_.layout.floats),
      guests_socket_(context_, zmq::socket_type::router),
      training_socket_(context_, zmq::socket_type::pull) {}

Result<std::unique_ptr<Host>> Host::open(HostPlan plan) {
  std::unique_ptr<Host> host(new Host(std::move(plan)));
  const auto ours = new_keys(), theirs = new_keys();
  host->doorman_ = std::make_unique<Doorman>(host->context_, theirs.key);
  auto& socket = host->guests_socket_;
  socket.set(zmq::sockopt::curve_server, true);
  socket.set(zmq::sockopt::curve_secretkey, ours.secret);
  socket.set(zmq::sockopt::router_mandatory, true);
  socket.set(zmq::sockopt::linger, static_cast<int>(goodbye_ms.count()));
  socket.set(zmq::sockopt::rcvhwm, guest_frames_max);
  socket.set(zmq::sockopt::maxmsgsize,
             static_cast<std::int64_t>(host->plan_.layout.slot_bytes) + states_bytes_max);
  const auto& address = host->plan_.address;
  socket.bind("tcp://" + (is_numeric(address) ? address : "*") + ":*");
  const auto bound = socket.get(zmq::sockopt::last_endpoint);
  host->training_socket_.set(zmq::sockopt::rcvhwm, 0);  // bounded by the slots of the actors
  host->training_socket_.bind(from_seats);
  const auto written = write_rendezvous(
      host->plan_.rendezvous,
      {"tcp://" + address + bound.substr(bound.rfind(':')), ours.key, theirs.key, theirs.secret});
  if (!written) return written.error();
  return host;
}

Host::~Host() {
  for (auto& [number, seat] : seats_) ::shutdown(seat.channel->descriptor(), SHUT_RDWR);
  seats_.clear();  // joins their readers
  guests_socket_.close();
  training_socket_.close();
  context_.shutdown();
  doorman_.reset();
}

void Host::send(const std::string& guest, const Frame& frame) {
  const auto bytes = bytes_of(frame);
  send_bytes(guest, zmq::buffer(bytes));
}

void Host::send_bytes(const std::string& guest, zmq::const_buffer bytes) {
  try {
    guests_socket_.send(zmq::buffer(guest), zmq::send_flags::sndmore);
    guests_socket_.send(bytes);
  } catch (const zmq::error_t&) {
    // Its connection has ended: silence will show it, unless it comes back before.
  }
}

void Host::run() {
  report();
  while (state_ == State::training) poll_once();
  if (state_ == State::lost) return;
  for (const auto& [name, guest] : guests_) send(name, {.kind = FrameKind::bye});
  const auto written = read_rendezvous(plan_.rendezvous);
  const auto bound = guests_socket_.get(zmq::sockopt::last_endpoint);
  if (written && written->address.ends_with(bound.substr(bound.rfind(':'))))
    std::filesystem::remove(plan_.rendezvous);
}

void Host::poll_once() {
  std::array<zmq::pollitem_t, 3> items{{{guests_socket_.handle(), 0, ZMQ_POLLIN, 0},
                                        {training_socket_.handle(), 0, ZMQ_POLLIN, 0},
                                        {nullptr, plan_.control.fd(), ZMQ_POLLIN, 0}}};
  wait_for_any(items, beat_ms);
  if (items[2].revents != 0) {
    auto passed = ipc::receive_passed(plan_.control.fd());
    if (!passed || passed->number == ipc::training_ended) {
      state_ = passed ? State::ended : State::lost;
      return;
    }
    give(static_cast<std::uint64_t>(passed->number), std::move(passed->file));
  }
  if (items[1].revents != 0) from_training();
  if (items[0].revents != 0) from_guests();
  if (Clock::now() >= next_tick_) tick();
  report();
}

// Hands an actor to a guest. Without one the socket is closed, which the training notices.
void Host::give(std::uint64_t index, FileHandle socket) {
  const auto free = std::find_if(guests_.begin(), guests_.end(),
                                 [](const auto& entry) { return !entry.second.seat; });
  if (free == guests_.end() || index >= plan_.seats || !socket) return;
  const auto number = next_seat_++;
  auto& seat = seats_[number];
  seat.number = number;
  seat.index = index;
  seat.guest = free->first;
  seat.channel = std::make_unique<ipc::Channel>(std::move(socket));
  seat.reader = std::jthread(
      [this, number, channel = seat.channel.get()] { read_training(context_, number, *channel); });
  free->second.seat = number;
  send(seat.guest, {.kind = FrameKind::assign,
                    .seat = number,
                    .body = body_of({plan_.trainer, index, plan_.seats, plan_.layout})});
}

void Host::from_training() {
  zmq::message_t number, bytes;
  if (!training_socket_.recv(number)) return;
  std::uint64_t key = 0;
  std::memcpy(&key, number.data(), sizeof key);
  const auto found = seats_.find(key);
  if (!number.more()) {  // the training has closed the socket
    if (const auto guest = guests_.find(found->second.guest); guest != guests_.end()) {
      send(guest->first, {.kind = FrameKind::release, .seat = key});
      guest->second.seat.reset();
    }
    seats_.erase(found);
    return;
  }
  if (!training_socket_.recv(bytes)) return;
  auto& seat = found->second;
  if (seat.guest.empty()) return;
  const auto header = frame_of(bytes.to_string_view().substr(0, header_bytes()));
  const bool refused = header && header->message == ipc::MessageKind::refused;
  // The reason is written before the guest learns that it must end.
  if (refused) say_expelled(seat.guest, "what it sent was refused by the training");
  send_weights(seat);
  send_bytes(seat.guest, {bytes.data(), bytes.size()});
  if (!header) return;
  if (refused) return lose(seat.guest);
  const bool asks =
      header->message == ipc::MessageKind::grant || header->message == ipc::MessageKind::park;
  if (asks && seat.owed++ == 0) seat.owed_since = Clock::now();
  if (header->message == ipc::MessageKind::park) seat.parks = true;
}

// Weights precede the first grant; after that they are sent as often as the network should carry.
void Host::send_weights(Seat& seat) {
  if (parameters_.publications() == seat.publication) return;
  const double bytes = static_cast<double>(weights_.size() * sizeof(float));
  const std::chrono::duration<double> since = Clock::now() - seat.sent;
  const double interval_s = std::max(weights_interval_s, bytes / weights_bytes_per_s);
  if (seat.publication > 0 && since.count() < interval_s) return;
  seat.publication = parameters_.read(weights_);
  seat.sent = Clock::now();
  send(seat.guest, {.kind = FrameKind::weights,
                    .seat = seat.number,
                    .number = static_cast<std::int64_t>(seat.publication),
                    .body = std::string(reinterpret_cast<const char*>(weights_.data()),
                                        weights_.size() * sizeof(float))});
}

void Host::from_guests() {
  zmq::message_t name, bytes;
  for (int i = 0; i < frames_at_once; ++i) {
    if (!guests_socket_.recv(name, zmq::recv_flags::dontwait)) return;
    if (!name.more() || !guests_socket_.recv(bytes)) continue;
    while (bytes.more() && guests_socket_.recv(bytes)) {  // parts that no guest sends
    }
    const auto frame = frame_of(bytes.to_string_view());
    if (frame)
      hear(name.to_string(), *frame);
    else
      expel(name.to_string(), "what it sent is no message of this version of hone");
  }
}

void Host::hear(const std::string& name, const Frame& frame) {
  if (frame.kind == FrameKind::hello) {
    lose(name);
    if (guests_.size() < guests_max) guests_[name].heard = Clock::now();
    return;
  }
  const auto found = guests_.find(name);
  if (found == guests_.end()) return;
  auto& guest = found->second;
  guest.heard = Clock::now();
  if (frame.kind == FrameKind::beat) return;
  if (frame.kind == FrameKind::left) return lose(name);
  if (frame.kind != FrameKind::message) return expel(name, "what it sent is no message of a guest");
  if (guest.seat != frame.seat) return;  // played before it heard of its release
  auto& seat = seats_.at(*guest.seat);
  if (!take(seat, frame)) expel(name, "what it sent has a slot or a size that no actor has");
}

// What an actor sends, for the training. False for what no actor sends.
bool Host::take(Seat& seat, const Frame& frame) {
  seat.owed_since = Clock::now();
  if (frame.message == ipc::MessageKind::parked) {
    if (!std::exchange(seat.parks, false)) return false;
    seat.owed = 0;
    seat.channel->send({frame.message, 0, 0, frame.body});
    return true;
  }
  if (frame.message == ipc::MessageKind::tell || frame.message == ipc::MessageKind::ask) {
    // The memory holds the parameters, of which a gradient has as many.
    if (frame.body.size() > plan_.layout.bytes) return false;
    seat.channel->send({frame.message, 0, frame.number, frame.body});
    return true;
  }
  const auto used = static_cast<std::uint64_t>(frame.number);
  if (frame.message != ipc::MessageKind::played || frame.slot >= plan_.layout.slots) return false;
  if (used > plan_.layout.slot_bytes || used > frame.body.size()) return false;
  const auto slot = plan_.layout.slot(plan_.memory.bytes(), seat.index, frame.slot);
  std::memcpy(slot.data(), frame.body.data(), used);
  if (seat.owed > 0) --seat.owed;
  seat.channel->send({frame.message, frame.slot, frame.number, frame.body.substr(used)});
  return true;
}

// The training notices the end of the socket, and gives the actor to another.
void Host::lose(const std::string& name) {
  const auto guest = guests_.find(name);
  if (guest == guests_.end()) return;
  if (guest->second.seat) {
    auto& seat = seats_.at(*guest->second.seat);
    seat.guest.clear();
    ::shutdown(seat.channel->descriptor(), SHUT_RDWR);
  }
  guests_.erase(guest);
}

// It does not play as an actor does. It gets another actor only if it says hello again.
void Host::expel(const std::string& name, const char* why) {
  say_expelled(name, why);
  lose(name);
}

void Host::say_expelled(const std::string& name, const char* why) const {
  const auto guest = guests_.find(name);
  if (guest == guests_.end()) return;
  const auto& seat = guest->second.seat;
  const std::string who =
      seat ? "the guest of actor " + std::to_string(seats_.at(*seat).index + 1) : "a guest";
  std::cerr << "hone-relay: " << who << " loses its place: " << why << std::endl;
}

void Host::tick() {
  const auto now = Clock::now();
  next_tick_ = now + beat_ms;
  std::vector<std::string> silent;
  for (const auto& [name, guest] : guests_)
    if (now - guest.heard > silence_max) silent.push_back(name);
  for (const auto& name : silent) lose(name);
  std::vector<std::string> idle;
  for (const auto& [number, seat] : seats_)
    if (seat.owed > 0 && now - seat.owed_since > plan_.patience) idle.push_back(seat.guest);
  for (const auto& name : idle) expel(name, "it does not play what it is asked for");
  for (const auto& [name, guest] : guests_) send(name, {.kind = FrameKind::beat});
}

std::int32_t Host::waiting() const {
  return static_cast<std::int32_t>(std::count_if(
      guests_.begin(), guests_.end(), [](const auto& entry) { return !entry.second.seat; }));
}

void Host::report() {
  if (waiting() == reported_) return;
  reported_ = waiting();
  ipc::pass(plan_.control.fd(), reported_);  // if it is closed, poll_once() will see it
}

}  // namespace hone::relay
