// Convolutions of screens: what the filters say of a square is computed once for all places of a
// batch that show the same (distinct.hpp), in both directions. It is the same arithmetic, on fewer
// rows.
#pragma once

#include "worker/train/nn/convolutions.hpp"
#include "worker/train/nn/distinct.hpp"

namespace hone::ga3c {

class SquareConvolutions final : public Convolutions {
 public:
  // Precondition: there are layers, whose sides are multiples of their strides.
  SquareConvolutions(const std::vector<ConvLayer>& layers, envs::Storage storage, int rows_max,
                     const dense::Kernels& kernels);

  [[nodiscard]] int features() const override { return layers_.back().shape.out.size(); }
  const float* forward(std::span<const float> packed, const float* observations, int rows) override;
  void backward(std::span<const float> packed, float* feature_gradient,
                std::span<float> gradient) override;

 private:
  // A row of results and of slopes for each distinct square, after a row for a blank cell: zeros,
  // and slopes that nobody reads. The first layer looks at pixels, each other one at pictures of
  // the numbers of those rows in the layer before.
  struct Layer {
    Layer(const ConvLayer& layer, int cell_bytes, int rows_max);

    ConvLayer shape;
    DistinctSquares squares;
    std::vector<std::uint32_t> pictures;  // amid their blanks
    dense::Floats results, slopes;        // d loss / d results

    [[nodiscard]] const float* result(int square) const { return results.data() + at(square); }
    [[nodiscard]] float* result(int square) { return results.data() + at(square); }
    [[nodiscard]] float* slope(int square) { return slopes.data() + at(square); }

   private:
    [[nodiscard]] std::ptrdiff_t at(int square) const {
      return static_cast<std::ptrdiff_t>(square + 1) * shape.out.channels;
    }
  };
  // Some distinct squares, as many as fit into the buffers.
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
  dense::Floats squares_;        // of a piece: a row of cells each
  dense::Floats square_slopes_;  // d loss / d those
  dense::Floats turned_;         // weights of the layer under way
  dense::Floats features_;
  int rows_ = 0;
};

}  // namespace hone::ga3c
