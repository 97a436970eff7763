#include "sdk/cli/local/script_fields.hpp"

#include <algorithm>
#include <array>

namespace hone::cli {
namespace {

// How a library spells the flag of a field.
enum class Spelling {
  tyro,         // --learning-rate, --norm/--no-norm, --optimizer.lr
  huggingface,  // --learning_rate, --norm=True
  tap,          // --learning_rate, a switch that inverts the default
  fire,         // --learning_rate, --norm=True
  typer,        // --learning-rate, --norm/--no-norm
  hydra,        // learning_rate=0.1
};

std::string dashed(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// "float" of "Optional[float]", "Annotated[float, ...]", "float | None".
std::string inner_type(std::string annotation) {
  if (annotation.size() > 1 && (annotation.front() == '"' || annotation.front() == '\''))
    annotation = unquoted(annotation).value_or(annotation);
  for (const std::string_view wrapper :
       {"Optional[", "Annotated[", "Final[", "tyro.conf.FlagConversionOff["})
    if (const auto at = annotation.find(wrapper); at != std::string::npos) {
      const auto parts = split_arguments(annotation, at + wrapper.size());
      return parts.empty() ? annotation : inner_type(parts.front());
    }
  if (const auto bar = annotation.find('|'); bar != std::string::npos && !has(annotation, "["))
    return std::string(trimmed(std::string_view(annotation).substr(0, bar)));
  return annotation;
}

// The default of a field: a literal, or that of field(default=...) and of the like.
void take_field_default(ScriptFlag& flag, const ScriptField& field, std::string_view program) {
  std::string given = field.given;
  for (const std::string_view call : {"field(", "Option(", "Field("})
    if (const auto at = given.find(call); at != std::string::npos) {
      std::string inner;
      const auto parts = split_arguments(given, at + call.size());
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const Argument one = argument_of(parts[i]);
        if (one.name == "default" || (one.name.empty() && i == 0)) inner = one.value;
        if (one.name == "default_factory" && one.value.starts_with("lambda"))
          inner = trimmed(one.value.substr(std::min(one.value.find(':') + 1, one.value.size())));
      }
      given = inner;
      break;
    }
  flag.given_text = given;
  if (auto value = literal(given, program); value && !value->is_null()) flag.given = *value;
}

void take_annotation(ScriptFlag& flag, const std::string& annotation, std::string_view program) {
  const std::string type = inner_type(annotation);
  if (type == "float") flag.type = FlagType::real;
  if (type == "int") flag.type = FlagType::whole;
  if (type == "str") flag.type = FlagType::text;
  if (type == "bool") flag.type = FlagType::truth;
  if (const auto at = type.find("Literal["); at != std::string::npos)
    for (const std::string& part : split_arguments(type, at + 8))
      if (auto one = literal(part, program); one && !one->is_null()) flag.choices.push_back(*one);
  for (const std::string_view list : {"List[", "list[", "Tuple[", "tuple[", "Sequence["})
    if (has(type, list)) flag.form = FlagForm::items;
}

void spell(ScriptFlag& flag, const std::string& prefix, const std::string& name, Spelling spelling,
           bool converts) {
  const bool dashes = spelling == Spelling::tyro || spelling == Spelling::typer;
  flag.name = prefix + name;
  flag.option = dashes ? "--" + dashed(prefix) + dashed(name) : "--" + prefix + name;
  if (spelling == Spelling::hydra) {
    flag.option = prefix + name;
    flag.form = FlagForm::setting;
    return;
  }
  if (flag.type != FlagType::truth) return;
  flag.off = "--" + dashed(prefix) + "no-" + dashed(name);
  switch (spelling) {
    case Spelling::tyro:
    case Spelling::typer:
      flag.form = converts ? FlagForm::pair : FlagForm::truth;
      return;
    case Spelling::huggingface:
    case Spelling::fire:
      flag.form = FlagForm::truth;
      return;
    case Spelling::tap:
      flag.form = flag.given == Json(true) ? FlagForm::off : FlagForm::on;
      return;
    case Spelling::hydra:
      return;
  }
}

constexpr int nesting_max = 4;  // of dataclasses in dataclasses

void add_fields(std::string_view program, const std::vector<ScriptField>& fields, Spelling spelling,
                const std::string& prefix, int depth, std::vector<ScriptFlag>& flags) {
  const bool converts = !has(program, "FlagConversionOff");
  for (const ScriptField& field : fields) {
    const std::string type = inner_type(field.annotation);
    if (has(field.annotation, "ClassVar") || field.name == "self" || field.name.starts_with('_'))
      continue;
    const bool nests = spelling == Spelling::tyro || spelling == Spelling::hydra;
    if (const auto inner =
            nests && depth < nesting_max ? fields_of_class(program, type) : std::nullopt;
        inner && !inner->empty()) {
      add_fields(program, *inner, spelling, prefix + field.name + ".", depth + 1, flags);
      continue;
    }
    ScriptFlag flag;
    take_annotation(flag, field.annotation, program);
    take_field_default(flag, field, program);
    flag.required = field.given.empty();
    if (flag.form == FlagForm::value) settle_flag(flag);
    spell(flag, prefix, field.name, spelling, converts);
    flags.push_back(std::move(flag));
  }
}

// The names inside of a call's first argument: (A, B), [A, B] or A.
std::vector<std::string> names_in(std::string_view program, std::size_t at) {
  const auto parts = split_arguments(program, at);
  if (parts.empty()) return {};
  const std::string first = argument_of(parts.front()).value;
  if (first.starts_with('(') || first.starts_with('[')) return split_arguments(first, 1);
  return {first};
}

std::vector<ScriptFlag> flags_of(std::string_view program, const std::vector<std::string>& names,
                                 Spelling spelling) {
  std::vector<ScriptFlag> flags;
  for (const std::string& name : names) {
    auto fields = fields_of_class(program, name);
    if (!fields) fields = parameters_of(program, name);
    if (fields) add_fields(program, *fields, spelling, "", 0, flags);
  }
  return flags;
}

struct FieldReader {
  std::string_view call;
  Spelling spelling;
};
constexpr std::array field_readers{FieldReader{"tyro.cli", Spelling::tyro},
                                   FieldReader{"cli", Spelling::tyro},
                                   FieldReader{"HfArgumentParser", Spelling::huggingface},
                                   FieldReader{"typer.run", Spelling::typer}};

// class Args(Tap): the fields of the class itself.
std::string tap_class(std::string_view program) {
  const auto at = program.find("(Tap)");
  if (at == std::string_view::npos) return {};
  const auto begin = program.rfind(' ', at);
  return begin == std::string_view::npos ? ""
                                         : std::string(program.substr(begin + 1, at - begin - 1));
}

}  // namespace

std::vector<ScriptFlag> scan_fields(std::string_view program) {
  for (const FieldReader& reader : field_readers) {
    if (reader.call == "cli" && !has(program, "tyro")) continue;
    std::vector<std::string> names;
    each_call(program, reader.call, [&](std::size_t at) {
      for (auto& name : names_in(program, at)) names.push_back(std::move(name));
    });
    if (auto flags = flags_of(program, names, reader.spelling); !flags.empty()) return flags;
  }
  const std::string tap = tap_class(program);
  return tap.empty() ? std::vector<ScriptFlag>{} : flags_of(program, {tap}, Spelling::tap);
}

std::vector<ScriptFlag> scan_fire(std::string_view program) {
  std::vector<std::string> names;
  each_call(program, "fire.Fire", [&](std::size_t at) { names = names_in(program, at); });
  return flags_of(program, names, Spelling::fire);
}

std::vector<ScriptFlag> scan_globals(std::string_view program) {
  if (!has(program, "configurator.py")) return {};
  std::vector<ScriptFlag> flags;
  for (const ScriptField& field : globals_of(program)) {
    ScriptFlag flag;
    take_field_default(flag, field, program);
    if (!flag.given || !flag.given->is_primitive()) continue;
    settle_flag(flag);
    spell(flag, "", field.name, Spelling::fire, true);
    flags.push_back(std::move(flag));
  }
  return flags;
}

std::vector<ScriptFlag> scan_settings(std::string_view program, std::string_view name) {
  return flags_of(program, {std::string(name)}, Spelling::hydra);
}

}  // namespace hone::cli
