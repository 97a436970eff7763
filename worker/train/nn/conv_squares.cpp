#include "worker/train/nn/conv_squares.hpp"

#include <algorithm>
#include <cstring>

namespace hone::nn {
namespace {

constexpr int piece_squares = 128;  // with their cells they fit into the second cache

int padded_to(int n, int step) { return (n + step - 1) / step * step; }

// The size of a picture: the planes, the padding before them, and as far as the last squares reach.
int extent(const ConvLayer& layer, int places, int planes) {
  const int reached = (places - 1) * layer.stride + layer.side;
  return padded_to(std::max(reached, layer.before + planes), layer.stride);
}

constexpr int word_bytes = static_cast<int>(sizeof(std::uint32_t));

SquareGrid grid_of(const ConvLayer& layer, int cell_bytes) {
  return {extent(layer, layer.out.rows, layer.in.rows),
          extent(layer, layer.out.columns, layer.in.columns) * cell_bytes / word_bytes,
          layer.stride,
          layer.stride * cell_bytes / word_bytes,
          layer.side / layer.stride,
          layer.out.rows,
          layer.out.columns};
}

// The distance of two rows of gathered cells: one line more than they need, because rows at a
// distance of a power of two fall into one set of the cache.
int gathered_step(const ConvLayer& layer) {
  return layer.inner() + static_cast<int>(dense::line_floats);
}

// In whole cache lines. Returns the offset after the part.
float* copy_lines(const float* from, int count, float* to) {
  constexpr auto line = dense::line_floats;
  for (int i = 0; i < count; i += static_cast<int>(line))
    std::memcpy(to + i, from + i, line * sizeof(float));
  return to + count;
}

}  // namespace

SquareConvolutions::Layer::Layer(const ConvLayer& layer, int cell_bytes, int rows_max)
    : shape(layer),
      squares(grid_of(layer, cell_bytes), rows_max),
      pictures(as_size(rows_max) * squares.grid().picture_words()),
      results((as_size(rows_max) * as_size(layer.places()) + 1) * as_size(layer.out.channels)),
      slopes(results.size()) {}

SquareConvolutions::SquareConvolutions(const std::vector<ConvLayer>& layers, envs::Storage storage,
                                       int rows_max, const dense::Kernels& kernels)
    : storage_(storage), kernels_(kernels) {
  for (const auto& layer : layers) {
    const int pixel_bytes = layer.in.channels * envs::bytes_each(storage);
    layers_.emplace_back(layer, layers_.empty() ? pixel_bytes : word_bytes, rows_max);
    squares_.resize(
        std::max(squares_.size(), as_size(piece_squares) * as_size(gathered_step(layer))));
    turned_.resize(std::max(turned_.size(), as_size(layer.inner()) * as_size(layer.out.channels)));
  }
  square_slopes_.resize(squares_.size());
  features_.resize(as_size(rows_max) * as_size(features()));
}

template <class Visit>
void SquareConvolutions::for_each_piece(const Layer& layer, Visit visit) const {
  for (int first = 0; first < layer.squares.count(); first += piece_squares)
    visit(Piece{first, std::min(piece_squares, layer.squares.count() - first)});
}

const float* SquareConvolutions::forward(std::span<const float> packed, const float* observations,
                                         int rows) {
  rows_ = rows;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (i == 0)
      show_pixels(observations, rows);
    else
      show_numbers(i, rows);
    layer_forward(i, packed, rows);
  }
  const auto& last = layers_.back();
  float* out = features_.data();
  for (const int number : last.squares.numbers())
    out = copy_lines(last.result(number), last.shape.out.channels, out);
  return features_.data();
}

void SquareConvolutions::show_pixels(const float* observations, int rows) {
  auto& layer = layers_.front();
  const auto& grid = layer.squares.grid();
  const auto& in = layer.shape.in;
  const auto pixel = as_size(in.channels * envs::bytes_each(storage_));
  const auto line = as_size(in.columns) * pixel;
  const auto step = as_size(grid.row_words) * sizeof(std::uint32_t);
  for (int row = 0; row < rows; ++row) {
    const auto* from = reinterpret_cast<const std::byte*>(observations);
    auto* to = reinterpret_cast<std::byte*>(layer.pictures.data()) +
               as_size(row) * as_size(grid.rows) * step +
               as_size(layer.shape.before) * (step + pixel);
    for (int y = 0; y < in.rows; ++y, from += line, to += step) std::memcpy(to, from, line);
    observations += envs::row_floats(storage_, in.size());
  }
}

void SquareConvolutions::show_numbers(std::size_t i, int rows) {
  auto& layer = layers_[i];
  const auto& grid = layer.squares.grid();
  const auto before = as_size(layer.shape.before);
  auto number = layers_[i - 1].squares.numbers().begin();
  for (int row = 0; row < rows; ++row) {
    auto* to = layer.pictures.data() + as_size(row) * grid.picture_words() +
               before * (as_size(grid.row_words) + 1);
    for (int y = 0; y < layer.shape.in.rows; ++y, to += grid.row_words)
      for (int x = 0; x < layer.shape.in.columns; ++x)
        to[x] = static_cast<std::uint32_t>(*number++) + 1;  // 0 is a blank
  }
}

// Copies the cells of each square into a row of squares_.
void SquareConvolutions::gather(std::size_t i, Piece piece) {
  const auto& layer = layers_[i];
  float* out = squares_.data();
  for (int k = piece.first; k < piece.first + piece.count; ++k, out += gathered_step(layer.shape)) {
    const auto* corner = layer.pictures.data() + layer.squares.corner(k);
    if (i == 0)
      gather_pixels(corner, out);
    else
      gather_results(layer, layers_[i - 1], corner, out);
  }
}

void SquareConvolutions::gather_pixels(const std::uint32_t* corner, float* out) const {
  const auto& layer = layers_.front();
  const int line = layer.shape.side * layer.shape.in.channels;
  const int step = layer.squares.grid().row_words;
  switch (storage_) {
    case envs::Storage::floats:
      for (int y = 0; y < layer.shape.side; ++y, corner += step, out += line)
        std::memcpy(out, corner, as_size(line) * sizeof(float));
      return;
    case envs::Storage::bytes:
      break;
  }
  kernels_.widen({layer.shape.side, line, reinterpret_cast<const std::uint8_t*>(corner),
                  static_cast<std::int64_t>(step) * word_bytes, envs::byte_scale, out});
}

void SquareConvolutions::gather_results(const Layer& layer, const Layer& below,
                                        const std::uint32_t* corner, float* out) const {
  const int side = layer.shape.side;
  for (int y = 0; y < side; ++y, corner += layer.squares.grid().row_words)
    for (int x = 0; x < side; ++x)
      out =
          std::copy_n(below.result(static_cast<int>(corner[x]) - 1), layer.shape.in.channels, out);
}

void SquareConvolutions::layer_forward(std::size_t i, std::span<const float> packed, int rows) {
  auto& layer = layers_[i];
  const auto& shape = layer.shape;
  layer.squares.find(layer.pictures.data(), rows);
  for_each_piece(layer, [&](Piece piece) {
    gather(i, piece);
    float* out = layer.result(piece.first);
    kernels_.multiply({piece.count, shape.inner(), shape.out.channels, squares_.data(),
                       gathered_step(shape), 1, packed.data() + shape.weight,
                       packed.data() + shape.bias, out});
    kernels_.relu(out, static_cast<std::int64_t>(piece.count) * shape.out.channels);
  });
}

void SquareConvolutions::backward(std::span<const float> packed, float* feature_gradient,
                                  std::span<float> gradient) {
  for (auto& layer : layers_)
    std::fill_n(layer.slopes.begin(),
                static_cast<std::ptrdiff_t>(layer.squares.count() + 1) * layer.shape.out.channels,
                0.0F);
  auto& last = layers_.back();
  const int filters = last.shape.out.channels;
  for (const int number : last.squares.numbers()) {
    float* slope = last.slope(number);
    for (int f = 0; f < filters; ++f) slope[f] += feature_gradient[f];
    feature_gradient += filters;
  }
  for (std::size_t i = layers_.size(); i-- > 0;) layer_back(i, packed, gradient);
}

void SquareConvolutions::layer_back(std::size_t i, std::span<const float> packed,
                                    std::span<float> gradient) {
  auto& layer = layers_[i];
  const auto& shape = layer.shape;
  const int filters = shape.out.channels;
  kernels_.relu_back(layer.result(0), layer.slope(0),
                     static_cast<std::int64_t>(layer.squares.count()) * filters);
  float* weights = gradient.data() + shape.weight;
  float* bias = gradient.data() + shape.bias;
  std::fill_n(weights, static_cast<std::ptrdiff_t>(shape.inner()) * filters, 0.0F);
  std::fill_n(bias, filters, 0.0F);
  if (i > 0)
    kernels_.transpose({shape.inner(), filters, packed.data() + shape.weight, turned_.data()});
  for_each_piece(layer, [&](Piece piece) {
    gather(i, piece);
    dense::Product product{piece.count,
                           shape.inner(),
                           filters,
                           squares_.data(),
                           gathered_step(shape),
                           1,
                           layer.slope(piece.first),
                           nullptr,
                           weights};
    product.adds = true;
    kernels_.outer(product, bias);
    if (i > 0) pass_back(i, piece);
  });
}

// Computes d loss / d results of the layer before.
void SquareConvolutions::pass_back(std::size_t i, Piece piece) {
  auto& layer = layers_[i];
  auto& below = layers_[i - 1];
  const auto& shape = layer.shape;
  const int channels = shape.in.channels;
  kernels_.multiply({piece.count, shape.out.channels, shape.inner(), layer.slope(piece.first),
                     shape.out.channels, 1, turned_.data(), nullptr, square_slopes_.data()});
  const float* from = square_slopes_.data();
  for (int k = 0; k < piece.count; ++k) {
    const auto* cells = layer.pictures.data() + layer.squares.corner(piece.first + k);
    for (int y = 0; y < shape.side; ++y, cells += layer.squares.grid().row_words)
      for (int x = 0; x < shape.side; ++x, from += channels) {
        float* slope = below.slope(static_cast<int>(cells[x]) - 1);
        for (int c = 0; c < channels; ++c) slope[c] += from[c];
      }
  }
}

}  // namespace hone::nn
