// A sampler proposes parameters. It is stateless: everything it may use is in its arguments, and
// equal arguments give equal proposals. To add a method, copy samplers/random.cpp and list it in
// samplers/table.cpp; the contract test covers it from then on.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/rng.hpp"
#include "schemas/types/method_setting.hpp"
#include "schemas/types/proposal_cost.hpp"
#include "schemas/types/value.hpp"
#include "server/search/history/history.hpp"
#include "server/search/space/search_space.hpp"

namespace hone {

struct SearchSpec;

// The trial that is proposed: the address of its randomness, and how long it can train.
struct Draw {
  std::uint64_t seed = 0;   // of the sweep
  std::int64_t number = 0;  // of the trial within the sweep, not counting warm-started ones
  int phases = 1;           // of a complete run
  [[nodiscard]] Rng rng() const {
    return {seed, Purpose::propose, static_cast<std::uint64_t>(number)};
  }
};

class Sampler {
 public:
  virtual ~Sampler() = default;
  // Returns the point of the trial that `draw` addresses, settled and feasible; nullopt if the
  // method has nothing to propose now (external: its picker has enqueued nothing).
  [[nodiscard]] virtual std::optional<Point> propose(const SearchSpace& space,
                                                     const History& history,
                                                     const Draw& draw) const = 0;
  // Returns what was expected of the cost of a point that was proposed from the same arguments, and
  // how that was weighed; nullopt if cost was not weighed.
  [[nodiscard]] virtual std::optional<ProposalCost> cost_of(const SearchSpace&, const History&,
                                                            const Draw&,
                                                            std::span<const double>) const {
    return std::nullopt;
  }
  // Returns whether it ever proposes; else only parameter sets that a picker enqueues are tried.
  [[nodiscard]] virtual bool proposes() const { return true; }
};

// Makes a sampler. Refuses unknown or invalid settings; error.at is relative to the spec
// ("/search/...").
using SamplerMaker = Result<std::unique_ptr<Sampler>>(const SearchSpec& search,
                                                      const SearchSpace& space);

// Refuses a new sweep that the method could carry out, but not in bounded time.
using SamplerCheck = Status(const SearchSpec& search, const SearchSpace& space);

struct SamplerRow {
  std::string_view method;
  std::string_view summary;
  SamplerMaker* make;
  std::span<const MethodSetting> settings{};
  SamplerCheck* check = nullptr;
};

std::span<const SamplerRow> sampler_table();
Result<std::unique_ptr<Sampler>> make_sampler(const SearchSpec& search, const SearchSpace& space);

// Returns the first feasible of up to a thousand draws from the prior, or the witness of the space.
// The method `random` proposes these points, and other methods fall back on them.
Point random_point(const SearchSpace& space, Rng& rng);
// Returns the sampler of that method: every trial is such a point.
std::unique_ptr<Sampler> random_sampler();

}  // namespace hone
