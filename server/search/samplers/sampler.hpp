// A sampler proposes parameters. It is stateless: everything it may use is in its arguments, and
// the same arguments give the same answer. Copy samplers/random.cpp first; add a row to
// samplers/table.cpp; tests/contract runs by itself.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/rng.hpp"
#include "schemas/types/spec.hpp"
#include "server/search/history/history.hpp"
#include "server/search/space/search_space.hpp"

namespace hone {

// The address of one proposal's randomness.
struct Draw {
  std::uint64_t seed = 0;   // of the sweep
  std::int64_t number = 0;  // of the trial within the sweep, warm-started ones not counted
  [[nodiscard]] Rng rng() const {
    return {seed, Purpose::propose, static_cast<std::uint64_t>(number)};
  }
};

class Sampler {
 public:
  virtual ~Sampler() = default;
  // The point of the trial that `draw` addresses: settled and feasible. nullopt where the method
  // has nothing to propose now (external: its picker has enqueued nothing).
  [[nodiscard]] virtual std::optional<Point> propose(const SearchSpace& space,
                                                     const History& history,
                                                     const Draw& draw) const = 0;
};

struct SamplerRow {
  std::string_view method;
  std::string_view summary;
  // Refuses settings that make no sense; error.at is relative to the spec ("/search/...").
  Result<std::unique_ptr<Sampler>> (*make)(const SearchSpec& search, const SearchSpace& space);
};

std::span<const SamplerRow> sampler_table();
Result<std::unique_ptr<Sampler>> make_sampler(const SearchSpec& search, const SearchSpace& space);

// The first feasible of up to `tries` uniform points of the space, else its witness: what `random`
// proposes and what others start from or fall back on.
Point random_point(const SearchSpace& space, Rng& rng);

}  // namespace hone
