#include "worker/train/placement/seq2seq_network.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "worker/train/placement/policy.hpp"

namespace hone::trainers {
namespace {

constexpr std::size_t kind_width = 16;
constexpr std::size_t neighbours_max = 10;
constexpr std::size_t shape_numbers = 16;  // of a group's outputs together
constexpr std::uint64_t init_seed = 1234;

// Work and sizes on a logarithmic scale.
Vector size_features(const placement::Problem& problem, std::size_t group) {
  double work = 0, out = 0, params = 0, stored = 0;
  for (const int index : problem.nodes_of_group[group]) {
    const auto& node = problem.graph.nodes[placement::as_index(index)];
    work += problem.cost(index, 0);
    out += node.out_bytes;
    params += node.param_bytes;
    stored += node.stored_bytes;
  }
  return {std::log1p(work), std::log1p(out) / 20, std::log1p(params) / 20, std::log1p(stored) / 20};
}

// The dimensions of the tensors that leave each group, one after another, on a logarithmic scale,
// with zeros behind them.
std::vector<Vector> shape_features(const placement::Problem& problem) {
  std::vector<char> leaves(problem.graph.nodes.size(), 0), stays(leaves.size(), 0);
  const auto group_of = [&](int node) { return problem.group_of_node[placement::as_index(node)]; };
  for (const auto& edge : problem.graph.edges)
    (group_of(edge.from) == group_of(edge.to) ? stays : leaves)[placement::as_index(edge.from)] = 1;
  std::vector<Vector> features;
  for (const auto& members : problem.nodes_of_group) {
    Vector numbers;
    for (const int member : members) {
      const auto index = placement::as_index(member);
      if (leaves[index] == 0 && stays[index] != 0) continue;
      for (const auto& shape : problem.graph.nodes[index].shapes)
        for (const auto size : shape) numbers.push_back(std::log1p(static_cast<double>(size)) / 10);
    }
    numbers.resize(shape_numbers, 0);
    features.push_back(std::move(numbers));
  }
  return features;
}

}  // namespace

Seq2SeqNetwork::Seq2SeqNetwork(const AgentPlan& plan)
    : groups_(static_cast<std::size_t>(plan.problem.groups)),
      devices_(static_cast<std::size_t>(plan.problem.devices())),
      hidden_(2 * ((static_cast<std::size_t>(plan.settings.integer("hidden")) + 1) / 2)),
      temperature_(plan.settings.real("temperature")),
      tanh_constant_(plan.settings.real("tanh_constant")) {
  put_features(plan.problem, plan.settings.word("encoder") == "shapes");
  leaning_.assign(groups_, Vector(devices_, 0));
  for (std::size_t g = 0; g < groups_; ++g)
    for (std::size_t d = 0; d < devices_; ++d) {
      if (!plan.leaning.empty() && static_cast<std::size_t>(plan.leaning[g]) == d)
        leaning_[g][d] = plan.settings.real("init_bias");
      if (plan.problem.may_run[g * devices_ + d] == 0) leaning_[g][d] = barred_logit;
    }
  placement::RandomGenerator generator(init_seed);
  const std::size_t input = kind_width + features_.front().size();
  kind_ = matrix(kind_count_, kind_width, generator);
  forward_ = cell(input, hidden_ / 2, generator);
  backward_ = cell(input, hidden_ / 2, generator);
  memory_ = matrix(hidden_, hidden_, generator);
  memory_bias_ = matrix(hidden_, 1, generator);
  device_ =
      matrix(devices_ + 1, hidden_, generator);  // the last row is the input of the first step
  decoder_ = cell(hidden_, hidden_, generator);
  query_ = matrix(hidden_, hidden_, generator);
  query_bias_ = matrix(hidden_, 1, generator);
  attention_ = matrix(hidden_, 1, generator);
  out_ = matrix(devices_, 2 * hidden_, generator);
  out_bias_ = matrix(devices_, 1, generator);
  constexpr double nearly_uniform = 0.01;  // the initial policy, without the preference of `start`
  for (std::size_t i = out_.offset; i < initial_.size(); ++i) initial_[i] *= nearly_uniform;
}

// Glorot and Bengio (2010), uniform.
Matrix Seq2SeqNetwork::matrix(std::size_t rows, std::size_t columns,
                              placement::RandomGenerator& generator) {
  const Matrix made{initial_.size(), rows, columns};
  const double bound = std::sqrt(6.0 / static_cast<double>(rows + columns));
  for (std::size_t i = 0; i < rows * columns; ++i)
    initial_.push_back(bound * (2 * generator.uniform() - 1));
  return made;
}

Seq2SeqNetwork::Cell Seq2SeqNetwork::cell(std::size_t input, std::size_t width,
                                          placement::RandomGenerator& generator) {
  return {matrix(4 * width, input + width, generator), matrix(4 * width, 1, generator)};
}

// Kind; work and sizes, or the shapes of outputs; and up to ten neighbours by their position, with
// the sign + for consumers.
void Seq2SeqNetwork::put_features(const placement::Problem& problem, bool shapes) {
  std::map<std::string, std::size_t> kinds;
  std::vector<Vector> neighbours(groups_);
  const auto note = [&](int group, int other, double sign) {
    auto& list = neighbours[static_cast<std::size_t>(group)];
    if (group == other || list.size() >= 2 * neighbours_max) return;
    list.push_back((other + 1.0) / static_cast<double>(groups_));
    list.push_back(sign);
  };
  for (const auto& edge : problem.graph.edges) {
    const int from = problem.group_of_node[static_cast<std::size_t>(edge.from)];
    const int to = problem.group_of_node[static_cast<std::size_t>(edge.to)];
    note(from, to, 1);
    note(to, from, -1);
  }
  if (shapes) features_ = shape_features(problem);
  for (std::size_t g = 0; g < groups_; ++g) {
    const auto first = placement::as_index(problem.nodes_of_group[g].front());
    kinds_.push_back(kinds.emplace(problem.graph.nodes[first].kind, kinds.size()).first->second);
    if (!shapes) features_.push_back(size_features(problem, g));
    Vector& feature = features_[g];
    feature.push_back(static_cast<double>(g) / static_cast<double>(groups_));
    neighbours[g].resize(2 * neighbours_max, 0);
    feature.insert(feature.end(), neighbours[g].begin(), neighbours[g].end());
  }
  kind_count_ = kinds.size();
}

Seq2SeqNetwork::State Seq2SeqNetwork::empty(Tape& tape, std::size_t width) const {
  return {tape.constant(Vector(width, 0)), tape.constant(Vector(width, 0))};
}

Seq2SeqNetwork::State Seq2SeqNetwork::step(Tape& tape, const Cell& cell, Tape::Var input,
                                           const State& before) const {
  const std::size_t width = cell.weights.rows / 4;
  const auto gates = tape.linear(cell.weights, cell.bias, tape.concat(input, before.h));
  const auto one = tape.constant(Vector(width, 1));  // bias of the forget gate
  const auto in = tape.sigmoid(tape.slice(gates, 0, width));
  const auto forget = tape.sigmoid(tape.add(tape.slice(gates, width, width), one));
  const auto fresh = tape.tanh(tape.slice(gates, 2 * width, width));
  const auto out = tape.sigmoid(tape.slice(gates, 3 * width, width));
  const auto c = tape.add(tape.multiply(forget, before.c), tape.multiply(in, fresh));
  return {c, tape.multiply(out, tape.tanh(c))};
}

Seq2SeqNetwork::Pass Seq2SeqNetwork::run(Tape& tape, placement::Placement& placement, Draw draw,
                                         placement::RandomGenerator* generator) const {
  std::vector<Tape::Var> inputs, ahead(groups_), memory;
  for (std::size_t g = 0; g < groups_; ++g)
    inputs.push_back(tape.concat(tape.row(kind_, kinds_[g]), tape.constant(features_[g])));
  State left = empty(tape, hidden_ / 2);
  State right = empty(tape, hidden_ / 2);
  for (std::size_t g = 0; g < groups_; ++g)
    ahead[g] = (left = step(tape, forward_, inputs[g], left)).h;
  memory.resize(groups_);
  for (std::size_t g = groups_; g-- > 0;) {
    right = step(tape, backward_, inputs[g], right);
    memory[g] = tape.linear(memory_, memory_bias_, tape.concat(ahead[g], right.h));
  }
  State state{tape.concat(left.c, right.c), tape.concat(left.h, right.h)};
  placement.resize(groups_);
  Pass pass;
  std::size_t last = devices_;
  for (std::size_t g = 0; g < groups_; ++g) {
    state = step(tape, decoder_, tape.row(device_, last), state);
    const auto context = tape.attend(tape.linear(query_, query_bias_, state.h), memory, attention_);
    auto logits =
        tape.scale(tape.linear(out_, out_bias_, tape.concat(state.h, context)), 1 / temperature_);
    if (tanh_constant_ > 0) logits = tape.scale(tape.tanh(logits), tanh_constant_);
    logits = tape.add(logits, tape.constant(leaning_[g]));
    const Vector p = softmax(tape.value(logits));
    if (draw == Draw::given) {
      last = static_cast<std::size_t>(placement[g]);
    } else if (draw == Draw::most_probable) {
      last = static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
    } else {
      double rest = generator->uniform();
      for (last = 0; last + 1 < devices_ && rest >= p[last]; ++last) rest -= p[last];
    }
    placement[g] = static_cast<int>(last);
    pass.choices.push_back(tape.choose(logits, last));
    pass.log_probability += tape.value(pass.choices.back())[0];
    pass.entropy += tape.value(pass.choices.back())[1];
  }
  return pass;
}

DrawnPlacement Seq2SeqNetwork::draw(const Vector& weights,
                                    placement::RandomGenerator* generator) const {
  Vector unused;
  Tape tape(weights, unused);
  DrawnPlacement drawn;
  const auto how = generator == nullptr ? Draw::most_probable : Draw::chance;
  const Pass pass = run(tape, drawn.placement, how, generator);
  drawn.log_probability = pass.log_probability;
  drawn.entropy = pass.entropy;
  return drawn;
}

double Seq2SeqNetwork::log_probability(const Vector& weights,
                                       const placement::Placement& placement) const {
  Vector unused;
  Tape tape(weights, unused);
  placement::Placement given = placement;
  return run(tape, given, Draw::given, nullptr).log_probability;
}

Vector Seq2SeqNetwork::gradient(const Vector& weights, const placement::Placement& placement,
                                double scale, double bonus) const {
  Vector gradient(weights.size(), 0);
  Tape tape(weights, gradient);
  placement::Placement given = placement;
  for (const auto choice : run(tape, given, Draw::given, nullptr).choices) {
    tape.seed(choice, 0, scale);
    tape.seed(choice, 1, bonus);
  }
  tape.backward();
  return gradient;
}

}  // namespace hone::trainers
