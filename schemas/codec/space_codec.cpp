// The parameters block of the sweep file.
#include <cmath>

#include "base/ascii.hpp"
#include "schemas/codec/parts.hpp"
#include "schemas/values/same.hpp"

namespace hone::codec {
namespace {

constexpr std::size_t values_max = 1000;
constexpr double weight_max = 1e9;
constexpr std::size_t parameters_max = 1000;
constexpr Text expression{1000, false};
constexpr Count bound{-exact_max, exact_max};

std::string shown(double value) { return to_text(Json(value)); }
std::string shown(std::int64_t value) { return std::to_string(value); }

// What a float and an int have in common. range: max - min, as wide as it takes.
template <class Domain, class Number>
void check_bounds(Reader& reader, const Domain& domain, Number range, std::optional<Number> step) {
  if (domain.min > domain.max)
    reader.refuse_rule("min", "min (" + shown(domain.min) + ") is larger than max (" +
                                  shown(domain.max) + "); both are values, inclusive");
  if (domain.scale == Scale::log && !(domain.min > 0))
    reader.refuse_rule("min", "must be greater than 0 on a log scale, not " + shown(domain.min));
  if (domain.scale == Scale::logit && !(domain.min > 0 && domain.max < 1))
    reader.refuse_rule("min", "a logit scale needs bounds between 0 and 1, both exclusive");
  if (domain.prior && !(domain.prior->center >= static_cast<double>(domain.min) &&
                        domain.prior->center <= static_cast<double>(domain.max)))
    reader.refuse_rule(
        "prior", "its center (" + shown(domain.prior->center) + ") must lie between min and max");
  if (domain.prior && !(domain.min < domain.max))
    reader.refuse_rule("prior", "a parameter of one value has no use for a prior");
  if (step && !(*step > 0))
    reader.refuse_rule("step", "must be greater than 0, not " + shown(*step));
  // 0.3 - 0.2 is less than 0.1 in binary.
  const bool rounded = std::is_floating_point_v<Number> && step &&
                       same_number(static_cast<double>(*step), static_cast<double>(range));
  if (step && *step > range && !rounded)
    reader.refuse_rule(
        "step", "step (" + shown(*step) + ") is larger than max - min (" + shown(range) + ")");
}

// A list or an object may be long.
std::string shortened(std::string text) {
  constexpr std::size_t shown_max = 60;
  if (text.size() <= shown_max) return text;
  auto end = shown_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

Value read_choice_value(const Spot& spot) {
  Value value = read_parameter_value(spot);
  if (spot.text() != nullptr) Text{std::string::npos, true, false}(spot);
  return value;
}

std::vector<Value> read_choices(const Spot& spot) {
  auto values = read_by<std::vector<Value>>(spot, ListOf{read_choice_value, values_max, "value"});
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (same_value(values[i], values[j]))
        spot.fault.note_rule(Place(spot.place, i), "the value " +
                                                       shortened(to_text(write(values[i]))) +
                                                       " appears twice; each may be there once");
  return values;
}

}  // namespace

void fields(auto& f, Of<Prior> auto& p) { f("center", p.center).maybe("spread", p.spread); }
void check(Reader& reader, const Prior& prior) {
  constexpr double spread_min = 1e-3, spread_max = 1e3;
  if (!(prior.spread >= spread_min && prior.spread <= spread_max))
    reader.refuse_rule("spread",
                       "is a standard deviation as a share of the range, from 0.001 to 1000");
}
// prior: 3.0e-4, or prior: {center: 3.0e-4, spread: 0.25}.
template <>
Prior read(const Spot& spot) {
  if (!spot.json.is_object()) return {read_real(spot)};
  return read_object<Prior>(spot);
}

void fields(auto& f, Of<FloatDomain> auto& d) {
  f("min", d.min)("max", d.max).maybe("scale", d.scale).some("step", d.step);
  f.some("prior", d.prior);
}
void check(Reader& reader, const FloatDomain& domain) {
  const double range = domain.max - domain.min;
  check_bounds(reader, domain, range, domain.step);
  if (!std::isfinite(range)) reader.refuse_rule("max", "max - min must be a finite number");
}

void fields(auto& f, Of<IntDomain> auto& d) {
  f("min", d.min, bound)("max", d.max, bound).maybe("scale", d.scale).maybe("step", d.step, bound);
  f.some("prior", d.prior);
}
void check(Reader& reader, const IntDomain& domain) {
  if (domain.scale == Scale::logit)
    reader.refuse_rule("scale", "a logit scale is for floats between 0 and 1");
  // The default step of 1 is right even where min equals max.
  const std::int64_t range = std::max(domain.max - domain.min, std::int64_t{1});
  check_bounds(reader, domain, range, std::optional(domain.step));
}

void fields(auto& f, Of<ChoiceDomain> auto& d) {
  f("values", d.values, read_choices).some("ordered", d.ordered);
  f.some("weights", d.weights, ListOf{OfType{}, values_max});
}
void check(Reader& reader, const ChoiceDomain& domain) {
  if (!domain.weights.empty() && domain.weights.size() != domain.values.size())
    reader.refuse_rule("weights", "must have one number for each value");
  for (const double weight : domain.weights)
    if (!(weight > 0 && weight <= weight_max))
      reader.refuse_rule("weights", "must be greater than 0 and at most 1e9");
}

void fields(auto&, Of<BoolDomain> auto&) {}

namespace {

// null is a value here, not an absent field.
bool is_null_at(const Reader& reader, const char* key) {
  return reader.spot.json.contains(key) && reader.spot.json[key].is_null();
}

}  // namespace

template <class F>
void fields(F& f, Of<FixedDomain> auto& d) {
  if constexpr (reads<F>)
    if (is_null_at(f, "value")) {
      f.find("value");
      d.value = JsonText{};
      return;
    }
  f("value", d.value, read_parameter_value);
}

void fields(auto& f, Of<DerivedDomain> auto& d) {
  f("expr", d.expr, expression).some("keep_ints", d.keep_ints);
}

namespace {

// In the order of Domain.
constexpr auto type_names = word_table("float", "int", "choice", "bool", "fixed", "derived");
static_assert(type_names.size() == std::variant_size_v<Domain>);

// The index in type_names; nullopt after a refusal. What is left out is guessed only where it
// cannot be meant otherwise.
std::optional<std::size_t> read_type(Reader& reader) {
  std::optional<std::size_t> given;
  reader.some("type", given, OneOf{type_names});
  if (given) return given;
  if (reader.find("values") != nullptr) return Domain(ChoiceDomain{}).index();
  if (reader.find("value") != nullptr || is_null_at(reader, "value"))
    return Domain(FixedDomain{}).index();
  if (reader.find("expr") != nullptr) return Domain(DerivedDomain{}).index();
  for (const auto key : {"min", "max", "scale", "step", "prior"}) reader.find(key);
  if (reader.done())
    reader.refuse("type", "is missing: say type: float, int, bool, choice, fixed or derived");
  return {};
}

Parameter read_parameter(const std::string& name, const Spot& spot) {
  Parameter parameter;
  parameter.name = name;
  if (!spot.json.is_object()) {
    spot.refuse(
        "must be an object such as {type: float, min: 0.1, max: 1} or, for one that does not "
        "vary, {value: 0.1}; not " +
        described(spot.json));
    return parameter;
  }
  Reader reader(spot);
  reader.some("when", parameter.when, expression);
  if (const auto type = read_type(reader))
    parameter.domain = read_alternative<Domain>(reader, *type);
  return parameter;
}

void check_name(const std::string& name, const Spot& spot) {
  constexpr std::size_t length_max = 64;
  const bool ok = !name.empty() && name.size() <= length_max && is_plain(name, "_.-") &&
                  (is_letter(name.front()) || name.front() == '_');
  if (!ok)
    spot.refuse_rule(
        "the parameter name " + in_quotes(name) +
        " must begin with a letter or _, continue with letters, digits, _ . - and have at most "
        "64 characters");
}

Json write_parameter(const Parameter& parameter) {
  Json json = Json::object();
  Writer writer(json);
  json["type"] = type_names[parameter.domain.index()];
  std::visit([&](const auto& domain) { fields(writer, domain); }, parameter.domain);
  writer.some("when", parameter.when);
  return json;
}

}  // namespace

template <>
Space read(const Spot& spot) {
  Space space;
  Reader(spot).each_other([&](const std::string& name, const Spot& parameter) {
    check_name(name, parameter);
    space.push_back(read_parameter(name, parameter));
  });
  if (space.size() > parameters_max) spot.refuse_rule("has more than 1000 parameters");
  return space;
}

template <>
Json write(const Space& space) {
  Json json = Json::object();
  for (const auto& parameter : space) json[parameter.name] = write_parameter(parameter);
  return json;
}

}  // namespace hone::codec
