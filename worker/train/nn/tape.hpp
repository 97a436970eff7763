// Reverse-mode automatic differentiation of small vector computations, for the sequence-to-sequence
// agent.
#pragma once

#include <functional>
#include <vector>

namespace hone::trainers {

using Vector = std::vector<double>;

// A part of the parameter vector, [rows][columns].
struct Matrix {
  std::size_t offset = 0;
  std::size_t rows = 0;
  std::size_t columns = 1;
};

// Records operations and runs them backwards. A Var is valid until the tape is cleared.
class Tape {
 public:
  using Var = std::size_t;

  Tape(const Vector& weights, Vector& gradient) : weights_(weights), gradient_(gradient) {}

  [[nodiscard]] const Vector& value(Var var) const { return values_[var]; }

  Var constant(Vector value);
  Var row(const Matrix& m, std::size_t index);
  Var linear(const Matrix& m, const Matrix& bias, Var x);
  Var add(Var a, Var b);
  Var multiply(Var a, Var b);
  Var tanh(Var a);
  Var sigmoid(Var a);
  Var scale(Var a, double factor);
  Var concat(Var a, Var b);
  Var slice(Var a, std::size_t begin, std::size_t count);
  // sum_j softmax_j(v . tanh(query + memory_j)) memory_j
  Var attend(Var query, const std::vector<Var>& memory, const Matrix& v);
  // {log softmax(logits)[chosen], entropy of softmax(logits)}
  Var choose(Var logits, std::size_t chosen);

  // Adds to the derivative of a Var. backward() then adds those of the weights to `gradient`.
  void seed(Var var, std::size_t element, double derivative) {
    derivatives_[var][element] += derivative;
  }
  void backward();

 private:
  Var push(Vector value, std::function<void(const Vector&)> back);

  const Vector& weights_;
  Vector& gradient_;
  std::vector<Vector> values_;
  std::vector<Vector> derivatives_;
  std::vector<std::function<void(const Vector&)>>
      backs_;  // each takes the derivative of its result
};

Vector softmax(const Vector& logits);

}  // namespace hone::trainers
