#include "worker/train/nn/tape.hpp"

#include <algorithm>
#include <cmath>

namespace hone::trainers {

Tape::Var Tape::push(Vector value, std::function<void(const Vector&)> back) {
  derivatives_.emplace_back(value.size(), 0.0);
  values_.push_back(std::move(value));
  backs_.push_back(std::move(back));
  return values_.size() - 1;
}

void Tape::backward() {
  for (std::size_t i = backs_.size(); i-- > 0;)
    if (backs_[i]) backs_[i](derivatives_[i]);
}

Tape::Var Tape::constant(Vector value) { return push(std::move(value), {}); }

Tape::Var Tape::row(const Matrix& m, std::size_t index) {
  const std::size_t begin = m.offset + index * m.columns;
  Vector value(m.columns);
  for (std::size_t i = 0; i < m.columns; ++i) value[i] = weights_[begin + i];
  return push(std::move(value), [this, begin](const Vector& d) {
    for (std::size_t i = 0; i < d.size(); ++i) gradient_[begin + i] += d[i];
  });
}

Tape::Var Tape::linear(const Matrix& m, const Matrix& bias, Var x) {
  Vector value(m.rows);
  const Vector& in = values_[x];
  for (std::size_t r = 0; r < m.rows; ++r) {
    const double* w = &weights_[m.offset + r * m.columns];
    double sum = weights_[bias.offset + r];
    for (std::size_t c = 0; c < m.columns; ++c) sum += w[c] * in[c];
    value[r] = sum;
  }
  return push(std::move(value), [this, m, bias, x](const Vector& d) {
    const Vector& input = values_[x];
    Vector& back = derivatives_[x];
    for (std::size_t r = 0; r < m.rows; ++r) {
      const double* w = &weights_[m.offset + r * m.columns];
      double* g = &gradient_[m.offset + r * m.columns];
      gradient_[bias.offset + r] += d[r];
      for (std::size_t c = 0; c < m.columns; ++c) {
        g[c] += d[r] * input[c];
        back[c] += d[r] * w[c];
      }
    }
  });
}

Tape::Var Tape::add(Var a, Var b) {
  Vector value = values_[a];
  for (std::size_t i = 0; i < value.size(); ++i) value[i] += values_[b][i];
  return push(std::move(value), [this, a, b](const Vector& d) {
    for (std::size_t i = 0; i < d.size(); ++i) {
      derivatives_[a][i] += d[i];
      derivatives_[b][i] += d[i];
    }
  });
}

Tape::Var Tape::multiply(Var a, Var b) {
  Vector value = values_[a];
  for (std::size_t i = 0; i < value.size(); ++i) value[i] *= values_[b][i];
  return push(std::move(value), [this, a, b](const Vector& d) {
    for (std::size_t i = 0; i < d.size(); ++i) {
      derivatives_[a][i] += d[i] * values_[b][i];
      derivatives_[b][i] += d[i] * values_[a][i];
    }
  });
}

Tape::Var Tape::tanh(Var a) {
  Vector value = values_[a];
  for (double& x : value) x = std::tanh(x);
  const Var self = values_.size();
  return push(std::move(value), [this, a, self](const Vector& d) {
    for (std::size_t i = 0; i < d.size(); ++i)
      derivatives_[a][i] += d[i] * (1 - values_[self][i] * values_[self][i]);
  });
}

Tape::Var Tape::sigmoid(Var a) {
  Vector value = values_[a];
  for (double& x : value) x = 1 / (1 + std::exp(-x));
  const Var self = values_.size();
  return push(std::move(value), [this, a, self](const Vector& d) {
    for (std::size_t i = 0; i < d.size(); ++i)
      derivatives_[a][i] += d[i] * values_[self][i] * (1 - values_[self][i]);
  });
}

Tape::Var Tape::scale(Var a, double factor) {
  Vector value = values_[a];
  for (double& x : value) x *= factor;
  return push(std::move(value), [this, a, factor](const Vector& d) {
    for (std::size_t i = 0; i < d.size(); ++i) derivatives_[a][i] += factor * d[i];
  });
}

Tape::Var Tape::concat(Var a, Var b) {
  Vector value = values_[a];
  value.insert(value.end(), values_[b].begin(), values_[b].end());
  return push(std::move(value), [this, a, b](const Vector& d) {
    const std::size_t first = values_[a].size();
    for (std::size_t i = 0; i < first; ++i) derivatives_[a][i] += d[i];
    for (std::size_t i = first; i < d.size(); ++i) derivatives_[b][i - first] += d[i];
  });
}

Tape::Var Tape::slice(Var a, std::size_t begin, std::size_t count) {
  const auto first = values_[a].begin() + static_cast<std::ptrdiff_t>(begin);
  return push(Vector(first, first + static_cast<std::ptrdiff_t>(count)),
              [this, a, begin](const Vector& d) {
                for (std::size_t i = 0; i < d.size(); ++i) derivatives_[a][begin + i] += d[i];
              });
}

Tape::Var Tape::attend(Var query, const std::vector<Var>& memory, const Matrix& v) {
  const std::size_t width = values_[query].size();
  Vector scores(memory.size(), 0);
  for (std::size_t j = 0; j < memory.size(); ++j)
    for (std::size_t i = 0; i < width; ++i)
      scores[j] += weights_[v.offset + i] * std::tanh(values_[query][i] + values_[memory[j]][i]);
  Vector share = softmax(scores);
  Vector value(width, 0);
  for (std::size_t j = 0; j < memory.size(); ++j)
    for (std::size_t i = 0; i < width; ++i) value[i] += share[j] * values_[memory[j]][i];
  return push(std::move(value), [this, query, memory, v, share](const Vector& d) {
    Vector gain(memory.size(), 0);  // d loss / d share
    double mean = 0;
    for (std::size_t j = 0; j < memory.size(); ++j) {
      for (std::size_t i = 0; i < d.size(); ++i) {
        gain[j] += d[i] * values_[memory[j]][i];
        derivatives_[memory[j]][i] += d[i] * share[j];
      }
      mean += share[j] * gain[j];
    }
    for (std::size_t j = 0; j < memory.size(); ++j) {
      const double score = share[j] * (gain[j] - mean);
      for (std::size_t i = 0; i < d.size(); ++i) {
        const double t = std::tanh(values_[query][i] + values_[memory[j]][i]);
        gradient_[v.offset + i] += score * t;
        const double inner = score * weights_[v.offset + i] * (1 - t * t);
        derivatives_[query][i] += inner;
        derivatives_[memory[j]][i] += inner;
      }
    }
  });
}

Tape::Var Tape::choose(Var logits, std::size_t chosen) {
  const Vector p = softmax(values_[logits]);
  double entropy = 0;
  for (const double x : p)
    if (x > 0) entropy -= x * std::log(x);
  return push({std::log(p[chosen]), entropy}, [this, logits, chosen, p, entropy](const Vector& d) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double log_p = p[i] > 0 ? std::log(p[i]) : 0;
      derivatives_[logits][i] +=
          d[0] * ((i == chosen ? 1 : 0) - p[i]) - d[1] * p[i] * (log_p + entropy);
    }
  });
}

Vector softmax(const Vector& logits) {
  const double most = *std::max_element(logits.begin(), logits.end());
  Vector p = logits;
  double sum = 0;
  for (double& x : p) sum += x = std::exp(x - most);
  for (double& x : p) x /= sum;
  return p;
}

}  // namespace hone::trainers
