// The parameters block of the sweep file.
#include <array>
#include <cmath>

#include "schemas/codec/body.hpp"
#include "schemas/codec/parts.hpp"
#include "schemas/codec/space.hpp"
#include "schemas/codec/words.hpp"

namespace hone::codec {
namespace {

constexpr std::array<std::string_view, 6> domain_types{"float",  "int",   "bool",
                                                       "choice", "fixed", "derived"};
constexpr std::size_t values_max = 1000;
constexpr double weight_max = 1e9;
constexpr std::size_t parameters_max = 1000;
constexpr std::size_t condition_bytes_max = 1000;
constexpr Count bound{-exact_max, exact_max};

std::string words(double value) { return to_text(Json(value)); }
std::string words(std::int64_t value) { return std::to_string(value); }

// What a float and an int have in common. range: max - min, as wide as it takes.
template <class Domain, class Number>
void check_bounds(Fields& fields, const Domain& domain, Number range, std::optional<Number> step) {
  if (domain.min > domain.max)
    fields.refuse_rule("min", "min (" + words(domain.min) + ") is larger than max (" +
                                  words(domain.max) + "); both are values, inclusive");
  if (domain.scale == Scale::log && !(domain.min > 0))
    fields.refuse_rule("min", "must be greater than 0 on a log scale, not " + words(domain.min));
  if (domain.scale == Scale::logit && !(domain.min > 0 && domain.max < 1))
    fields.refuse_rule("min", "a logit scale needs bounds between 0 and 1, both exclusive");
  if (domain.prior && !(domain.prior->center >= static_cast<double>(domain.min) &&
                        domain.prior->center <= static_cast<double>(domain.max)))
    fields.refuse_rule(
        "prior", "its center (" + words(domain.prior->center) + ") must lie between min and max");
  if (domain.prior && !(domain.min < domain.max))
    fields.refuse_rule("prior", "a parameter of one value has no use for a prior");
  if (step && !(*step > 0))
    fields.refuse_rule("step", "must be greater than 0, not " + words(*step));
  if (step && *step > range)
    fields.refuse_rule(
        "step", "step (" + words(*step) + ") is larger than max - min (" + words(range) + ")");
}

// prior: 3.0e-4, or prior: {center: 3.0e-4, spread: 0.25}.
Prior read_prior(const Spot& spot) {
  constexpr double spread_min = 1e-3, spread_max = 1e3;
  if (!spot.json.is_object()) return {Real{}(spot), Prior{}.spread};
  Fields fields(spot);
  Prior prior;
  prior.center = fields.need("center", Real{});
  prior.spread = fields.maybe("spread", Real{}, prior.spread);
  if (fields.done() && !(prior.spread >= spread_min && prior.spread <= spread_max))
    fields.refuse_rule("spread",
                       "is a standard deviation as a share of the range, from 0.001 to 1000");
  return prior;
}

Domain read_float(Fields& fields) {
  FloatDomain domain;
  domain.min = fields.need("min", Real{});
  domain.max = fields.need("max", Real{});
  domain.scale = fields.maybe("scale", WordOf<Scale>{}, domain.scale);
  domain.step = fields.optional("step", Real{});
  domain.prior = fields.optional("prior", read_prior);
  if (!fields.done()) return domain;
  const double range = domain.max - domain.min;
  check_bounds(fields, domain, range, domain.step);
  if (!std::isfinite(range)) fields.refuse_rule("max", "max - min must be a finite number");
  return domain;
}

Domain read_int(Fields& fields) {
  IntDomain domain;
  domain.min = fields.need("min", bound);
  domain.max = fields.need("max", bound);
  domain.scale = fields.maybe("scale", WordOf<Scale>{}, domain.scale);
  domain.step = fields.maybe("step", bound, domain.step);
  domain.prior = fields.optional("prior", read_prior);
  if (!fields.done()) return domain;
  if (domain.scale == Scale::logit)
    fields.refuse_rule("scale", "a logit scale is for floats between 0 and 1");
  // The default step of 1 is right even where min equals max.
  const std::int64_t range = std::max(domain.max - domain.min, std::int64_t{1});
  check_bounds(fields, domain, range, std::optional(domain.step));
  return domain;
}

// As a trainer sees them: 1 and 1.0 are the same.
bool is_same(const Value& a, const Value& b) {
  const auto number = [](const Value& value) -> std::optional<double> {
    if (const auto* integer = std::get_if<std::int64_t>(&value))
      return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return std::nullopt;
  };
  if (a.index() == b.index()) return a == b;
  const auto left = number(a);
  return left && left == number(b);
}

Value read_choice_value(const Spot& spot) {
  Value value = read_setting(spot);
  const auto* words = std::get_if<std::string>(&value);
  if (words != nullptr && words->find('\0') != std::string::npos)
    spot.refuse_rule("must not contain NUL characters: no argument of a program can carry one");
  return value;
}

Domain read_choice(Fields& fields) {
  ChoiceDomain domain;
  domain.values = fields.need("values", [](const Spot& spot) {
    auto values = ListOf{read_choice_value, values_max}(spot);
    if (spot.fault.clear() && values.empty()) spot.refuse_rule("must name at least one value");
    for (std::size_t i = 0; i < values.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (is_same(values[i], values[j]))
          spot.fault.note_rule(Place(spot.place, i), "the value " + described(encode(values[i])) +
                                                         " appears twice; each may be there once");
    return values;
  });
  domain.ordered = fields.maybe("ordered", Truth{}, false);
  domain.weights = fields.maybe("weights", ListOf{Real{}, values_max}, domain.weights);
  if (!fields.done() || domain.weights.empty()) return domain;
  if (domain.weights.size() != domain.values.size())
    fields.refuse_rule("weights", "must have one number for each value");
  for (const double weight : domain.weights)
    if (!(weight > 0 && weight <= weight_max))
      fields.refuse_rule("weights", "must be greater than 0 and at most 1e9");
  return domain;
}

Domain read_bool(Fields& fields) {
  fields.done();
  return BoolDomain{};
}

Domain read_derived(Fields& fields) {
  DerivedDomain domain{fields.need("expr", Text{condition_bytes_max})};
  if (fields.done() && domain.expr.empty()) fields.refuse_rule("expr", "must not be empty");
  return domain;
}

Domain read_fixed(Fields& fields) {
  FixedDomain domain{fields.need("value", read_setting)};
  fields.done();
  return domain;
}

// Which of domain_types; what is left out is guessed only where it cannot be meant otherwise.
std::string_view read_type(Fields& fields) {
  const auto given = fields.optional("type", [](const Spot& spot) -> std::string_view {
    const auto* found = spot.json.get_ptr<const std::string*>();
    for (const auto type : domain_types)
      if (found != nullptr && *found == type) return type;
    refuse_word(spot, domain_types);
    return {};
  });
  if (given) return *given;
  if (fields.find("values") != nullptr) return "choice";
  if (fields.find("value") != nullptr) return "fixed";
  if (fields.find("expr") != nullptr) return "derived";
  for (const auto key : {"min", "max", "scale", "step", "prior"}) fields.find(key);
  if (fields.done())
    fields.refuse("type", "is missing: say type: float, int, bool, choice, fixed or derived");
  return {};
}

Domain read_domain(Fields& fields, std::string_view type) {
  if (type == "float") return read_float(fields);
  if (type == "int") return read_int(fields);
  if (type == "bool") return read_bool(fields);
  if (type == "choice") return read_choice(fields);
  if (type == "fixed") return read_fixed(fields);
  if (type == "derived") return read_derived(fields);
  return FixedDomain{};  // read_type has refused
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
  Fields fields(spot);
  parameter.when = fields.maybe("when", Text{condition_bytes_max}, std::string{});
  const auto type = read_type(fields);
  parameter.domain = read_domain(fields, type);
  return parameter;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_inner(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; }

void check_name(const std::string& name, const Spot& spot) {
  constexpr std::size_t length_max = 64;
  const bool ok = !name.empty() && name.size() <= length_max && is_letter(name.front()) &&
                  std::all_of(name.begin(), name.end(), is_inner);
  if (!ok)
    spot.refuse_rule(
        "the parameter name " + in_quotes(name) +
        " must begin with a letter or _, continue with letters, digits, _ . - and have at most "
        "64 characters");
}

class DomainWriter {
 public:
  explicit DomainWriter(Json& to) : json(to) {}

  void operator()(const FloatDomain& domain) {
    json["type"] = "float";
    json["min"] = domain.min;
    json["max"] = domain.max;
    json["scale"] = word(domain.scale);
    if (domain.step) json["step"] = *domain.step;
    write(domain.prior);
  }
  void operator()(const IntDomain& domain) {
    json["type"] = "int";
    json["min"] = domain.min;
    json["max"] = domain.max;
    json["scale"] = word(domain.scale);
    json["step"] = domain.step;
    write(domain.prior);
  }
  void operator()(const ChoiceDomain& domain) {
    json["type"] = "choice";
    json["values"] = Json::array();
    for (const auto& value : domain.values) json["values"].push_back(encode(value));
    if (domain.ordered) json["ordered"] = true;
    if (!domain.weights.empty()) json["weights"] = domain.weights;
  }
  void operator()(const BoolDomain&) { json["type"] = "bool"; }
  void operator()(const FixedDomain& domain) {
    json["type"] = "fixed";
    json["value"] = encode(domain.value);
  }
  void operator()(const DerivedDomain& domain) {
    json["type"] = "derived";
    json["expr"] = domain.expr;
  }

 private:
  void write(const std::optional<Prior>& prior) {
    if (!prior) return;
    json["prior"] = Json::object();
    json["prior"]["center"] = prior->center;
    json["prior"]["spread"] = prior->spread;
  }
  Json& json;
};

}  // namespace

Value read_setting(const Spot& spot) {
  Value value = read_value(spot);
  const auto* found = std::get_if<std::string>(&value);
  const auto meant = found == nullptr ? std::nullopt : as_yaml_number(*found);
  if (meant)
    spot.refuse_rule("the text " + in_quotes(*found) +
                     " looks like a number that a YAML 1.1 reader left as text; write " + *meant);
  return value;
}

Space read_space(const Spot& spot) {
  Space space;
  Fields fields(spot);
  fields.rest([&](const std::string& name, const Spot& parameter) {
    check_name(name, parameter);
    space.push_back(read_parameter(name, parameter));
  });
  if (space.size() > parameters_max) spot.refuse_rule("has more than 1000 parameters");
  return space;
}

Json encode_space(const Space& space) {
  Json json = Json::object();
  for (const auto& parameter : space) {
    Json one = Json::object();
    std::visit(DomainWriter(one), parameter.domain);
    if (!parameter.when.empty()) one["when"] = parameter.when;
    json[parameter.name] = std::move(one);
  }
  return json;
}

}  // namespace hone::codec

namespace hone {

Result<Space> decode_space(const Json& document, const std::string& at) {
  return codec::decode_with(document, codec::read_space, at);
}

Json encode_space(const Space& space) { return codec::encode_space(space); }

}  // namespace hone
