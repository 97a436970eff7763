// Nodes of Gorila on other hosts: what they ask and tell, and strangers that hold the keys.
#include "worker/train/value/gorila_guests.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/unit/train/given_trainer.hpp"
#include "worker/train/ipc/shared_memory.hpp"

namespace hone::q {
namespace {

using ipc::MessageKind;

constexpr std::int64_t budget = 3000;

Options options_of(const Params& more) {
  const Params small{
      count("actors", 1),         count("hidden", 16),       count("learning_starts", 300),
      count("replay_size", 4000), count("target_every", 30), count("envs", 2)};
  return gorila_options_of(GivenTrainer("gorila", budget).job_of(with(small, more), 4)).value();
}

// A parameter server, and the desk of its guests.
struct Training {
  explicit Training(const Options& options)
      : memory(ipc::SharedMemory::make(GorilaServer::bytes(options)).value()),
        server(options, memory.bytes()) {
    server.begin(options);
    server.begin_phase(budget);
  }
  ipc::SharedMemory memory;
  GorilaServer server;
};

// A node's link by messages, without the hosts between them.
class MessageLink final : public GorilaLink {
 public:
  MessageLink(Training& training, GorilaGuests& guests) : training_(training), guests_(guests) {}

  int claim(int columns, int steps_max) override {
    guests_.begin_part(0);
    return training_.server.claim(columns, steps_max);
  }
  void pull(std::span<float> weights, std::span<std::int64_t> versions) override {
    const auto answer = guests_.hear(0, {MessageKind::ask, 0, uncounted_, {}});
    ASSERT_TRUE(answer);
    uncounted_ = 0;
    counted_ = answer->number;
    ASSERT_TRUE(read_parameters(answer->payload, weights, versions));
  }
  void push(const NodeGradient& gradient) override {
    ASSERT_TRUE(guests_.hear(0, {MessageKind::tell, 0, 0, payload_of(gradient)}));
  }
  std::int64_t count(int frames) override { return counted_ + (uncounted_ += frames); }

 private:
  Training& training_;
  GorilaGuests& guests_;
  std::int64_t counted_ = 0, uncounted_ = 0;
};

std::vector<float> learned(const Options& options, bool away) {
  Training training(options);
  GorilaGuests guests(options, training.server);
  MessageLink messages(training, guests);
  GorilaLink& link = away ? static_cast<GorilaLink&>(messages) : training.server;
  auto env = options.env.make({options.envs, options.seed, 0, options.sticky}).value();
  GorilaNode node(options, std::move(env), 0, training.server.shards().count());
  rl::EpisodeLog episodes;
  node.run(link, episodes);
  return training.server.shards().state().weights;
}

// One node that asks before each gradient has all that a node in the training has, but the frames
// of a part only after the next question: the learning rate is constant here.
TEST(GorilaGuest, learns_by_messages_the_weights_of_a_node_in_the_training) {
  for (const char* optimizer : {"adam", "adagrad"}) {
    const auto options = options_of({word("optimizer", optimizer),
                                     {"outlier_deviations", 0.0},
                                     {"learning_rate", 1e-3},
                                     {"learning_rate_end", 1e-3}});
    const auto here = learned(options, false);
    EXPECT_EQ(learned(options, true), here) << optimizer;
    EXPECT_NE(first_weights(options.net, options.weight_start, options.seed), here);
  }
}

class GorilaDesk : public testing::Test {
 protected:
  GorilaDesk()
      : options_(options_of({})), training_(options_), guests_(options_, training_.server) {}

  std::optional<ipc::Message> ask(std::int64_t played = 0) {
    return guests_.hear(0, {MessageKind::ask, 0, played, {}});
  }
  bool tell(std::string payload) {
    return guests_.hear(0, {MessageKind::tell, 0, 0, std::move(payload)}).has_value();
  }
  // A gradient of this size in each place, of which the parts can be changed.
  std::string gradient(float slope, double loss = 1, double value = 1, double norm = 1) {
    const dense::Floats slopes(training_.server.shards().size(), slope);
    return payload_of({slopes, {}, 0, loss, value, norm, false});
  }
  std::int64_t updates() { return training_.server.shards().updates(); }

  Options options_;
  Training training_;
  GorilaGuests guests_;
};

TEST_F(GorilaDesk, counts_frames_and_answers_with_those_of_all_nodes) {
  training_.server.count(100);
  EXPECT_EQ(ask(3)->number, 103);
  EXPECT_EQ(ask(0)->number, 103);
  EXPECT_FALSE(ask(-1));
  EXPECT_FALSE(ask(std::numeric_limits<std::int64_t>::max()));
  EXPECT_FALSE(ask(options_.apex.steps * options_.envs + 1)) << "more than a part has";
  EXPECT_EQ(ask(0)->number, 103);
}

TEST_F(GorilaDesk, takes_gradients_of_parameters_that_the_node_has_asked_for) {
  EXPECT_FALSE(tell(gradient(1e-3F))) << "it has no parameters";
  ASSERT_TRUE(ask());
  EXPECT_TRUE(tell(gradient(1e-3F)));
  EXPECT_EQ(updates(), 1);
}

TEST_F(GorilaDesk, refuses_what_no_node_tells) {
  ASSERT_TRUE(ask());
  const auto nan = std::nan("");
  const auto inf = std::numeric_limits<float>::infinity();
  for (const auto& wrong :
       {std::string(), std::string("x"), gradient(1e-3F) + "x", gradient(std::nanf("")),
        gradient(inf), gradient(1e30F), gradient(1.0F), gradient(1e-3F, nan), gradient(1e-3F, 1e13),
        gradient(1e-3F, 1, nan), gradient(1e-3F, 1, -1e13), gradient(1e-3F, 1, 1, nan),
        gradient(1e-3F, 1, 1, -1), gradient(1e-3F, 1, 1, 1e13)})
    EXPECT_FALSE(tell(wrong));
  auto outlier = gradient(1e-3F);
  outlier[3 * sizeof(double)] = 2;  // neither one nor the other
  EXPECT_FALSE(tell(outlier));
  EXPECT_EQ(updates(), 0);
  EXPECT_FALSE(training_.server.diverged()) << "a stranger ended the training";
}

TEST_F(GorilaDesk, takes_no_more_gradients_than_a_part_of_the_play_has) {
  ASSERT_TRUE(ask());
  int taken = 0;
  while (taken < 10'000 && tell(gradient(1e-6F))) ++taken;
  const auto part = options_.apex.steps * options_.envs;
  EXPECT_GE(taken, part / options_.train_every * options_.updates);
  EXPECT_LE(taken, (part / options_.train_every + 1) * options_.updates);
  guests_.begin_part(0);
  EXPECT_TRUE(tell(gradient(1e-6F)));
}

TEST_F(GorilaDesk, marks_outliers_and_applies_none) {
  ASSERT_TRUE(ask());
  const dense::Floats slopes(training_.server.shards().size(), 1e-3F);
  EXPECT_TRUE(tell(payload_of({slopes, {}, 0, 5, 1, 1, true})));
  EXPECT_EQ(updates(), 0);
}

}  // namespace
}  // namespace hone::q
