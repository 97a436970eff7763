// The training's side against guests that hold the keys and do not behave.
#include "worker/relay/host.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <thread>

#include "worker/train/ipc/descriptor_passing.hpp"

namespace hone::relay {
namespace {

constexpr std::uint64_t slot_bytes = 64;

ipc::SharedLayout layout() {
  const auto parameters = ipc::SharedParameters::bytes(4);
  return {parameters + 4 * slot_bytes, 0, 4, parameters, slot_bytes, slot_bytes, 2};
}

std::array<FileHandle, 2> pair(int type) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {FileHandle(ends[0]), FileHandle(ends[1])};
}

// A training without an algorithm, and the host of its guests.
class HostOfGuests : public testing::Test {
 protected:
  void SetUp() override {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    file_ = std::filesystem::path(testing::TempDir()) / (test + ".hosts");
    auto [ours, theirs] = pair(SOCK_SEQPACKET);
    control_ = std::move(ours);
    auto memory = ipc::SharedMemory::open(FileHandle(::dup(memory_.descriptor()))).value();
    ipc::SharedParameters(memory_.bytes(), 4).publish(std::array<float, 4>{1, 2, 3, 4});
    auto host = Host::open({file_, "127.0.0.1", "apex", std::move(theirs), std::move(memory),
                            layout(), 2, patience()});
    ASSERT_TRUE(host) << host.error().detail;
    host_ = *std::move(host);
    thread_ = std::jthread([this] { host_->run(); });
    EXPECT_EQ(waiting(), 0);
  }
  void TearDown() override {
    if (!thread_.joinable()) return;
    EXPECT_TRUE(ipc::pass(control_.fd(), ipc::training_ended));
    thread_.join();
    EXPECT_FALSE(std::filesystem::exists(file_)) << "the file outlived the training";
  }

  [[nodiscard]] virtual std::chrono::milliseconds patience() const { return play_max; }

  // What the host says next about guests that wait.
  [[nodiscard]] int waiting() const {
    const auto passed = ipc::receive_passed(control_.fd());
    return passed ? passed->number : -1;
  }
  // Hands out an actor, and returns the training's end of its socket.
  ipc::Channel actor(int index) {
    auto [ours, theirs] = pair(SOCK_STREAM);
    EXPECT_TRUE(ipc::pass(control_.fd(), index, theirs.fd()));
    return ipc::Channel(std::move(ours));
  }

  std::filesystem::path file_;
  ipc::SharedMemory memory_ = ipc::SharedMemory::make(layout().bytes).value();
  FileHandle control_;
  std::unique_ptr<Host> host_;
  std::jthread thread_;
};

class ImpatientHost : public HostOfGuests {
  [[nodiscard]] std::chrono::milliseconds patience() const override {
    return std::chrono::milliseconds(1'500);
  }
};

bool ends_within(int ms, const ipc::Channel& training) {
  pollfd ends{training.descriptor(), POLLIN, 0};
  return ::poll(&ends, 1, ms) > 0;
}

// A guest whose every frame is chosen by the test.
class RogueGuest {
 public:
  explicit RogueGuest(const Rendezvous& rendezvous) : socket_(context_, zmq::socket_type::dealer) {
    socket_.set(zmq::sockopt::curve_serverkey, rendezvous.training_key);
    socket_.set(zmq::sockopt::curve_publickey, rendezvous.guest_key);
    socket_.set(zmq::sockopt::curve_secretkey, rendezvous.guest_secret);
    socket_.set(zmq::sockopt::linger, 0);
    socket_.connect(rendezvous.address);
  }
  void send(const Frame& frame) { send_bytes(bytes_of(frame)); }
  void send_bytes(const std::string& bytes) { socket_.send(zmq::buffer(bytes)); }
  // The next frame of a kind.
  Frame receive(FrameKind kind) {
    for (;;) {
      zmq::message_t bytes;
      EXPECT_TRUE(socket_.recv(bytes));
      auto frame = frame_of(bytes.to_string_view());
      if (frame && frame->kind == kind) return *std::move(frame);
    }
  }
  Frame receive_any() {
    zmq::message_t bytes;
    EXPECT_TRUE(socket_.recv(bytes));
    return frame_of(bytes.to_string_view()).value_or(Frame{});
  }
  bool hears_anything(int ms) {
    std::array<zmq::pollitem_t, 1> items{{{socket_.handle(), 0, ZMQ_POLLIN, 0}}};
    return zmq::poll(items, std::chrono::milliseconds(ms)) > 0;
  }

 private:
  zmq::context_t context_;
  zmq::socket_t socket_;
};

Frame played(std::uint64_t seat, std::uint32_t slot, std::int64_t number, std::string body) {
  return {FrameKind::message, seat, ipc::MessageKind::played, slot, number, std::move(body)};
}

TEST_F(HostOfGuests, an_actor_is_played_by_a_guest) {
  RogueGuest guest(read_rendezvous(file_).value());
  guest.send({.kind = FrameKind::hello});
  EXPECT_EQ(waiting(), 1);
  auto training = actor(1);
  const auto assign = guest.receive(FrameKind::assign);
  EXPECT_EQ(assignment_of(assign.body)->index, 1u);
  EXPECT_EQ(waiting(), 0);
  ASSERT_TRUE(training.send({ipc::MessageKind::grant, 1, 8, {}}));
  const auto weights = guest.receive(FrameKind::weights);
  EXPECT_EQ(weights.number, 1);
  std::array<float, 4> floats{};
  ASSERT_EQ(weights.body.size(), sizeof floats);
  std::memcpy(floats.data(), weights.body.data(), sizeof floats);
  EXPECT_EQ(floats, (std::array<float, 4>{1, 2, 3, 4}));
  EXPECT_EQ(guest.receive(FrameKind::message).number, 8);
  guest.send(played(assign.seat, 1, 5, "12345episodes"));
  const auto message = training.receive();
  ASSERT_TRUE(message);
  EXPECT_EQ(message->kind, ipc::MessageKind::played);
  EXPECT_EQ(message->payload, "episodes");
  const auto slot = layout().slot(memory_.bytes(), 1, 1);
  EXPECT_EQ(std::memcmp(slot.data(), "12345", 5), 0);
}

TEST_F(HostOfGuests, a_guest_sends_the_states_of_its_environments_once_for_each_park) {
  RogueGuest guest(read_rendezvous(file_).value());
  guest.send({.kind = FrameKind::hello});
  EXPECT_EQ(waiting(), 1);
  auto training = actor(1);
  const auto seat = guest.receive(FrameKind::assign).seat;
  const Frame parked{FrameKind::message, seat, ipc::MessageKind::parked, 0, 0, "states"};
  for (int phase = 0; phase < 2; ++phase) {
    ASSERT_TRUE(training.send({ipc::MessageKind::park, 0, 0, {}}));
    EXPECT_EQ(guest.receive(FrameKind::message).message, ipc::MessageKind::park);
    guest.send(parked);
    const auto message = training.receive();
    ASSERT_TRUE(message);
    EXPECT_EQ(message->payload, "states");
  }
  guest.send(parked);
  EXPECT_FALSE(training.receive()) << "states that the training did not ask for filled its memory";
}

// As nodes of gorila do.
TEST_F(HostOfGuests, a_guest_asks_and_tells_its_trainer) {
  RogueGuest guest(read_rendezvous(file_).value());
  guest.send({.kind = FrameKind::hello});
  EXPECT_EQ(waiting(), 1);
  auto training = actor(0);
  const auto seat = guest.receive(FrameKind::assign).seat;
  for (const auto kind : {ipc::MessageKind::tell, ipc::MessageKind::ask}) {
    guest.send({FrameKind::message, seat, kind, 0, 7, "body"});
    const auto message = training.receive();
    ASSERT_TRUE(message);
    EXPECT_EQ(message->kind, kind);
    EXPECT_EQ(message->number, 7);
    EXPECT_EQ(message->payload, "body");
  }
  ASSERT_TRUE(training.send({ipc::MessageKind::answer, 0, 9, "parameters"}));
  const auto answer = guest.receive(FrameKind::message);
  EXPECT_EQ(answer.message, ipc::MessageKind::answer);
  EXPECT_EQ(answer.number, 9);
  EXPECT_EQ(answer.body, "parameters");
}

TEST_F(HostOfGuests, a_guest_that_sends_what_no_actor_sends_loses_its_actor) {
  const std::vector<std::function<std::string(std::uint64_t)>> wrong{
      [](std::uint64_t seat) { return bytes_of(played(seat, 2, 1, "x")); },
      [](std::uint64_t seat) {
        return bytes_of(played(seat, 0, slot_bytes + 1, std::string(99, 'x')));
      },
      [](std::uint64_t seat) { return bytes_of(played(seat, 0, -1, "x")); },
      [](std::uint64_t seat) { return bytes_of(played(seat, 0, 9, "short")); },
      [](std::uint64_t seat) {
        return bytes_of({FrameKind::message, seat, ipc::MessageKind::grant, 0, 1, {}});
      },
      [](std::uint64_t seat) {
        return bytes_of({FrameKind::message, seat, ipc::MessageKind::answer, 0, 1, {}});
      },
      [](std::uint64_t seat) {  // it was not asked to park
        return bytes_of({FrameKind::message, seat, ipc::MessageKind::parked, 0, 0, "{}"});
      },
      [](std::uint64_t seat) {
        return bytes_of({FrameKind::message, seat, ipc::MessageKind::tell, 0, 0,
                         std::string(layout().bytes + 1, 'x')});
      },
      [](std::uint64_t seat) { return bytes_of({.kind = FrameKind::weights, .seat = seat}); },
      [](std::uint64_t) { return std::string("no frame"); },
      [](std::uint64_t) { return std::string(); }};
  for (const auto& bytes : wrong) {
    RogueGuest guest(read_rendezvous(file_).value());
    guest.send({.kind = FrameKind::hello});
    EXPECT_EQ(waiting(), 1);
    auto training = actor(0);
    const auto assign = guest.receive(FrameKind::assign);
    EXPECT_EQ(waiting(), 0);
    guest.send_bytes(bytes(assign.seat));
    EXPECT_FALSE(training.receive()) << "the training did not notice: " << bytes(assign.seat);
  }
}

TEST_F(HostOfGuests, a_guest_that_the_training_refuses_gets_no_other_actor) {
  RogueGuest guest(read_rendezvous(file_).value());
  guest.send({.kind = FrameKind::hello});
  EXPECT_EQ(waiting(), 1);
  {
    auto training = actor(0);
    static_cast<void>(guest.receive(FrameKind::assign));
    EXPECT_EQ(waiting(), 0);
    ASSERT_TRUE(training.send({ipc::MessageKind::refused, 0, 0, {}}));
    EXPECT_EQ(guest.receive(FrameKind::message).message, ipc::MessageKind::refused);
  }
  auto training = actor(1);
  EXPECT_FALSE(training.receive());
  guest.send({.kind = FrameKind::hello});
  EXPECT_EQ(waiting(), 1);
}

TEST_F(HostOfGuests, what_a_guest_played_before_it_was_released_is_ignored) {
  RogueGuest guest(read_rendezvous(file_).value());
  guest.send({.kind = FrameKind::hello});
  EXPECT_EQ(waiting(), 1);
  std::uint64_t released = 0;
  {
    auto training = actor(0);
    released = guest.receive(FrameKind::assign).seat;
    EXPECT_EQ(waiting(), 0);
  }
  EXPECT_EQ(guest.receive(FrameKind::release).seat, released);
  EXPECT_EQ(waiting(), 1);
  auto training = actor(1);
  const auto assign = guest.receive(FrameKind::assign);
  guest.send(played(released, 0, 3, "old"));
  guest.send(played(assign.seat, 0, 3, "new"));
  ASSERT_TRUE(training.receive());
  EXPECT_EQ(std::memcmp(layout().slot(memory_.bytes(), 1, 0).data(), "new", 3), 0);
  EXPECT_NE(std::memcmp(layout().slot(memory_.bytes(), 0, 0).data(), "old", 3), 0);
}

TEST_F(ImpatientHost, a_guest_that_lived_and_never_played_kept_its_actor_for_ever) {
  RogueGuest guest(read_rendezvous(file_).value());
  guest.send({.kind = FrameKind::hello});
  EXPECT_EQ(waiting(), 1);
  auto training = actor(0);
  static_cast<void>(guest.receive(FrameKind::assign));
  for (int i = 0; i < 3; ++i) {  // nothing is asked of it yet: longer than the host has patience
    static_cast<void>(guest.receive(FrameKind::beat));
    guest.send({.kind = FrameKind::beat});
    EXPECT_FALSE(ends_within(0, training));
  }
  ASSERT_TRUE(training.send({ipc::MessageKind::grant, 0, 8, {}}));
  while (!ends_within(500, training)) guest.send({.kind = FrameKind::beat});
  EXPECT_FALSE(training.receive());
}

// Its guests left when they should have looked for it again: the end of its sockets came before the
// signal that ends its relay.
TEST_F(HostOfGuests, guests_of_a_killed_training_were_told_that_it_had_ended) {
  RogueGuest guest(read_rendezvous(file_).value());
  guest.send({.kind = FrameKind::hello});
  EXPECT_EQ(waiting(), 1);
  control_.close();
  thread_.join();
  EXPECT_TRUE(std::filesystem::exists(file_));
  host_.reset();
  while (guest.hears_anything(300)) EXPECT_NE(guest.receive_any().kind, FrameKind::bye);
}

TEST_F(HostOfGuests, an_actor_that_nobody_can_play_is_given_back) {
  auto training = actor(0);
  EXPECT_FALSE(training.receive());
  auto none = actor(2);  // there are two
  EXPECT_FALSE(none.receive());
}

TEST_F(HostOfGuests, who_has_other_keys_is_not_heard) {
  auto rendezvous = read_rendezvous(file_).value();
  const auto other = new_keys();
  rendezvous.guest_key = other.key;
  rendezvous.guest_secret = other.secret;
  RogueGuest stranger(rendezvous);
  stranger.send({.kind = FrameKind::hello});
  RogueGuest guest(read_rendezvous(file_).value());
  guest.send({.kind = FrameKind::hello});
  EXPECT_EQ(waiting(), 1);
  static_cast<void>(guest.receive(FrameKind::beat));
  static_cast<void>(guest.receive(FrameKind::beat));
  EXPECT_FALSE(stranger.hears_anything(0)) << "beats went to a stranger";
}

}  // namespace
}  // namespace hone::relay
