#include "schemas/codec/fields.hpp"
#include "study/results/outcome.hpp"

namespace hone::codec {
namespace {

using study::BestSoFar;
using study::Outcome;
using study::StudyData;

constexpr std::size_t outcomes_max = 1'000'000;
constexpr std::size_t improvements_max = 100'000;  // of one sweep

Json read_json(const Spot& spot) { return spot.json; }

}  // namespace

void fields(auto& f, Of<BestSoFar> auto& b) { f("spent", b.spent)("value", b.value); }

void fields(auto& f, Of<Outcome> auto& o) {
  f("method", o.method)("problem", o.problem)("repetition", o.repetition, Integer{0, 1'000'000});
  f("tuning", o.tuning).some("test", o.test).some("params", o.params, read_json);
  f.some("tuned", o.tuned).some("fresh", o.fresh)("spent", o.spent)("seconds", o.seconds);
  f("trials", o.trials).some("best", o.best, ListOf{OfType{}, improvements_max});
}

void fields(auto& f, Of<StudyData> auto& d) {
  f("study", d.study, read_json)("outcomes", d.outcomes, ListOf{OfType{}, outcomes_max});
}

}  // namespace hone::codec

namespace hone::study {

Json encode_data(const StudyData& data) { return codec::write(data); }
Result<StudyData> decode_data(const Json& document) {
  return codec::decode_as<StudyData>(document);
}

}  // namespace hone::study
