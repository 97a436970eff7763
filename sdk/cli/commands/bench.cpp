// bench: what tests/bench/search_bench.py runs to compare our search with other optimizers.
#include <nlohmann/json.hpp>

#include "sdk/cli/bench/driver.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/flags.hpp"
#include "sdk/cli/session.hpp"

namespace hone::cli {
namespace {

Result<bench::Words> read_words(const std::vector<std::string>& words) {
  bench::Words read;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      return refuse(Code::invalid, "'" + word + "' is no key=value");
    read[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return read;
}

struct Wish {
  std::string what, task;
  std::vector<std::string> words;
};

}  // namespace

Work declare_bench(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.argument("WHAT", wish->what, "driver");
  flags.argument("TASK", wish->task, "version, startup, memory, latency, quality, storage-client");
  flags.arguments("KEY=VALUE", wish->words, "what the task is about");
  return [wish](Session& session) -> Result<Exit> {
    if (wish->what != "driver")
      return refuse(Code::invalid, "there is no bench '" + wish->what + "', only driver");
    const auto words = read_words(wish->words);
    if (!words) return words.error();
    const auto done = bench::run_task(wish->task, *words,
                                      [&](const Json& line) { session.print(line.dump() + "\n"); });
    if (!done) return done.error();
    return Exit::ok;
  };
}

}  // namespace hone::cli
