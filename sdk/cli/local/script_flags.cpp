#include "sdk/cli/local/script_flags.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.hpp"
#include "base/expect.hpp"
#include "sdk/cli/local/python_text.hpp"
#include "sdk/cli/local/script_fields.hpp"

namespace hone::cli {
namespace {

std::vector<Json> choices_of(std::string_view text, std::string_view program) {
  const auto list = literal(text, program);
  std::vector<Json> choices;
  if (list && list->is_array())
    for (const Json& one : *list)
      if (one.is_string() || one.is_number() || one.is_boolean()) choices.push_back(one);
  return choices;
}

void take_default(ScriptFlag& flag, const std::string& text, std::string_view program) {
  flag.given_text = text;
  if (auto value = literal(text, program); value && !value->is_null()) flag.given = *value;
}

// argparse ---------------------------------------------------------------------

// Choices that are computed, such as range(1, 5), are not known.
void take_choices(ScriptFlag& flag, std::string_view text, std::string_view program) {
  flag.choices = choices_of(text, program);
  if (flag.choices.empty()) flag.computed = true;
}

// A function such as str2bool reads "True"; bool itself does not read "False". What a function of
// another name reads is guessed from the default; a lambda may read anything.
void take_type(ScriptFlag& flag, const std::string& type) {
  const bool reads_truths = has(type, "strtobool") || has(type, "str2bool");
  if (type == "bool") {
    flag.form = FlagForm::python_bool;
    flag.type = FlagType::truth;
  } else if (!is_plain(type, "_.") && !reads_truths) {
    flag.computed = true;
  } else if (has(type, "bool")) {
    flag.form = FlagForm::truth;
    flag.type = FlagType::truth;
  } else if (has(type, "int") || has(type, "INT")) {
    flag.type = FlagType::whole;
  } else if (has(type, "float") || has(type, "Float") || has(type, "FLOAT")) {
    flag.type = FlagType::real;
  } else if (type == "str" || type == "click.STRING") {
    flag.type = FlagType::text;
  }
}

void take_action(ScriptFlag& flag, const std::string& action, bool& takes_part) {
  if (action == "store_true") {
    flag.form = FlagForm::on;
    if (!flag.given) flag.given = Json(false);
  } else if (action == "store_false") {
    flag.form = FlagForm::off;
    if (!flag.given) flag.given = Json(true);
  } else if (has(action, "BooleanOptionalAction")) {
    flag.form = FlagForm::pair;
    flag.off = "--no-" + flag.option.substr(std::min<std::size_t>(2, flag.option.size()));
  } else if (action == "append") {
    flag.form = FlagForm::repeated;
  } else if (action == "extend") {
    flag.form = FlagForm::items;
  } else if (action != "store") {
    takes_part = false;
  }
  if (flag.form == FlagForm::on || flag.form == FlagForm::off || flag.form == FlagForm::pair)
    flag.type = FlagType::truth;
}

// The long option of several, else the only one.
std::string best_option(const std::vector<std::string>& options) {
  const auto length = [](const std::string& one) {
    return std::min(one.find_first_not_of('-'), std::size_t{2});
  };
  std::string best;
  for (const std::string& one : options)
    if (best.empty() || length(one) > length(best) ||
        (length(one) == length(best) && best.size() == 2 && one.size() > 2))
      best = one;
  return best;
}

class ArgparseReader {
 public:
  ArgparseReader(std::string_view program, ScriptFlags& found) : program_(program), found_(found) {}

  void take(std::size_t at) {
    ScriptFlag flag;
    std::vector<std::string> names;
    std::string action, nargs, dest;
    bool typed = false;
    for (const std::string& part : split_arguments(program_, at)) {
      const Argument one = argument_of(part);
      if (one.name.empty()) {
        if (const auto name = unquoted(part)) names.push_back(*name);
      } else if (one.name == "type") {
        typed = true;
        take_type(flag, one.value);
      } else if (one.name == "action") {
        action = unquoted(one.value).value_or(one.value);
      } else if (one.name == "default") {
        take_default(flag, one.value, program_);
      } else if (one.name == "choices") {
        take_choices(flag, one.value, program_);
      } else if (one.name == "nargs") {
        nargs = unquoted(one.value).value_or(one.value);
      } else if (one.name == "dest") {
        dest = unquoted(one.value).value_or("");
      } else if (one.name == "required") {
        flag.required = one.value == "True";
      }
    }
    if (names.empty()) return;
    if (!typed) flag.type = FlagType::text;  // argparse hands over the text, also for a number
    if (!names.front().starts_with('-')) {
      if (nargs != "?" && nargs != "*" && !flag.given) found_.positional.push_back(names.front());
      return;
    }
    flag.option = best_option(names);
    flag.name = dest.empty() ? flag_name(flag.option) : dest;
    bool takes_part = true;
    if (!action.empty()) take_action(flag, action, takes_part);
    if (!nargs.empty() && nargs != "?" && nargs != "1") flag.form = FlagForm::items;
    if (!takes_part || has(nargs, "REMAINDER")) flag.form = FlagForm::items, flag.given.reset();
    settle_flag(flag);
    found_.flags.push_back(std::move(flag));
  }

 private:
  std::string_view program_;
  ScriptFlags& found_;
};

// parser.set_defaults(model_ema=True)
void take_defaults(std::string_view program, std::size_t at, std::vector<ScriptFlag>& flags) {
  for (const std::string& part : split_arguments(program, at)) {
    const Argument one = argument_of(part);
    for (ScriptFlag& flag : flags)
      if (flag.name == one.name) take_default(flag, one.value, program);
  }
}

// --ema and --no-ema with one destination are a pair.
void join_pairs(std::vector<ScriptFlag>& flags) {
  for (std::size_t i = 0; i < flags.size(); ++i)
    for (std::size_t j = flags.size(); j-- > i + 1;) {
      if (flags[j].name != flags[i].name) continue;
      const bool both = flags[i].form == FlagForm::on && flags[j].form == FlagForm::off;
      const bool reversed = flags[i].form == FlagForm::off && flags[j].form == FlagForm::on;
      if (both) flags[i].off = flags[j].option;
      if (reversed) flags[i].off = std::exchange(flags[i].option, flags[j].option);
      if (both || reversed) flags[i].form = FlagForm::pair;
      flags.erase(flags.begin() + static_cast<std::ptrdiff_t>(j));
    }
}

// click ------------------------------------------------------------------------

void take_click_type(ScriptFlag& flag, const std::string& type, std::string_view program) {
  const auto open = type.find('(');
  if (open == std::string::npos) return take_type(flag, type == "click.BOOL" ? "str2bool" : type);
  const auto parts = split_arguments(type, open + 1);
  if (has(type, "Choice")) {
    if (!parts.empty()) take_choices(flag, parts.front(), program);
    return;
  }
  if (!has(type, "Range")) return;
  flag.type = has(type, "IntRange") ? FlagType::whole : FlagType::real;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Argument one = argument_of(parts[i]);
    const auto value = literal(one.value, program);
    if (!value || !value->is_number()) continue;
    if (one.name == "min" || (one.name.empty() && i == 0)) flag.low = value->get<double>();
    if (one.name == "max" || (one.name.empty() && i == 1)) flag.high = value->get<double>();
  }
}

class ClickReader {
 public:
  ClickReader(std::string_view program, ScriptFlags& found) : program_(program), found_(found) {}

  void take(std::size_t at) {
    ScriptFlag flag;
    std::vector<std::string> names;
    bool is_flag = false, counts = false;
    for (const std::string& part : split_arguments(program_, at)) {
      const Argument one = argument_of(part);
      if (one.name.empty()) {
        if (const auto name = unquoted(part)) names.push_back(*name);
      } else if (one.name == "default") {
        take_default(flag, one.value, program_);
      } else if (one.name == "type") {
        take_click_type(flag, one.value, program_);
      } else if (one.name == "is_flag") {
        is_flag = one.value == "True";
      } else if (one.name == "multiple" && one.value == "True") {
        flag.form = FlagForm::repeated;
      } else if (one.name == "nargs" && one.value != "1") {
        flag.form = FlagForm::items;
      } else if (one.name == "count") {
        counts = one.value == "True";
      } else if (one.name == "required") {
        flag.required = one.value == "True";
      }
    }
    std::string own_name;  // "lr" of @click.option("--learning-rate", "lr")
    std::erase_if(names, [&](const std::string& one) {
      if (!one.starts_with('-')) own_name = one;
      return !one.starts_with('-');
    });
    if (names.empty() || counts) return;
    flag.option = best_option(names);
    if (const auto slash = flag.option.find('/'); slash != std::string::npos) {
      flag.off = trimmed(flag.option.substr(slash + 1));
      flag.option = trimmed(flag.option.substr(0, slash));
      flag.form = FlagForm::pair;
    } else if (is_flag) {
      flag.form = FlagForm::on;
    } else if (flag.given && flag.given->is_boolean()) {
      flag.form = FlagForm::truth;  // click reads True and False
    }
    if (flag.form == FlagForm::on && !flag.given) flag.given = Json(false);
    if (flag.form == FlagForm::on && flag.given == Json(true)) flag.form = FlagForm::off;
    flag.name = own_name.empty() ? flag_name(flag.option) : own_name;
    settle_flag(flag);
    found_.flags.push_back(std::move(flag));
  }

 private:
  std::string_view program_;
  ScriptFlags& found_;
};

// absl -------------------------------------------------------------------------

struct AbslKind {
  std::string_view call;
  FlagType type;
  FlagForm form;
};
constexpr std::array absl_kinds{
    AbslKind{"DEFINE_float", FlagType::real, FlagForm::value},
    AbslKind{"DEFINE_integer", FlagType::whole, FlagForm::value},
    AbslKind{"DEFINE_bool", FlagType::truth, FlagForm::pair},
    AbslKind{"DEFINE_boolean", FlagType::truth, FlagForm::pair},
    AbslKind{"DEFINE_string", FlagType::text, FlagForm::value},
    AbslKind{"DEFINE_enum", FlagType::text, FlagForm::value},
    AbslKind{"DEFINE_multi_float", FlagType::real, FlagForm::repeated},
    AbslKind{"DEFINE_multi_integer", FlagType::whole, FlagForm::repeated}};

void take_absl(std::string_view program, const AbslKind& kind, std::size_t at,
               std::vector<std::pair<std::size_t, ScriptFlag>>& found) {
  const auto parts = split_arguments(program, at);
  const auto name = parts.empty() ? std::nullopt : unquoted(argument_of(parts[0]).value);
  if (!name) return;
  ScriptFlag flag{"--" + *name, "--no" + *name, flag_name(*name), kind.form, kind.type};
  std::size_t position = 0;
  for (const std::string& part : parts) {
    const Argument one = argument_of(part);
    const bool is_default = one.name == "default" || (one.name.empty() && position == 1);
    if (is_default) take_default(flag, one.value, program);
    const bool is_bound = one.name == "lower_bound" || one.name == "upper_bound";
    if (const auto bound = is_bound ? literal(one.value, program) : std::nullopt;
        bound && bound->is_number())
      (one.name == "lower_bound" ? flag.low : flag.high) = bound->get<double>();
    if (kind.call == "DEFINE_enum" && one.name.empty() && position == 2)
      take_choices(flag, one.value, program);
    if (one.name == "enum_values") take_choices(flag, one.value, program);
    if (one.name.empty()) ++position;
  }
  settle_flag(flag);
  found.emplace_back(at, std::move(flag));
}

// The kinds are found one after another; the program's order is that of the places.
std::vector<ScriptFlag> scan_absl(std::string_view program) {
  std::vector<std::pair<std::size_t, ScriptFlag>> found;
  for (const AbslKind& kind : absl_kinds)
    each_call(program, kind.call, [&](std::size_t at) { take_absl(program, kind, at, found); });
  std::ranges::sort(found, {}, &std::pair<std::size_t, ScriptFlag>::first);
  std::vector<ScriptFlag> flags;
  for (auto& [at, flag] : found) flags.push_back(std::move(flag));
  return flags;
}

}  // namespace

ScriptFlags scan_flags(std::string_view program) {
  ScriptFlags found;
  const auto use = [&](FlagReader reader) {
    found.reader = reader;
    return found;
  };
  ArgparseReader argparse(program, found);
  each_call(program, "add_argument", [&](std::size_t at) { argparse.take(at); });
  if (auto more = scan_fields(program); !more.empty()) {
    for (ScriptFlag& flag : more) found.flags.push_back(std::move(flag));
    return use(FlagReader::fields);
  }
  each_call(program, "set_defaults",
            [&](std::size_t at) { take_defaults(program, at, found.flags); });
  join_pairs(found.flags);
  if (!found.flags.empty()) return use(FlagReader::argparse);
  ClickReader click(program, found);
  if (has(program, "click")) each_call(program, "option", [&](std::size_t at) { click.take(at); });
  if (!found.flags.empty()) return use(FlagReader::click);
  found.flags = scan_absl(program);
  if (!found.flags.empty()) return use(FlagReader::absl);
  found.flags = scan_fire(program);
  if (!found.flags.empty()) return use(FlagReader::fire);
  found.flags = scan_globals(program);
  return use(found.flags.empty() ? FlagReader::none : FlagReader::globals);
}

void settle_flag(ScriptFlag& flag) {
  if (!flag.given) return;
  const Json& given = *flag.given;
  if (flag.type == FlagType::unknown) {
    // A type function that hone does not know may read numbers: '0.25'.
    const auto number = given.is_string() ? literal(given.get<std::string>(), "") : std::nullopt;
    if (number && number->is_number() && flag.form == FlagForm::value) {
      flag.given = *number;
      flag.type = number->is_number_integer() ? FlagType::whole : FlagType::real;
    } else if (given.is_boolean()) {
      flag.type = FlagType::truth;
    } else if (given.is_number()) {
      flag.type = given.is_number_integer() ? FlagType::whole : FlagType::real;
    } else if (given.is_string()) {
      flag.type = FlagType::text;
    }
  }
  if (flag.form == FlagForm::python_bool || flag.form == FlagForm::truth) {
    if (given.is_number()) flag.given = Json(given.get<double>() != 0);
    if (given.is_string()) flag.given = Json(given == "True" || given == "true");
  }
}

std::vector<std::string> flag_words(const ScriptFlag& flag) {
  const std::string& x = flag.name;
  switch (flag.form) {
    case FlagForm::value:
      return {flag.option + "=${" + x + "}"};
    case FlagForm::on:
      return {"${" + x + "?" + flag.option + "}"};
    case FlagForm::off:
      return {"${" + x + "?:" + flag.option + "}"};
    case FlagForm::pair:
      return {"${" + x + "?" + flag.option + ":" + flag.off + "}"};
    case FlagForm::truth:
      return {"${" + x + "?" + flag.option + "=True:" + flag.option + "=False}"};
    case FlagForm::python_bool:
      return {"${" + x + "?" + flag.option + "=True:" + flag.option + "=}"};
    case FlagForm::items:
      return {flag.option, "${" + x + "*}"};
    case FlagForm::repeated:
      return {flag.option + "=${" + x + "*}"};
    case FlagForm::setting:
      return {flag.option + "=${" + x + "}"};
  }
  unreachable();
}

std::string flag_name(std::string_view option) {
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  std::string name(option);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace hone::cli
