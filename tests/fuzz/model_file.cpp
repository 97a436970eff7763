// A model file of hone-train: its header in the first line, the JSON of its state in the second,
// then the data. The target adds the length of the header and the checksum, which no mutation would
// keep right. A model that is accepted is played, and a replay memory is continued.
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "worker/train/envs/bridge/gym_env.hpp"
#include "worker/train/replay/checkpoint.hpp"
#include "worker/train/rl/evaluate.hpp"
#include "worker/train/rl/model.hpp"

namespace hone::fuzz {
namespace {

using trainers::TensorFile;

// CRC-32, as of zip.
std::string checksum_of(std::string_view data) {
  std::uint32_t crc = ~0U;
  for (const char c : data) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%x", ~crc);
  return text.data();
}

std::string model_file(Json header, std::string_view state, std::string_view data) {
  Json& texts = header["__metadata__"];
  if (texts.is_null()) texts = Json::object();
  if (texts.is_object()) {
    if (!state.empty()) texts["state"] = state;
    texts["crc32"] = checksum_of(data);
  }
  const std::string text = to_text(header);
  const std::uint64_t length = text.size();
  std::string file(sizeof length, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  return file.append(text).append(data);
}

bool same(const TensorFile& a, const TensorFile& b) {
  if (a.texts != b.texts || a.tensors.size() != b.tensors.size()) return false;
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    const auto bytes = [](const trainers::Tensor& tensor) {
      return std::visit(
          [](const auto& values) {
            return std::string_view(reinterpret_cast<const char*>(values.data()),
                                    values.size() * sizeof(values[0]));
          },
          tensor.data);
    };
    if (a.tensors[i].name != b.tensors[i].name || bytes(a.tensors[i]) != bytes(b.tensors[i]))
      return false;
  }
  return true;
}

// Only environments of hone: others start a program.
void check_model(const TensorFile& file, const std::string& path) {
  const auto model = rl::model_of(file, path);
  if (!model) return expect(!model.error().detail.empty(), "a refusal says why");
  const auto written = rl::file_of(*model);
  const auto again = rl::model_of(written, path);
  expect(again.ok() && same(rl::file_of(*again), written), "a model is written as it was read");
  if (envs::is_gym_name(model->env)) return;
  for (const bool sample : {false, true}) {
    const auto played = rl::evaluate({.model = path, .env = {}, .episodes = 2, .sample = sample});
    if (!played) return expect(!played.error().detail.empty(), "a refusal says why");
    expect(played->returns.size() == 2, "every episode has a return");
  }
}

constexpr replay::MemoryShape small{.slots = 40, .lanes = 2, .row = 8, .numbers = 1, .steps = 2};
constexpr replay::MemoryShape stacked{
    .slots = 48, .lanes = 2, .row = 8, .history = 4, .pixels = 2, .numbers = 1, .steps = 3};

// As a learner does: draws transitions, and adds steps, some of which end an episode.
void continue_replay(replay::Memory& memory, replay::Index& index) {
  envs::Stream random(1, envs::Purpose::evaluation, 0);
  std::array<float, 8> row{}, next{};
  std::array<float, 1> action{};
  std::array<replay::Draw, 4> draws{};
  for (int step = 0; step < 100; ++step) {
    for (std::size_t lane = 0; lane < 2; ++lane) {
      const auto ending = step % 7 == 3   ? rl::Ending::terminated
                          : step % 7 == 6 ? rl::Ending::truncated
                                          : rl::Ending::none;
      memory.append(lane, {row.data(), action, 1, ending, next.data()});
    }
    if (index.size() == 0) continue;
    index.draw(draws, random);
    for (const auto& draw : draws) {
      expect(index.contains(draw.slot), "what is drawn is there");
      memory.read(draw.slot, row.data(), next.data(), action);
      index.set_error(draw.slot, 0.5);
    }
  }
}

void check_replay(const TensorFile& file, const replay::MemoryShape& shape,
                  replay::Priority priority) {
  const auto allowed = [](float number) { return number >= 0 && number < 2; };
  const auto index = replay::make_index({.priority = priority}, shape.slots);
  replay::Memory memory(shape, *index);
  if (!replay::take_replay(file, allowed, *index, memory)) return;
  TensorFile written;
  replay::put_replay(memory, *index, written);
  const auto second = replay::make_index({.priority = priority}, shape.slots);
  replay::Memory copy(shape, *second);
  expect(replay::take_replay(written, allowed, *second, copy), "a replay memory is read again");
  continue_replay(memory, *index);
}

}  // namespace

void feed(const std::uint8_t* data, std::size_t size) {
  const auto [head, rest] = first_line(text_of(data, size));
  const auto [state, tensors] = first_line(rest);
  auto header = parse_json(head);
  if (!header || !header->is_object()) return;
  const MemoryFile input(model_file(*std::move(header), state, tensors));
  const auto file = trainers::read_tensor_file(input.path());
  if (!file) return expect(!file.error().detail.empty(), "a refusal says why");
  check_model(*file, input.path());
  if (trainers::find_tensor<std::uint64_t>(*file, "replay.lanes") == nullptr) return;
  for (const auto& shape : {small, stacked})
    for (const auto priority :
         {replay::Priority::uniform, replay::Priority::proportional, replay::Priority::rank})
      check_replay(*file, shape, priority);
}

}  // namespace hone::fuzz
