// The user's own picker enqueues parameter sets, by `hone enqueue`, over HTTP or from a program.
// This sampler proposes nothing, so that only enqueued sets are tried.
#include "server/search/samplers/settings.hpp"

namespace hone {
namespace {

class ExternalSampler final : public Sampler {
 public:
  std::optional<Point> propose(const SearchSpace&, const History&, const Draw&) const override {
    return std::nullopt;
  }
  bool proposes() const override { return false; }
};

}  // namespace

Result<std::unique_ptr<Sampler>> make_external(const SearchSpec& search, const SearchSpace&) {
  if (auto fits = only_settings(search, {}); !fits) return fits.error();
  return std::unique_ptr<Sampler>(std::make_unique<ExternalSampler>());
}

}  // namespace hone
