// Spaces that make no sense are refused with the line, the column and the reason: by the reader of
// the file, by the decoder or by the search space, whichever sees it first.
#include <gtest/gtest.h>

#include "schemas/codec/body.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cpp/sweep_file.hpp"
#include "server/search/samplers/sampler.hpp"
#include "tests/unit/case_name.hpp"

namespace hone {
namespace {

constexpr const char* head =  // eight lines
    "objective: {metric: r}\n"
    "command: [train]\n"
    "budget: {per_run: 10}\n"
    "search:\n"
    "  method: grid\n"
    "  trials: 4\n"
    "  points: 2\n"
    "parameters:\n";

// "s.yaml:9:3: why", or "" where nothing is wrong.
std::string verdict_on(const std::string& parameters) {
  const auto file = read_sweep_text(head + parameters, "s.yaml");
  if (!file.ok()) return file.error().detail;
  const auto tell = [&](const Error& error) { return file->place(error.at) + ": " + error.detail; };
  const auto spec = decode_request<SweepSpec>(file->document);
  if (!spec.ok()) return tell(spec.error());
  const auto space = SearchSpace::make(spec->parameters, spec->constraints);
  if (!space.ok()) return tell(space.error());
  const auto sampler = make_sampler(spec->search, *space);
  return sampler.ok() ? "" : tell(sampler.error());
}

struct Bad {
  const char* parameters;
  const char* verdict;  // its beginning
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.parameters; }

class BadSpace : public testing::TestWithParam<Bad> {};

TEST_P(BadSpace, is_refused_with_place_and_reason) {
  const std::string verdict = verdict_on(GetParam().parameters);
  EXPECT_EQ(verdict.substr(0, std::string_view(GetParam().verdict).size()), GetParam().verdict)
      << verdict;
}

INSTANTIATE_TEST_SUITE_P(
    Sweeps, BadSpace,
    testing::Values(
        Bad{"  a: {type: float, min: .nan, max: 1}\n", "s.yaml:9:25: .nan is not a finite number"},
        Bad{"  a: {type: float, min: 0, max: .inf}\n", "s.yaml:9:33: .inf is not a finite number"},
        Bad{"  a: {type: float, min: -1.0e308, max: 1.0e308}\n",
            "s.yaml:9:35: max - min must be a finite number"},
        Bad{"  a: {type: float, min: 0, max: 1, step: 2}\n",
            "s.yaml:9:36: step (2.0) is larger than max - min (1.0)"},
        Bad{"  a:\n    type: int\n    min: 1\n    max: 9\n    step: 9\n",
            "s.yaml:13:5: step (9) is larger than max - min (8)"},
        Bad{"  a: {type: int, min: 1, max: 9, step: 0}\n",
            "s.yaml:9:34: must be greater than 0, not 0"},
        Bad{"  a: {values: [x, y, x]}\n", "s.yaml:9:22: the value \"x\" appears twice"},
        Bad{"  a: {values: [1, 2.0, 2]}\n", "s.yaml:9:24: the value 2 appears twice"},
        Bad{"  a: {values: []}\n", "s.yaml:9:7: must name at least one value"},
        Bad{"  a: {values: [x, y], weights: [1]}\n",
            "s.yaml:9:23: must have one number for each value"},
        Bad{"  a: {type: float, min: 0, max: 1, scale: log}\n",
            "s.yaml:9:20: must be greater than 0 on a log scale"},
        Bad{"  a: {type: float, min: 0.5, max: 1, scale: logit}\n",
            "s.yaml:9:20: a logit scale needs bounds between 0 and 1"},
        Bad{"  a: {type: float, min: 0, max: 1, prior: {center: 3}}\n",
            "s.yaml:9:36: its center (3.0) must lie between min and max"},
        Bad{"  a: {type: bool, when: a}\n", "s.yaml:9:19: 'a' and 'a' depend on each other"},
        Bad{"  a: {type: bool, when: c}\n  b: {type: bool, when: a}\n  c: {expr: b}\n",
            "s.yaml:9:19: 'a' and 'c' depend on each other: a cycle"},
        Bad{"  a: {type: bool, when: b}\n  b: {type: bool}\n",
            "s.yaml:9:19: 'b' is named after this one: move it before 'a'"},
        Bad{"  a: {type: bool, when: \"rate > \"}\n", "s.yaml:9:19: "},
        Bad{"  rate: {type: bool}\n  a: {type: bool, when: rte}\n",
            "s.yaml:10:19: 'rte' is no parameter of this sweep (did you mean 'rate'?)"},
        Bad{"  a: {type: float, min: 0, max: 1}\n"
            "constraints:\n  - a > 0.5\n  - a < b\n",
            "s.yaml:12:5: 'b' is no parameter of this sweep"},
        Bad{"  a: {type: float, min: 0, max: 1}\nconstraints: [a > 0.5, a < 0.4]\n",
            "s.yaml:10:1: none of 100000 random parameter sets satisfies every constraint"},
        Bad{"  a: {type: float, min: 0, max: 1}\nconstraints: [a < 2, \"a < 'x'\"]\n",
            "s.yaml:10:22: has no value for any of 1000 random parameter sets: it compares a "
            "number with a text"},
        Bad{"  a: {type: int, min: 1, max: 12345678901234567890}\n",
            "s.yaml:9:31: the number 12345678901234567890 does not fit 64 bits"},
        Bad{"  a: {type: float, min: 0, max: 1}\n",
            "s.yaml:6:3: the grid has 2 combinations, fewer than trials (4)"}),
    [](const auto& one) { return case_name(one.param.verdict, one.index); });

TEST(GoodSpace, is_accepted) {
  EXPECT_EQ(verdict_on("  a: {type: float, min: 0, max: 1, prior: 0.5}\n"
                       "  b: {values: [x, y], weights: [1, 2], when: a > 0.1}\n"
                       "  c: {expr: a * 2}\n"
                       "  d: {values: [1, 2, 4], ordered: true}\n"
                       "constraints: [c < 2.5]\n"),
            "");
}

}  // namespace
}  // namespace hone
