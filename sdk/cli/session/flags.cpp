#include "sdk/cli/session/flags.hpp"

#include <CLI/CLI.hpp>

#include "base/ascii.hpp"
#include "base/expect.hpp"
#include "base/nearest.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {

struct Flags::Impl {
  CLI::App app;
  std::string group = "Options";
};

namespace {

struct Named {
  std::string names;  // "-n,--limit"
  std::string shown;  // "N"
};

Named split_names(const std::string& text) {
  const auto blank = text.find(' ');
  if (blank == std::string::npos) return {text, "VALUE"};
  return {text.substr(0, blank), text.substr(blank + 1)};
}

template <class T>
CLI::Option* add(CLI::App& app, const std::string& group, const std::string& text, T& value,
                 const std::string& help) {
  const Named named = split_names(text);
  return app.add_option(named.names, value, help)->option_text(named.shown)->group(group);
}

// CLI11 of Debian 13 throws for arguments named with other characters; that of Debian 12 does not.
const std::string& known_by_all(const std::string& name) {
  expect(is_plain(name, ""), "arguments are named by letters and digits");
  return name;
}

CLI::Validator within(Bounds bounds) {
  const auto check = [bounds](const std::string& word) -> std::string {
    double value = 0;
    if (CLI::detail::lexical_cast(word, value) && value >= bounds.min && value <= bounds.max)
      return {};
    return "'" + word + "' is not a number from " + number_text(bounds.min) + " to " +
           number_text(bounds.max);
  };
  return {check, ""};
}

// CLI11 names the unknown words; this adds the options that may have been meant.
std::string unknown_word(const CLI::App& app, const std::string& word) {
  if (!word.starts_with("-")) return "unexpected argument '" + word + "'";
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return "unknown option '" + word + "'" + did_you_mean(word, candidates);
}

// "  --limit N               how many", wrapped at 80 columns.
std::string help_line(const std::string& name, const std::string& help) {
  constexpr int help_column = 26;
  constexpr int columns = 80;
  const std::string indent(help_column, ' ');
  const std::string text = wrapped(help, columns, indent);
  if (display_width(name) + 4 > help_column) return "  " + name + "\n" + text + "\n";
  return "  " + padded_right(name, help_column - 2) + text.substr(indent.size()) + "\n";
}

std::string name_of(const CLI::Option& option) {
  const std::string name = option.get_name(false, true);
  return option.get_expected_max() == 0 ? name : name + " " + option.get_option_text();
}

std::string options_text(const CLI::App& app, const std::string& group) {
  std::string out;
  for (const auto* option :
       app.get_options([](const CLI::Option* o) { return o->nonpositional(); }))
    if (option->get_group() == group) out += help_line(name_of(*option), option->get_description());
  return out;
}

}  // namespace

Flags::Flags() : impl_(std::make_unique<Impl>()) {
  impl_->app.set_help_flag("-h,--help", "print this help");
}

Flags::~Flags() = default;

void Flags::argument(const std::string& name, std::string& value, const std::string& help) {
  impl_->app.add_option(known_by_all(name), value, help)->required();
}

void Flags::optional_argument(const std::string& name, std::string& value,
                              const std::string& help) {
  impl_->app.add_option(known_by_all(name), value, help);
}

void Flags::arguments(const std::string& name, std::vector<std::string>& values,
                      const std::string& help) {
  impl_->app.add_option(known_by_all(name), values, help);
}

void Flags::flag(const std::string& names, bool& value, const std::string& help) {
  impl_->app.add_flag(names, value, help)->group(impl_->group);
}

void Flags::text(const std::string& names, std::string& value, const std::string& help) {
  add(impl_->app, impl_->group, names, value, help);
}

void Flags::texts(const std::string& names, std::vector<std::string>& values,
                  const std::string& help) {
  add(impl_->app, impl_->group, names, values, help)->allow_extra_args(false);
}

void Flags::comma_separated(const std::string& names, std::vector<std::string>& values,
                            const std::string& help) {
  add(impl_->app, impl_->group, names, values, help)->delimiter(',')->allow_extra_args(false);
}

void Flags::integer(const std::string& names, int& value, Bounds bounds, const std::string& help) {
  add(impl_->app, impl_->group, names, value, help)->check(within(bounds));
}

void Flags::integer(const std::string& names, std::int64_t& value, Bounds bounds,
                    const std::string& help) {
  add(impl_->app, impl_->group, names, value, help)->check(within(bounds));
}

void Flags::real(const std::string& names, double& value, Bounds bounds, const std::string& help) {
  add(impl_->app, impl_->group, names, value, help)->check(within(bounds));
}

void Flags::heading(const std::string& group) { impl_->group = group; }

Result<Flags::Parsed> Flags::parse(const std::vector<std::string>& words) {
  CLI::App& app = impl_->app;
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    return Parsed::help_requested;
  } catch (const CLI::ExtrasError& error) {
    const auto extras = app.remaining();
    return refuse(Code::invalid, extras.empty() ? error.what() : unknown_word(app, extras.front()));
  } catch (const CLI::ParseError& error) {
    return refuse(Code::invalid, error.what());
  }
  return Parsed::values;
}

std::string Flags::help() const {
  const CLI::App& app = impl_->app;
  std::string out;
  for (const auto* option :
       app.get_options([](const CLI::Option* o) { return o->get_positional(); }))
    out += help_line(option->get_name(true, false), option->get_description());
  if (!out.empty()) out = "\nArguments\n" + out;
  for (const auto& group : app.get_groups()) {
    const std::string options = options_text(app, group);
    if (!options.empty()) out.append("\n").append(group).append("\n").append(options);
  }
  return out;
}

}  // namespace hone::cli
