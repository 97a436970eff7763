// Convolutions of screens: the results of the filters for a square of pixels are computed once for
// all equal squares of a batch (distinct.hpp), forward and backward. The arithmetic is that of a
// plain convolution, on fewer rows.
#pragma once

#include "worker/train/nn/convolutions.hpp"
#include "worker/train/nn/distinct.hpp"

namespace hone::nn {

class SquareConvolutions final : public Convolutions {
 public:
  // Precondition: at least one layer, and the side of each is a multiple of its stride.
  SquareConvolutions(const std::vector<ConvLayer>& layers, envs::Storage storage, int rows_max,
                     const dense::Kernels& kernels);

  [[nodiscard]] int features() const override { return layers_.back().shape.out.size(); }
  const float* forward(std::span<const float> packed, const float* observations, int rows) override;
  void backward(std::span<const float> packed, float* feature_gradient,
                std::span<float> gradient) override;

 private:
  // Results and slopes have a row for each distinct square. The first row is that of a blank cell:
  // its results are zeros and its slopes are not used. The first layer works on pixels, every other
  // one on pictures whose cells are row numbers of the layer before.
  struct Layer {
    Layer(const ConvLayer& layer, int cell_bytes, int rows_max);

    ConvLayer shape;
    DistinctSquares squares;
    std::vector<std::uint32_t> pictures;  // with their padding
    dense::Floats results, slopes;        // d loss / d results

    [[nodiscard]] const float* result(int square) const { return results.data() + at(square); }
    [[nodiscard]] float* result(int square) { return results.data() + at(square); }
    [[nodiscard]] float* slope(int square) { return slopes.data() + at(square); }

   private:
    [[nodiscard]] std::ptrdiff_t at(int square) const {
      return static_cast<std::ptrdiff_t>(square + 1) * shape.out.channels;
    }
  };
  // A range of distinct squares that fits into the buffers.
  struct Piece {
    int first = 0;
    int count = 0;
  };

  template <class Visit>
  void for_each_piece(const Layer& layer, Visit visit) const;
  void show_pixels(const float* observations, int rows);
  void show_numbers(std::size_t layer, int rows);
  void gather(std::size_t layer, Piece piece);
  void gather_pixels(const std::uint32_t* corner, float* out) const;
  void gather_results(const Layer& layer, const Layer& below, const std::uint32_t* corner,
                      float* out) const;
  void layer_forward(std::size_t i, std::span<const float> packed, int rows);
  void layer_back(std::size_t i, std::span<const float> packed, std::span<float> gradient);
  void pass_back(std::size_t i, Piece piece);

  envs::Storage storage_;  // of observations
  std::vector<Layer> layers_;
  const dense::Kernels& kernels_;
  dense::Floats squares_;        // of a piece: one row of cells for each square
  dense::Floats square_slopes_;  // d loss / d squares
  dense::Floats turned_;         // transposed weights of the current layer
  dense::Floats features_;
  int rows_ = 0;
};

}  // namespace hone::nn
