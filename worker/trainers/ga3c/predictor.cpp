#include "worker/trainers/ga3c/predictor.hpp"

#include <algorithm>

#include "worker/trainers/ga3c/loss.hpp"

namespace hone::ga3c {

Predictor::Predictor(const NetShape& shape, int rows_max, WeightBoard& weights)
    : shape_(shape),
      weights_(weights),
      network_(make_mlp(shape, rows_max)),
      observations_(static_cast<std::size_t>(rows_max) * static_cast<std::size_t>(shape.inputs)) {}

const float* Predictor::gather(std::span<PredictRequest* const> requests) {
  if (requests.size() == 1 && requests[0]->extra_rows == 0) return requests[0]->observations;
  float* out = observations_.data();
  const auto append = [&](const float* rows, int count) {
    out = std::copy_n(rows, static_cast<std::ptrdiff_t>(count) * shape_.inputs, out);
  };
  for (const auto* request : requests) {
    append(request->observations, request->rows);
    append(request->extra_observations, request->extra_rows);
  }
  return observations_.data();
}

void Predictor::serve(std::span<PredictRequest* const> requests) {
  int rows = 0;
  for (const auto* request : requests) rows += weight_of(request);
  const auto weights = weights_.read();
  const auto outputs = network_->forward(weights.parameters(), gather(requests), rows);

  const auto actions = static_cast<std::size_t>(shape_.actions);
  auto rest = std::span<const float>(outputs);
  const auto next_row = [&] {
    const auto row = rest.first(actions + 1);
    rest = rest.subspan(actions + 1);
    return row;
  };
  for (auto* request : requests) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(request->rows); ++i) {
      const auto row = next_row();
      softmax(row.first(actions), request->probabilities.subspan(i * actions, actions));
      request->values[i] = row[actions];
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(request->extra_rows); ++i)
      request->extra_values[i] = next_row()[actions];
    request->version = weights.version();
    request->answer();
  }
}

}  // namespace hone::ga3c
