#include "worker/train/rl/model.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "schemas/codec/json.hpp"
#include "worker/train/nn/json_state.hpp"
#include "worker/train/nn/tensor_file.hpp"

namespace hone::rl {
namespace {

using trainers::JsonState;
using trainers::Tensor;
using trainers::TensorFile;

constexpr std::string_view format = "hone-ga3c-1";
constexpr const char* relu = "relu";
constexpr const char* tanh = "tanh";
constexpr const char* categorical = "categorical";
constexpr std::array policies{std::pair{nn::Policy::categorical, categorical},
                              std::pair{nn::Policy::gaussian, "gaussian"},
                              std::pair{nn::Policy::squashed, "squashed_gaussian"}};
constexpr std::array kinds{std::pair{nn::NetKind::mlp, "mlp"},
                           std::pair{nn::NetKind::minatar, "minatar"},
                           std::pair{nn::NetKind::conv, "conv"}};
constexpr std::size_t agents_max = 1024;  // as of the setting `agents`
constexpr int layers_max = 64;
constexpr std::array optimizers{std::pair{nn::OptimizerKind::rmsprop, "rmsprop"},
                                std::pair{nn::OptimizerKind::rmsprop_centered, "rmsprop_centered"},
                                std::pair{nn::OptimizerKind::adagrad, "adagrad"},
                                std::pair{nn::OptimizerKind::adam, "adam"}};

const char* policy_name(nn::Policy policy) {
  const auto* row = std::find_if(policies.begin(), policies.end(),
                                 [&](const auto& known) { return known.first == policy; });
  return row->second;
}

template <class T>
Tensor flat(std::string name, std::vector<T> values) {
  return {std::move(name), {values.size()}, std::move(values)};
}

// Files of older versions lack these tensors.
std::vector<double> numbers_or_zeros(const TensorFile& file, const std::string& name,
                                     std::size_t size) {
  const auto* numbers = trainers::find_tensor<double>(file, name);
  if (numbers == nullptr || numbers->size() != size) return std::vector<double>(size, 0.0);
  return *numbers;
}

std::string group_prefix(std::size_t i) { return "agent." + std::to_string(i) + "."; }

// Convolutions are newer than the format: a file without these fields is of an mlp.
void take_kind(const Json& state, nn::NetShape& net, JsonState& reader) {
  std::string word = "mlp";
  std::vector<int> planes;
  if (state.contains("network")) reader.read("network", word);
  if (state.contains("planes")) reader.read("planes", planes);
  for (const auto& [kind, name] : kinds)
    if (word == name) net.kind = kind;
  if (planes.size() == 3) net.planes = {planes[0], planes[1], planes[2]};
}

void put_kind(const nn::NetShape& net, Json& state) {
  for (const auto& [kind, name] : kinds)
    if (net.kind == kind) state["network"] = name;
  state["planes"] = {net.planes.rows, net.planes.columns, net.planes.channels};
}

// What a network can have; a damaged file may name sizes that no memory holds.
bool is_sound(const nn::NetShape& net) {
  constexpr int numbers_max = 1 << 20;
  const auto within = [](int number, int max, int min = 1) {
    return min <= number && number <= max;
  };
  const auto& [rows, columns, channels] = net.planes;
  const int side =
      net.kind == nn::NetKind::minatar ? 3 : 1;  // its filters do not reach beyond the edges
  const bool planes =
      within(rows, 1 << 10, side) && within(columns, 1 << 10, side) && within(channels, 1 << 10);
  if (net.kind != nn::NetKind::mlp && (!planes || net.planes.size() != net.inputs)) return false;
  return within(net.inputs, numbers_max) && within(net.hidden, numbers_max) &&
         within(net.actions, numbers_max) && within(net.layers, layers_max);
}

void take_counts(const Json& counts, WorkerCountState& state, JsonState& file) {
  JsonState reader(counts);
  reader.read("agents", state.kept.agents).read("predictors", state.kept.predictors);
  reader.read("trainers", state.kept.trainers).read("moves", state.moves);
  file.require("staff", reader.sound());
}

Status take_state(const Json& state, Model& model) {
  JsonState reader(state);
  std::string activation;
  std::string policy = categorical;
  std::string optimizer = "rmsprop";
  std::size_t agents = 0;
  reader.read("env", model.env).read("inputs", model.net.inputs).read("hidden", model.net.hidden);
  reader.read("actions", model.net.actions).read("activation", activation);
  reader.read("frames", model.frames).read("trained_frames", model.parameters.frames);
  reader.read("updates", model.parameters.updates).read("episodes", model.episodes.finished);
  reader.require("frames", model.frames >= 0 && model.parameters.frames >= 0);
  reader.require("updates", model.parameters.updates >= 0 && model.episodes.finished >= 0);
  reader.read("agents", agents).require("agents", agents <= agents_max);
  if (state.contains("layers")) reader.read("layers", model.net.layers);
  if (state.contains("policy")) reader.read("policy", policy);
  if (state.contains("optimizer")) reader.read("optimizer", optimizer);
  if (state.contains("trainer")) reader.read("trainer", model.trainer);
  if (state.contains("staff")) take_counts(state["staff"], model.counts, reader);
  take_kind(state, model.net, reader);
  if (!reader.sound()) return reader.status();
  model.net.activation = activation == relu ? nn::Activation::relu : nn::Activation::tanh;
  for (const auto& [known, name] : policies)
    if (policy == name) model.net.policy = known;
  for (const auto& [kind, name] : optimizers)
    if (optimizer == name) model.optimizer = kind;
  model.groups.resize(agents);
  return reader.require("inputs", is_sound(model.net)).status();
}

bool take_observations(const TensorFile& file, Model& model) {
  const auto* count = trainers::find_tensor<double>(file, "observation_scale.count");
  if (count == nullptr) return true;
  const auto* mean = trainers::find_tensor<double>(file, "observation_scale.mean");
  const auto* squares = trainers::find_tensor<double>(file, "observation_scale.squares");
  const auto size = static_cast<std::size_t>(model.net.inputs);
  if (mean == nullptr || squares == nullptr || count->size() != 1 || mean->size() != size ||
      squares->size() != size)
    return false;
  model.observations = {count->front(), *mean, *squares};
  return true;
}

void put_observations(const ObservationScale::State& scale, TensorFile& file) {
  if (scale.mean.empty()) return;
  file.tensors.push_back(flat("observation_scale.count", std::vector<double>{scale.count}));
  file.tensors.push_back(flat("observation_scale.mean", scale.mean));
  file.tensors.push_back(flat("observation_scale.squares", scale.squares));
}

bool take_tensors(const TensorFile& file, Model& model) {
  auto weights = take_parts(file, model.net, "");
  auto mean_square = take_parts(file, model.net, "rmsprop.");
  auto momentum = take_parts(file, model.net, "adam.");
  const bool has_mean = model.optimizer != nn::OptimizerKind::rmsprop &&
                        model.optimizer != nn::OptimizerKind::adagrad;
  if (!momentum && has_mean) return false;
  const auto* last = trainers::find_tensor<double>(file, "last_returns");
  const auto* scale = trainers::find_tensor<double>(file, "reward_scale");
  if (!weights || !mean_square || last == nullptr || scale == nullptr || scale->size() != 3)
    return false;
  model.scale = {(*scale)[0], (*scale)[1], (*scale)[2]};
  if (!take_observations(file, model)) return false;
  model.parameters.weights = std::move(*weights);
  model.parameters.mean_square = std::move(*mean_square);
  if (momentum) model.parameters.mean = std::move(*momentum);
  if (auto average = take_parts(file, model.net, "average.")) model.average = std::move(*average);
  model.episodes.last = *last;
  model.episodes.last_lengths = numbers_or_zeros(file, "last_lengths", last->size());
  for (std::size_t i = 0; i < model.groups.size(); ++i) {
    const auto* environments =
        trainers::find_tensor<std::uint64_t>(file, group_prefix(i) + "environments");
    const auto* streams = trainers::find_tensor<std::uint64_t>(file, group_prefix(i) + "streams");
    const auto* running = trainers::find_tensor<double>(file, group_prefix(i) + "running_returns");
    const auto* discounted =
        trainers::find_tensor<double>(file, group_prefix(i) + "discounted_returns");
    if (environments == nullptr || streams == nullptr || running == nullptr ||
        discounted == nullptr)
      return false;
    model.groups[i] = {*environments, *streams, *running,
                       numbers_or_zeros(file, group_prefix(i) + "running_lengths", running->size()),
                       *discounted};
  }
  return true;
}

Json counts_document(const WorkerCountState& counts) {
  return {{"agents", counts.kept.agents},
          {"predictors", counts.kept.predictors},
          {"trainers", counts.kept.trainers},
          {"moves", counts.moves}};
}

}  // namespace

void put_parts(TensorFile& file, const nn::NetShape& net, const std::vector<float>& values,
               const std::string& prefix) {
  for (const auto& part : net_parts(net)) {
    const auto start = values.begin() + static_cast<std::ptrdiff_t>(part.offset);
    std::vector<float> copy(start, start + static_cast<std::ptrdiff_t>(part.size));
    file.tensors.push_back({prefix + part.name, part.shape, std::move(copy)});
  }
}

std::optional<std::vector<float>> take_parts(const TensorFile& file, const nn::NetShape& net,
                                             const std::string& prefix) {
  std::vector<float> values;
  for (const auto& part : net_parts(net)) {
    const auto* tensor = trainers::find_tensor<float>(file, prefix + part.name);
    if (tensor == nullptr || tensor->size() != part.size) return std::nullopt;
    values.insert(values.end(), tensor->begin(), tensor->end());
  }
  return values;
}

TensorFile file_of(const Model& model) {
  Json state{{"env", model.env},
             {"inputs", model.net.inputs},
             {"hidden", model.net.hidden},
             {"layers", model.net.layers},
             {"actions", model.net.actions},
             {"policy", policy_name(model.net.policy)},
             {"activation", model.net.activation == nn::Activation::relu ? relu : tanh},
             {"frames", model.frames},
             {"trained_frames", model.parameters.frames},
             {"updates", model.parameters.updates},
             {"episodes", model.episodes.finished},
             {"staff", counts_document(model.counts)},
             {"agents", model.groups.size()}};
  for (const auto& [kind, name] : optimizers)
    if (model.optimizer == kind) state["optimizer"] = name;
  if (!model.trainer.empty()) state["trainer"] = model.trainer;
  put_kind(model.net, state);
  TensorFile file;
  file.texts = {
      {"format", std::string(format)}, {"hone_version", HONE_VERSION}, {"state", to_text(state)}};
  put_parts(file, model.net, model.parameters.weights, "");
  put_parts(file, model.net, model.parameters.mean_square, "rmsprop.");
  if (!model.parameters.mean.empty()) put_parts(file, model.net, model.parameters.mean, "adam.");
  if (!model.average.empty()) put_parts(file, model.net, model.average, "average.");
  file.tensors.push_back(flat("last_returns", model.episodes.last));
  file.tensors.push_back(flat("last_lengths", model.episodes.last_lengths));
  const auto& scale = model.scale;
  file.tensors.push_back(
      flat("reward_scale", std::vector<double>{scale.count, scale.mean, scale.squares}));
  put_observations(model.observations, file);
  for (std::size_t i = 0; i < model.groups.size(); ++i) {
    file.tensors.push_back(flat(group_prefix(i) + "environments", model.groups[i].environments));
    file.tensors.push_back(flat(group_prefix(i) + "streams", model.groups[i].streams));
    file.tensors.push_back(
        flat(group_prefix(i) + "running_returns", model.groups[i].running_returns));
    file.tensors.push_back(
        flat(group_prefix(i) + "running_lengths", model.groups[i].running_lengths));
    file.tensors.push_back(
        flat(group_prefix(i) + "discounted_returns", model.groups[i].discounted_returns));
  }
  return file;
}

Result<Model> model_of(const TensorFile& file, const std::filesystem::path& path) {
  const auto* name = trainers::find_text(file, "format");
  const auto* text = trainers::find_text(file, "state");
  const auto refused = [&](const std::string& why) {
    return refuse(Code::invalid,
                  path.string() +
                      " is not a model of ga3c, a3c, a2c, ppo, impala, dqn, apex, gorila or sac" +
                      why);
  };
  if (name == nullptr || *name != format || text == nullptr) return refused("");
  const auto state = parse_json(*text);
  if (!state) return refused(": its state is not JSON");
  Model model;
  if (const auto taken = take_state(*state, model); !taken)
    return refused(": " + taken.error().detail);
  if (!take_tensors(file, model)) return refused(": it is damaged: a tensor is missing or wrong");
  return model;
}

Error made_with_another(const std::filesystem::path& path, const std::string& what) {
  return refuse(
      Code::invalid,
      path.string() + " cannot be continued with these settings: it was made with another " + what);
}

Status write_model(const std::filesystem::path& path, const Model& model) {
  return trainers::write_tensor_file(path, file_of(model));
}

Result<Model> read_model(const std::filesystem::path& path) {
  const auto file = trainers::read_tensor_file(path);
  if (!file) return file.error();
  return model_of(*file, path);
}

}  // namespace hone::rl
