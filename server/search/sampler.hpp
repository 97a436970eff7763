// A sampler proposes parameters. It is stateless: everything it may use is in its arguments, and
// the same arguments give the same answer. Copy samplers/random.cpp first; add a row to
// samplers/table.cpp; tests/contract runs by itself.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "schemas/types/result.hpp"
#include "schemas/types/space.hpp"
#include "schemas/types/spec.hpp"
#include "server/search/history.hpp"
#include "server/search/rng.hpp"

namespace hone {

class Sampler {
 public:
  virtual ~Sampler() = default;
  // The parameters of the trial that `rng` was addressed for. Every value lies within its domain; a
  // parameter is present exactly when its `when` holds.
  [[nodiscard]] virtual Params propose(const Space& space, const History& history,
                                       Rng& rng) const = 0;
};

struct SamplerRow {
  std::string_view method;
  std::string_view summary;
  // Refuses settings that make no sense; error.at is relative to the spec ("/search/...").
  Result<std::unique_ptr<Sampler>> (*make)(const SearchSpec& search);
};

std::span<const SamplerRow> sampler_table();
Result<std::unique_ptr<Sampler>> make_sampler(const SearchSpec& search);

}  // namespace hone
