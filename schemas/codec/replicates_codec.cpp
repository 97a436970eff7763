// replicates and confirm of the sweep file: what makes a result of several runs.
#include "schemas/codec/replicates.hpp"

namespace hone::codec {
namespace {

struct SeedRange {
  int min = 1;
  int max = 0;
};

// seeds: 3, or seeds: {min: 2, max: 8}
SeedRange read_seeds(const Spot& spot) {
  if (!spot.json.is_object()) return {SmallInteger{1, seeds_max}(spot), 0};
  Fields fields(spot);
  SeedRange range;
  range.min = fields.need("min", SmallInteger{1, seeds_max});
  range.max = fields.need("max", SmallInteger{1, seeds_max});
  if (fields.done() && range.max < range.min)
    fields.refuse_rule("max", "must be at least min, which is " + std::to_string(range.min));
  if (range.max == range.min) range.max = 0;
  return range;
}

constexpr ListOf references{Real{}, instances_max};

void check_references(Fields& fields, const InstancesSpec& spec) {
  const std::size_t count = spec.values.size();
  const bool given = !spec.worst.empty() || !spec.best.empty();
  if (given && spec.normalize == Normalize::ranks)
    return fields.refuse_rule("normalize",
                              "ranks need no worst and best: leave these out, or normalize");
  if (count < 2 && spec.normalize == Normalize::ranks)
    return fields.refuse_rule("normalize", "ranks compare problems: values has only one");
  if (!given) return;
  if (spec.worst.size() != count || spec.best.size() != count)
    return fields.refuse_rule("best", "worst and best have a number for each of the " +
                                          std::to_string(count) + " values, or are both left out");
  for (std::size_t i = 0; i < count; ++i)
    if (spec.worst[i] == spec.best[i])
      return fields.refuse_rule(
          "best", "worst and best of value " + std::to_string(i + 1) + " are the same number");
}

// instances: {parameter: env, values: [a, b], worst: [0, -500], best: [500, -80]}, or with
// normalize: ranks instead of worst and best
InstancesSpec read_instances(const Spot& spot) {
  Fields fields(spot);
  InstancesSpec instances;
  instances.parameter = fields.need("parameter", Line{1, name_max});
  instances.values = fields.need("values", ListOf{read_setting, instances_max});
  instances.worst = fields.maybe("worst", references, instances.worst);
  instances.best = fields.maybe("best", references, instances.best);
  instances.normalize = fields.maybe("normalize", WordOf<Normalize>{}, instances.normalize);
  if (!fields.done()) return instances;
  if (instances.values.empty()) fields.refuse_rule("values", "must have at least one value");
  check_references(fields, instances);
  return instances;
}

}  // namespace

Replicates read_replicates(const Spot& spot) {
  Fields fields(spot);
  const SeedRange seeds = fields.maybe("seeds", read_seeds, SeedRange{});
  Replicates read{seeds.min, {}};
  ReplicatesSpec& spec = read.spec;
  spec.max = seeds.max;
  spec.aggregate = fields.maybe("aggregate", WordOf<Aggregate>{}, spec.aggregate);
  spec.race = fields.maybe("race", Truth{}, spec.max > seeds.min);
  spec.instances = fields.optional("instances", read_instances);
  if (!fields.done()) return read;
  if (spec.max > 0 && !spec.race)
    fields.refuse_rule("race", "further seeds are added by racing: leave race out or make it true");
  if (spec.aggregate == Aggregate::lcb && seeds.min < 2)
    fields.refuse_rule("aggregate",
                       "lcb needs two seeds or more of every parameter set, as in seeds: {min: 2, "
                       "max: 8}: one run says nothing about its own error");
  return read;
}

ConfirmSpec read_confirm_spec(const Spot& spot) {
  Fields fields(spot);
  ConfirmSpec confirm;
  confirm.top = fields.maybe("top", SmallInteger{1, confirm_top_max}, confirm.top);
  confirm.seeds = fields.maybe("seeds", SmallInteger{2, seeds_max}, confirm.seeds);
  fields.done();
  return confirm;
}

Json encode_replicates(int seeds, const ReplicatesSpec& spec) {
  Json json = Json::object();
  json["seeds"] = seeds;
  if (spec.max > seeds) json["seeds"] = Json{{"min", seeds}, {"max", spec.max}};
  if (spec.aggregate != Aggregate::mean) json["aggregate"] = word_of(spec.aggregate);
  if (spec.race) json["race"] = true;
  if (!spec.instances) return json;
  Json& instances = json["instances"];
  instances["parameter"] = spec.instances->parameter;
  instances["values"] = Json::array();
  for (const Value& value : spec.instances->values) instances["values"].push_back(encode(value));
  if (!spec.instances->worst.empty()) instances["worst"] = spec.instances->worst;
  if (!spec.instances->best.empty()) instances["best"] = spec.instances->best;
  if (spec.instances->normalize != Normalize::references)
    instances["normalize"] = word_of(spec.instances->normalize);
  return json;
}

Json encode_confirm(const ConfirmSpec& confirm) {
  Json json = Json::object();
  json["top"] = confirm.top;
  json["seeds"] = confirm.seeds;
  return json;
}

}  // namespace hone::codec
