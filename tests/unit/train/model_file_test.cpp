// Model files: they are read back as written, and every other file is refused.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "schemas/codec/json.hpp"
#include "worker/train/nn/tensor_file.hpp"
#include "worker/train/rl/model.hpp"

namespace hone {
namespace {

class ModelFile : public testing::Test {
 protected:
  ModelFile()
      : folder_(std::filesystem::temp_directory_path() /
                ("hone-model-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
                 "-" + ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
  }
  ~ModelFile() override { std::filesystem::remove_all(folder_); }

  static rl::Model model() {
    rl::Model model;
    model.env = "CartPole-v1";
    model.net = {4, 8, 2, nn::Activation::relu, 2};
    model.frames = 1234;
    model.optimizer = nn::OptimizerKind::adam;
    model.episodes = {{10, 20.5}, {10, 20}, 7};
    model.scale = {20, 1.5, 0.25};
    model.observations = {7, {1, 2, 3, 4}, {5, 6, 7, 8}};
    model.counts = {{3, 2, 1}, 0, 5};
    model.groups = {{{1, ~0ULL}, {3, 4, 5, 6}, {1.5}, {2}, {0.75}}};
    model.parameters.weights = nn::first_weights(model.net, nn::WeightStart::scaled, 1);
    model.parameters.mean_square.assign(model.parameters.weights.size(), 0.25F);
    model.parameters.mean.assign(model.parameters.weights.size(), -0.5F);
    model.parameters.frames = 1200;
    model.parameters.updates = 11;
    return model;
  }

  std::filesystem::path written() {
    const auto path = folder_ / "model.safetensors";
    EXPECT_TRUE(rl::write_model(path, model()).ok());
    return path;
  }

  static std::string bytes(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  std::filesystem::path with_bytes(const std::string& content) {
    const auto path = folder_ / "other.safetensors";
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  std::filesystem::path folder_;
};

TEST_F(ModelFile, reads_back_all_that_was_written) {
  const auto read = rl::read_model(written());
  ASSERT_TRUE(read.ok()) << read.error().detail;
  const auto original = model();
  EXPECT_EQ(read->env, original.env);
  EXPECT_EQ(read->net, original.net);
  EXPECT_EQ(read->frames, original.frames);
  EXPECT_EQ(read->parameters.weights, original.parameters.weights);
  EXPECT_EQ(read->parameters.mean_square, original.parameters.mean_square);
  EXPECT_EQ(read->parameters.mean, original.parameters.mean);
  EXPECT_EQ(read->optimizer, original.optimizer);
  EXPECT_EQ(read->counts.kept, original.counts.kept);
  EXPECT_EQ(read->counts.moves, original.counts.moves);
  EXPECT_EQ(read->episodes.last_lengths, original.episodes.last_lengths);
  EXPECT_EQ(read->groups[0].running_lengths, original.groups[0].running_lengths);
  EXPECT_EQ(read->parameters.frames, original.parameters.frames);
  EXPECT_EQ(read->parameters.updates, original.parameters.updates);
  EXPECT_EQ(read->episodes.last, original.episodes.last);
  EXPECT_EQ(read->episodes.finished, original.episodes.finished);
  EXPECT_EQ(read->scale.count, original.scale.count);
  EXPECT_EQ(read->scale.mean, original.scale.mean);
  EXPECT_EQ(read->scale.squares, original.scale.squares);
  EXPECT_EQ(read->observations.count, original.observations.count);
  EXPECT_EQ(read->observations.mean, original.observations.mean);
  EXPECT_EQ(read->observations.squares, original.observations.squares);
  ASSERT_EQ(read->groups.size(), 1U);
  EXPECT_EQ(read->groups[0].environments, original.groups[0].environments);
  EXPECT_EQ(read->groups[0].streams, original.groups[0].streams);
  EXPECT_EQ(read->groups[0].running_returns, original.groups[0].running_returns);
  EXPECT_EQ(read->groups[0].discounted_returns, original.groups[0].discounted_returns);
}

TEST_F(ModelFile, is_written_the_same_twice) {
  const auto first = bytes(written());
  EXPECT_EQ(first, bytes(written()));
}

TEST_F(ModelFile, refuses_every_truncation) {
  const auto whole = bytes(written());
  for (std::size_t length = 0; length < whole.size(); length += 7)
    EXPECT_FALSE(rl::read_model(with_bytes(whole.substr(0, length))).ok()) << length;
}

TEST_F(ModelFile, refuses_every_flipped_bit_of_the_data_and_survives_those_of_the_header) {
  const auto whole = bytes(written());
  std::uint64_t header = 0;
  std::memcpy(&header, whole.data(), sizeof header);
  const auto data_start = sizeof header + header;
  for (std::size_t i = 0; i < whole.size(); i += 3) {
    auto damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    const auto read = rl::read_model(with_bytes(damaged));
    EXPECT_TRUE(i < data_start || !read.ok()) << "byte " << i;
  }
}

TEST_F(ModelFile, says_in_one_sentence_what_is_wrong) {
  const auto missing = rl::read_model(folder_ / "none");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, Code::not_found);
  const auto alien = rl::read_model(with_bytes("learning_rate: 0.001\nt_max: 8\n"));
  ASSERT_FALSE(alien.ok());
  EXPECT_NE(alien.error().detail.find("is not a model file of hone"), std::string::npos);
  auto content = bytes(written());
  content.back() = static_cast<char>(content.back() ^ 1);
  const auto damaged = rl::read_model(with_bytes(content));
  ASSERT_FALSE(damaged.ok());
  EXPECT_NE(damaged.error().detail.find("is damaged"), std::string::npos);
}

// The state is JSON in a text of the file, which no checksum covers.
class DamagedState : public ModelFile {
 protected:
  DamagedState() : file_(trainers::read_tensor_file(written()).value()) {
    state_ = Json::parse(*trainers::find_text(file_, "state"));
  }

  std::string refusal(const Json& state) {
    auto damaged = file_;
    for (auto& [name, text] : damaged.texts)
      if (name == "state") text = state.dump();
    std::erase_if(damaged.texts, [](const auto& text) { return text.first == "crc32"; });
    const auto path = folder_ / "damaged.safetensors";
    EXPECT_TRUE(trainers::write_tensor_file(path, damaged).ok());
    const auto read = rl::read_model(path);
    return read.ok() ? "" : read.error().detail;
  }

  trainers::TensorFile file_;
  Json state_;
};

TEST_F(DamagedState, is_read_if_it_is_not_damaged) { EXPECT_EQ(refusal(state_), ""); }

TEST_F(DamagedState, is_refused_if_a_member_is_missing) {
  for (const char* name : {"env", "inputs", "hidden", "actions", "activation", "frames",
                           "trained_frames", "updates", "episodes", "agents"}) {
    auto damaged = state_;
    damaged.erase(name);
    EXPECT_NE(refusal(damaged).find("'" + std::string(name) + "' is missing or wrong"),
              std::string::npos)
        << name;
  }
}

TEST_F(DamagedState, a_count_below_zero_was_counted_on_from) {
  for (const char* name : {"frames", "trained_frames", "updates", "episodes"}) {
    auto damaged = state_;
    damaged[name] = std::numeric_limits<std::int64_t>::min();
    EXPECT_NE(refusal(damaged).find("is missing or wrong"), std::string::npos) << name;
  }
}

TEST_F(DamagedState, is_refused_if_a_member_is_of_another_kind) {
  for (const auto& [name, value] : state_.items()) {
    auto damaged = state_;
    damaged[name] = value.is_string() ? Json(7) : Json("seven");
    EXPECT_NE(refusal(damaged), "") << name;
  }
}

TEST_F(DamagedState, is_refused_if_a_size_cannot_be) {
  for (const char* name : {"inputs", "hidden", "actions", "layers", "agents"})
    for (const std::int64_t size : {std::int64_t{-1}, std::int64_t{1} << 40}) {
      auto damaged = state_;
      damaged[name] = size;
      EXPECT_NE(refusal(damaged), "") << name << " " << size;
    }
}

TEST_F(DamagedState, is_refused_if_its_sizes_are_not_those_of_the_tensors) {
  for (const char* name : {"inputs", "hidden", "actions", "layers"}) {
    auto damaged = state_;
    damaged[name] = state_[name].get<int>() + 1;
    EXPECT_NE(refusal(damaged).find("tensor"), std::string::npos) << name;
  }
}

TEST_F(DamagedState, is_refused_if_planes_are_not_those_of_the_observation) {
  auto damaged = state_;
  damaged["network"] = "minatar";
  for (const Json& planes : {Json{0, 0, 0}, Json{10, 10, 4}, Json{1 << 20, 1 << 20, 1 << 20}}) {
    damaged["planes"] = planes;
    EXPECT_NE(refusal(damaged), "") << planes.dump();
  }
}

TEST_F(DamagedState, of_an_older_version_may_lack_newer_members) {
  auto older = state_;
  for (const char* name : {"network", "planes", "policy", "staff"}) older.erase(name);
  EXPECT_EQ(refusal(older), "");
}

TEST_F(ModelFile, refuses_tensors_that_point_outside_the_data) {
  const std::string header =
      R"({"a":{"dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4]},)"
      R"("__metadata__":{"crc32":"0"}})";
  std::string content(8, '\0');
  content[0] = static_cast<char>(header.size());
  EXPECT_FALSE(trainers::read_tensor_file(with_bytes(content + header + "abcd")).ok());
}

// A cast of 1e300 to a size is undefined, one of 4294967297 to an int is 1.
TEST_F(ModelFile, refuses_sizes_that_are_no_whole_numbers_or_too_large_for_one) {
  for (const char* shape : {"[1.0]", "[1e300]", "[-1]", "[\"1\"]", "1", "[18446744073709551617]"}) {
    const std::string header = std::string(R"({"a":{"dtype":"F32","shape":)") + shape +
                               R"(,"data_offsets":[0,4]},"__metadata__":{"crc32":"0"}})";
    std::string content(8, '\0');
    content[0] = static_cast<char>(header.size());
    EXPECT_FALSE(trainers::read_tensor_file(with_bytes(content + header + "abcd")).ok()) << shape;
  }
}

TEST_F(DamagedState, is_refused_if_a_whole_number_was_cut_to_a_smaller_one) {
  for (const char* name : {"inputs", "hidden", "actions", "layers"}) {
    auto damaged = state_;
    damaged[name] = state_[name].get<std::int64_t>() + (std::int64_t{1} << 32);
    EXPECT_NE(refusal(damaged).find("'" + std::string(name) + "'"), std::string::npos) << name;
  }
  auto damaged = state_;
  damaged["planes"] = {1e300, 1.5, 4};
  EXPECT_NE(refusal(damaged).find("'planes'"), std::string::npos);
}

// Its convolution had -1 rows: two such extents made a size above 0, which was accepted.
TEST_F(ModelFile, refuses_a_convolution_that_is_larger_than_its_planes) {
  auto small = model();
  small.net.kind = nn::NetKind::minatar;
  small.net.planes = {1, 1, 4};
  for (auto* values :
       {&small.parameters.weights, &small.parameters.mean_square, &small.parameters.mean})
    values->assign(nn::parameter_count(small.net), 0.5F);
  const auto path = folder_ / "small.safetensors";
  ASSERT_TRUE(rl::write_model(path, small).ok());
  const auto read = rl::read_model(path);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().detail.find("'inputs'"), std::string::npos) << read.error().detail;
}

TEST_F(ModelFile, refuses_a_folder_that_is_not_there) {
  const auto status = rl::write_model(folder_ / "no" / "model", model());
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().detail.find("cannot write"), std::string::npos);
}

}  // namespace
}  // namespace hone
