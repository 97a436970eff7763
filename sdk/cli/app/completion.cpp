// completion: the scripts with which shells complete `hone`, and the words that these offer.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "schemas/trainers/trainers.hpp"
#include "sdk/cli/app/command_line.hpp"
#include "sdk/cli/app/command_table.hpp"
#include "sdk/cli/app/help.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/commands/results/sweep_figures.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/run_command.hpp"
#include "sdk/cpp/client.hpp"
#include "sdk/cpp/import/import.hpp"
#include "server/search/samplers/sampler.hpp"
#include "server/search/terminators/terminator.hpp"

namespace hone::cli {
namespace {

// Each script passes on the words up to the cursor; without an offer it completes files.
constexpr std::string_view bash_script = R"(_hone() {
  local IFS=$'\n'
  COMPREPLY=($(hone completion --words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [ ${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")); fi
}
complete -o filenames -F _hone hone
)";

constexpr std::string_view zsh_script = R"zsh(#compdef hone
_hone() {
  local -a found
  found=(${(f)"$(hone completion --words -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -- $found; else _files; fi
}
if [ "$funcstack[1]" = "_hone" ]; then _hone "$@"; else compdef _hone hone; fi
)zsh";

constexpr std::string_view fish_script = R"fish(function __hone_words
  set -l words (commandline -opc) (commandline -ct)
  hone completion --words -- $words[2..-1] 2>/dev/null
end
complete -c hone -a '(__hone_words)'
)fish";

using Words = std::vector<std::string>;

template <class Rows, class Name>
Words names_of(const Rows& rows, Name name) {
  Words words;
  for (const auto& row : rows) words.emplace_back(std::invoke(name, row));
  return words;
}

// The ids of a list of the server, which must answer at once.
Words ids_at(Session& session, const std::string& path) {
  auto endpoint = parse_endpoint(session.options().server);
  if (!endpoint || !equip(*endpoint, session.options().credentials)) return {};
  const auto reply = Client(*endpoint, seconds(1)).get_json(path);
  Words ids;
  if (!reply) return ids;
  for (const Json& item : items_at(*reply, "/items"))
    if (const auto id = parse_object_id(text_at(item, "/id"))) ids.push_back(text(*id));
  return ids;
}

Words sweeps(Session& session) { return ids_at(session, "/v1/sweeps?limit=20"); }

// The ids below the newest sweep.
Words of_newest(Session& session, const std::string& list) {
  const Words newest = ids_at(session, "/v1/sweeps?limit=1");
  return newest.empty() ? Words{}
                        : ids_at(session, "/v1/sweeps/" + newest.front() + list + "?limit=100");
}

Words any_id(Session& session) {
  Words ids = sweeps(session);
  for (const char* list : {"/trials", "/runs"})
    for (std::string& id : of_newest(session, list)) ids.push_back(std::move(id));
  return ids;
}

Words formats() {
  Words words = names_of(import_formats(), &ImportFormat::name);
  words.emplace_back("hone");
  return words;
}

Words methods(Session&) { return names_of(terminator_table(), &TerminatorRow::rule); }

// A placeholder of the table, or an option, and the words that may stand for it; with a command in
// front, that command's.
struct Source {
  std::string_view place;
  Words (*words)(Session& session);
};
constexpr auto sources = std::to_array<Source>({
    {"SWEEP", sweeps},
    {"ID", any_id},
    {"OTHER", any_id},
    {"TRIAL", [](Session& session) { return of_newest(session, "/trials"); }},
    {"RUN", [](Session& session) { return of_newest(session, "/runs"); }},
    {"MODEL", [](Session& session) { return of_newest(session, "/models"); }},
    {"WORKER", [](Session& session) { return ids_at(session, "/v1/workers"); }},
    {"SHELL",
     [](Session&) {
       return Words{"bash", "zsh", "fish"};
     }},
    {"FORMAT", [](Session&) { return formats(); }},
    {"NAME", [](Session&) { return names_of(trainer_catalog(), &TrainerInfo::name); }},
    {"init KIND",
     [](Session&) {
       return Words{"command", "ga3c", "python", "sb3"};
     }},
    {"study ACTION",
     [](Session&) {
       return Words{"report", "run", "show", "watch"};
     }},
    {"report --figure", [](Session&) { return names_of(figure_kinds(), &FigureKind::name); }},
    {"--against", methods},
    {"--sort",
     [](Session&) {
       return Words{"number", "value"};
     }},
    {"--server", [](Session&) { return Words{"http://127.0.0.1:7777"}; }},
});

// Commands whose table is one list.
struct Listing {
  std::string_view command;
  Fields (*columns)();
};
constexpr auto listings = std::to_array<Listing>({{"ls", sweep_columns},
                                                  {"ls trials", trial_columns},
                                                  {"ls runs", run_columns},
                                                  {"ls models", model_columns},
                                                  {"ls workers", worker_columns},
                                                  {"workers", worker_columns},
                                                  {"best", best_columns},
                                                  {"confirm", confirmation_columns},
                                                  {"events", event_columns}});

// "a,b,current": the names of columns, after those that are there already.
Words columns_of(const Command& command, const std::string& current) {
  const auto listing = std::ranges::find(listings, command.name, &Listing::command);
  if (listing == listings.end()) return {};
  Words words = names_of(listing->columns(), &Field::name);
  std::erase_if(words, [](const std::string& name) { return name.find(' ') != name.npos; });
  for (std::string& word : words) word.insert(0, current.substr(0, current.rfind(',') + 1));
  return words;
}

// The help of a command without its examples; empty for one that passes its words on.
std::string options_text(const Command& command) {
  const auto parsed = parse_command(command, {"--help"}, forms_text(command));
  const auto* help = parsed ? std::get_if<HelpRequested>(&*parsed) : nullptr;
  if (help == nullptr || command.declare == declare_passed_on) return {};
  return help->text.substr(0, help->text.find("\nExamples\n"));
}

// Whether the word after an option is its value.
bool takes_value(const Command& command, const std::string& option) {
  static const std::regex value("\n  ((?:--?[a-z-]+,)*--?[a-z-]+) [A-Z\\[]");
  const std::string text = options_text(command);
  for (std::sregex_iterator at(text.begin(), text.end(), value), end; at != end; ++at)
    if (("," + at->str(1) + ",").find("," + option + ",") != std::string::npos) return true;
  return false;
}

Words options_of(const Command& command) {
  static const std::regex option("--[a-z][a-z-]*");
  const std::string text = options_text(command);
  Words words;
  for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at)
    words.push_back(at->str());
  return words;
}

// The place of the table's arguments that so many words precede: "RUN" of "ID [RUN ...]".
std::string place_of(const Command& command, std::size_t before) {
  Words places;
  std::string place;
  for (const char c : std::string(command.arguments) + " ")
    if (c == ' ') {
      if (!place.empty() && place != "...") places.push_back(place);
      place.clear();
    } else if (c != '[' && c != ']') {
      place += c;
    }
  return places.empty() ? "" : places[std::min(before, places.size() - 1)];
}

Words at_place(Session& session, const Command& command, const std::string& place) {
  Words words;
  if (place.find('|') != std::string::npos) {  // "create|ls|revoke"
    for (std::size_t at = 0; at <= place.size();) {
      const auto end = std::min(place.find('|', at), place.size());
      words.push_back(place.substr(at, end - at));
      at = end + 1;
    }
    return words;
  }
  for (const std::string& wanted : {std::string(command.name) + " " + place, place})
    if (const auto source = std::ranges::find(sources, wanted, &Source::place);
        source != sources.end())
      return source->words(session);
  return words;
}

// The words of the forms of a command, where one may be named.
Words forms_of(const Command& command) {
  Words words;
  for (const Command& form : command_table())
    if (is_form(form) && command_word(form) == command.name && !form_word(form).starts_with("-"))
      words.emplace_back(form_word(form));
  return words;
}

// How many arguments a call has so far, without options and their values.
std::size_t given_in(const Call& call) {
  std::size_t given = 0;
  bool is_value = false;
  for (const std::string& word : call.arguments) {
    const bool is_option = !is_value && word.starts_with("-");
    if (!is_value && !is_option) ++given;
    is_value = is_option && takes_value(*call.command, word);
  }
  return given;
}

Words offered(Session& session, const Words& before, const std::string& current) {
  const auto call = split(before);
  if (!call) return {};
  if (call->command == nullptr) {
    Words names;
    for (const Command& command : command_table())
      if (!is_form(command)) names.emplace_back(command.name);
    return names;
  }
  const Command& command = *call->command;
  if (current.starts_with("-")) return options_of(command);
  const std::string last = call->arguments.empty() ? "" : call->arguments.back();
  if (last == "--format") {
    Words words{"table", "json", "jsonl", "csv", "value", "md", "latex"};
    for (std::istringstream own{std::string(command.own_format)}; own >> words.emplace_back();) {
    }
    words.pop_back();
    return words;
  }
  if (last == "--columns") return columns_of(command, current);
  if (last.starts_with("-") && takes_value(command, last)) return at_place(session, command, last);
  Words words = at_place(session, command, place_of(command, given_in(*call)));
  if (given_in(*call) == 0)
    for (std::string& word : forms_of(command)) words.push_back(std::move(word));
  return words;
}

// The words before the cursor, and the one under it.
Result<Exit> print_words(Session& session, const Words& words) {
  const std::string current = words.empty() ? "" : words.back();
  const Words before(words.begin(), words.end() - (words.empty() ? 0 : 1));
  Words found = offered(session, before, current);
  std::erase_if(found, [&](const std::string& word) { return !word.starts_with(current); });
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  for (const std::string& word : found) session.print(word + "\n");
  return Exit::ok;
}

struct Shell {
  std::string_view name, script;
};
constexpr std::array shells{Shell{"bash", bash_script}, Shell{"zsh", zsh_script},
                            Shell{"fish", fish_script}};

Result<Exit> print_completion(Session& session, const std::string& wanted) {
  for (const Shell& shell : shells) {
    if (shell.name != wanted) continue;
    session.print(shell.script);
    return Exit::ok;
  }
  return refuse(Code::invalid,
                "no completion for '" + wanted + "'; the shells are bash, zsh and fish");
}

}  // namespace

CommandAction declare_completion(Flags& flags) {
  return with_options(print_completion, [&](std::string& shell) {
    flags.argument("SHELL", shell, "bash, zsh or fish");
  });
}

CommandAction declare_words(Flags& flags) {
  return with_options(print_words, [&](Words& words) {
    flags.arguments("WORDS", words, "after --: the words of a command line up to the cursor");
  });
}

}  // namespace hone::cli
