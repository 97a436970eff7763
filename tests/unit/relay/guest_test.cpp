// A guest against trainings that are not there, or do not behave.
#include "worker/relay/guest.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <csignal>
#include <future>
#include <mutex>
#include <thread>

#include "worker/relay/curve.hpp"

namespace hone::relay {
namespace {

std::atomic<int> signals = 0;

// A training whose every frame is chosen by the test, and a guest of it.
class GuestOfATraining : public testing::Test {
 protected:
  void SetUp() override {
    const auto ours = new_keys(), theirs = new_keys();
    doorman_ = std::make_unique<Doorman>(context_, theirs.key);
    socket_.set(zmq::sockopt::curve_server, true);
    socket_.set(zmq::sockopt::curve_secretkey, ours.secret);
    socket_.set(zmq::sockopt::linger, 0);
    socket_.bind("tcp://127.0.0.1:*");
    const Rendezvous rendezvous{socket_.get(zmq::sockopt::last_endpoint), ours.key, theirs.key,
                                theirs.secret};
    std::promise<pthread_t> started;
    thread_ = std::jthread([this, rendezvous, &started](const std::stop_token& stop) {
      started.set_value(pthread_self());
      Guest guest(rendezvous, [this](const std::string& text) {
        const std::scoped_lock lock(mutex_);
        said_ += text;
      });
      end_.set_value(guest.play(stop));
    });
    native_ = started.get_future().get();
  }
  void TearDown() override {
    thread_.request_stop();
    thread_.join();
    socket_.close();
    context_.shutdown();
    doorman_.reset();
  }

  // The name of the guest, after its first frame.
  std::string greeted() {
    zmq::message_t name, bytes;
    EXPECT_TRUE(socket_.recv(name));
    EXPECT_TRUE(socket_.recv(bytes));
    EXPECT_EQ(frame_of(bytes.to_string_view())->kind, FrameKind::hello);
    return name.to_string();
  }
  void send(const std::string& guest, const Frame& frame) {
    socket_.send(zmq::buffer(guest), zmq::send_flags::sndmore);
    socket_.send(zmq::buffer(bytes_of(frame)));
  }
  std::string said() {
    const std::scoped_lock lock(mutex_);
    return said_;
  }

  zmq::context_t context_;
  std::unique_ptr<Doorman> doorman_;
  zmq::socket_t socket_{context_, zmq::socket_type::router};
  std::mutex mutex_;
  std::string said_;
  std::promise<GuestEnd> end_;
  pthread_t native_{};
  std::jthread thread_;
};

TEST_F(GuestOfATraining, survives_signals_for_its_thread) {
  struct sigaction counts {};
  counts.sa_handler = [](int) { ++signals; };
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGUSR1, &counts, &before), 0);
  const auto guest = greeted();
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(::pthread_kill(native_, SIGUSR1), 0);
    while (signals <= i) std::this_thread::yield();
  }
  ::sigaction(SIGUSR1, &before, nullptr);
  send(guest, {.kind = FrameKind::bye});
  EXPECT_EQ(end_.get_future().get(), GuestEnd::finished);
}

TEST_F(GuestOfATraining, ends_where_the_training_refuses_what_it_played) {
  const auto guest = greeted();
  send(guest, {FrameKind::message, 0, ipc::MessageKind::refused, 0, 0, {}});
  EXPECT_EQ(end_.get_future().get(), GuestEnd::broken);
  EXPECT_NE(said().find("refused"), std::string::npos) << said();
}

TEST_F(GuestOfATraining, ends_where_the_training_assigns_no_actor_of_this_version) {
  send(greeted(), {.kind = FrameKind::assign, .body = "{}"});
  EXPECT_EQ(end_.get_future().get(), GuestEnd::broken);
}

}  // namespace
}  // namespace hone::relay
