#include "worker/train/actor_critic/serving/predictor.hpp"

#include <algorithm>

#include "worker/train/nn/kernels/kernels.hpp"

namespace hone::ac {

Predictor::Predictor(const nn::NetShape& shape, int rows_max, const nn::NetworkMaker& networks)
    : shape_(shape), network_(networks.make(shape, rows_max)) {}

const float* Predictor::gather(std::span<PredictRequest* const> requests) {
  if (requests.size() == 1 && requests[0]->extra_rows == 0) return requests[0]->observations;
  float* out = network_->input();
  const auto append = [&](const float* rows, int count) {
    out = std::copy_n(rows, static_cast<std::ptrdiff_t>(count) * shape_.input_floats(), out);
  };
  for (const auto* request : requests) {
    append(request->observations, request->rows);
    append(request->extra_observations, request->extra_rows);
  }
  return network_->input();
}

void Predictor::serve(std::span<PredictRequest* const> requests, const nn::WeightView& weights) {
  int rows = 0;
  for (const auto* request : requests) rows += weight_of(request);
  const auto heads = network_->forward(weights, gather(requests), rows);
  if (shape_.policy == nn::Policy::categorical) dense::best_kernels().softmax(heads);

  const float* row = heads.data;
  for (auto* request : requests) {
    auto out = request->policy.begin();
    for (int a = 0; a < heads.actions; ++a)
      out = std::copy_n(row + a * heads.stride, request->rows, out);
    const float* values = row + heads.actions * heads.stride;
    std::copy_n(values, request->rows, request->values.begin());
    std::copy_n(values + request->rows, request->extra_rows, request->extra_values.begin());
    row += weight_of(request);
    request->version = weights.version;
    request->answer();
  }
}

}  // namespace hone::ac
