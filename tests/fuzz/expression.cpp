// Conditions and constraints: parsed, then evaluated with parameters of every kind.
#include "server/search/space/expression.hpp"

#include "tests/fuzz/fuzz.hpp"

namespace hone::fuzz {

void feed(const std::uint8_t* data, std::size_t size) {
  const auto parsed = Expression::parse(text_of(data, size));
  if (!parsed) {
    expect(!parsed.error().detail.empty(), "a refusal says why");
    return;
  }
  const Params params{
      {"x", 0.5}, {"n", std::int64_t{3}}, {"flag", true}, {"name", std::string("relu")}};
  const auto value = parsed->evaluate(params);
  expect(value == parsed->evaluate(params), "an expression is a function");
  expect(parsed->holds(params) == (value && *value == Value(true)), "holds is evaluates to true");
  static_cast<void>(parsed->evaluate({}));
}

}  // namespace hone::fuzz
