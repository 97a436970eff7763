#include "worker/relay/guest.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/process.hpp"
#include "worker/relay/curve.hpp"
#include "worker/relay/poll.hpp"
#include "worker/relay/timing.hpp"

namespace hone::relay {
namespace {

// The states of all environments of a run, and the weights, are far below.
constexpr std::int64_t frame_bytes_max = std::int64_t{1} << 30;
// Between two looks at the stop token.
constexpr std::chrono::milliseconds poll_ms{200};

std::string train_program() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "hone-train").string();
}

}  // namespace

LocalActor::LocalActor(const Assignment& assignment, ipc::SharedMemory memory, ipc::Channel channel)
    : assignment_(assignment),
      memory_(std::move(memory)),
      parameters_(memory_.bytes().subspan(assignment.layout.parameters), assignment.layout.floats),
      channel_(std::move(channel)) {}

Result<std::unique_ptr<LocalActor>> LocalActor::start(const Assignment& assignment) {
  auto memory = ipc::SharedMemory::make(assignment.layout.bytes);
  if (!memory) return std::move(memory).error();
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    return refuse(Code::unavailable, std::string("no pair of sockets: ") + std::strerror(errno));
  FileHandle ours(pair[0]), theirs(pair[1]);
  std::unique_ptr<LocalActor> actor(
      new LocalActor(assignment, *std::move(memory), ipc::Channel(std::move(ours))));
  const int shared = actor->memory_.descriptor();
  const auto pid = start_process({.argv = {"hone-train", assignment.trainer, "--serve",
                                           std::to_string(theirs.fd()), std::to_string(shared)},
                                  .program = train_program(),
                                  .inherited = {theirs.fd(), shared},
                                  .death_signal = SIGKILL});
  if (!pid) return pid.error();
  actor->pid_ = *pid;
  return actor;
}

LocalActor::~LocalActor() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  wait_for(pid_);
}

void LocalActor::publish(const Frame& weights) {
  std::vector<float> floats(assignment_.layout.floats);
  const auto number = static_cast<std::uint64_t>(weights.number);
  if (weights.body.size() != floats.size() * sizeof(float)) return;
  if (weights.number <= 0 || number <= parameters_.publications()) return;
  std::memcpy(floats.data(), weights.body.data(), weights.body.size());
  parameters_.publish_as(number, floats);
}

std::optional<Frame> LocalActor::receive() {
  auto message = channel_.receive();
  if (!message) return std::nullopt;
  Frame frame{FrameKind::message, 0, message->kind, message->slot, message->number, {}};
  const auto& layout = assignment_.layout;
  if (message->kind == ipc::MessageKind::played) {
    has_played_ = true;
    const auto used = static_cast<std::uint64_t>(message->number);
    if (message->slot >= layout.slots || used > layout.slot_bytes) return std::nullopt;
    const auto slot = layout.slot(memory_.bytes(), assignment_.index, message->slot);
    frame.body.assign(reinterpret_cast<const char*>(slot.data()), used);
  }
  frame.body += message->payload;
  return frame;
}

Guest::Guest(const Rendezvous& rendezvous, std::function<void(const std::string&)> say)
    : say_(std::move(say)), socket_(context_, zmq::socket_type::dealer) {
  socket_.set(zmq::sockopt::curve_serverkey, rendezvous.training_key);
  socket_.set(zmq::sockopt::curve_publickey, rendezvous.guest_key);
  socket_.set(zmq::sockopt::curve_secretkey, rendezvous.guest_secret);
  socket_.set(zmq::sockopt::linger, 0);
  socket_.set(zmq::sockopt::maxmsgsize, frame_bytes_max);
  socket_.connect(rendezvous.address);
}

void Guest::send(const Frame& frame) {
  // A full queue means that the training does not answer: silence will show it.
  static_cast<void>(socket_.send(zmq::buffer(bytes_of(frame)), zmq::send_flags::dontwait));
}

GuestEnd Guest::play(const std::stop_token& stop) {
  send({.kind = FrameKind::hello});
  heard_ = Clock::now();
  auto next_beat = heard_ + beat_ms;
  while (!stop.stop_requested()) {
    std::array<zmq::pollitem_t, 2> items{
        {{socket_.handle(), 0, ZMQ_POLLIN, 0},
         {nullptr, actor_ ? actor_->descriptor() : -1, ZMQ_POLLIN, 0}}};
    wait_for_any(std::span(items).first(actor_ ? 2 : 1), poll_ms);
    if (items[0].revents != 0)
      if (const auto end = hear()) return *end;
    if (actor_ && items[1].revents != 0)
      if (const auto end = pass_on()) return *end;
    if (Clock::now() - heard_ > silence_max) return GuestEnd::silent;
    if (Clock::now() < next_beat) continue;
    send({.kind = FrameKind::beat});
    next_beat = Clock::now() + beat_ms;
  }
  send({.kind = FrameKind::left});
  return GuestEnd::stopped;
}

std::optional<GuestEnd> Guest::hear() {
  zmq::message_t bytes;
  while (socket_.recv(bytes, zmq::recv_flags::dontwait)) {
    const auto frame = frame_of(bytes.to_string_view());
    if (!frame) {
      say_("the training sends messages of another version of hone");
      return GuestEnd::broken;
    }
    heard_ = Clock::now();
    was_heard_ = true;
    if (const auto end = obey(*frame)) return end;
  }
  return std::nullopt;
}

std::optional<GuestEnd> Guest::obey(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::assign:
      return begin(frame);
    case FrameKind::weights:
      if (actor_ && frame.seat == seat_) actor_->publish(frame);
      return std::nullopt;
    case FrameKind::message:
      if (frame.seat == seat_ && frame.message == ipc::MessageKind::refused) {
        say_(
            "the training refused what this host played: its memory is faulty, or the two sides "
            "have different environments");
        return GuestEnd::broken;
      }
      if (actor_ && frame.seat == seat_)  // its end shows at the next receive()
        actor_->send({frame.message, frame.slot, frame.number, frame.body});
      return std::nullopt;
    case FrameKind::release:
      if (frame.seat == seat_) actor_.reset();
      return std::nullopt;
    case FrameKind::bye:
      return GuestEnd::finished;
    case FrameKind::hello:
    case FrameKind::left:
    case FrameKind::beat:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<GuestEnd> Guest::begin(const Frame& frame) {
  const auto assignment = assignment_of(frame.body);
  if (!assignment) {
    say_("the training asks for an actor that this version of hone does not know");
    return GuestEnd::broken;
  }
  seat_ = frame.seat;
  actor_.reset();
  auto actor = LocalActor::start(*assignment);
  if (!actor) {
    say_("cannot start an actor: " + actor.error().detail);
    return GuestEnd::broken;
  }
  actor_ = *std::move(actor);
  say_("playing " + assignment->trainer + " as actor " + std::to_string(assignment->index + 1) +
       " of " + std::to_string(assignment->seats));
  return std::nullopt;
}

// What the actor sends. One that has ended is reported, and this guest waits for another.
std::optional<GuestEnd> Guest::pass_on() {
  auto frame = actor_->receive();
  if (frame) {
    frame->seat = seat_;
    send(*frame);
    return std::nullopt;
  }
  const bool played = actor_->has_played();
  actor_.reset();
  send({.kind = FrameKind::left});
  if (!played) {
    say_("the actor ended before it had played; its message is above");
    return GuestEnd::broken;
  }
  send({.kind = FrameKind::hello});
  return std::nullopt;
}

}  // namespace hone::relay
