// Prints the state that a recorded ledger gives: golden_book FILE.jsonl.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "schemas/codec/body.hpp"
#include "schemas/codec/event_codec.hpp"
#include "schemas/types/event.hpp"
#include "server/sweep/decide.hpp"
#include "tests/golden/book_text.hpp"

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "");
  if (!file) {
    std::fputs("golden_book FILE.jsonl: there is no such file\n", stderr);
    return EXIT_FAILURE;
  }
  hone::Book book;
  for (std::string line; std::getline(file, line);) {
    const auto row = hone::parse_json(line);
    auto body = row ? hone::decode_event(row->at("kind").get<std::string>(), row->at("body"))
                    : hone::Result<hone::EventBody>(row.error());
    if (!body) {
      std::fprintf(stderr, "%s: %s\n", line.c_str(), body.error().detail.c_str());
      return EXIT_FAILURE;
    }
    hone::evolve(book, {row->at("seq").get<std::int64_t>(),
                        {row->at("at").get<std::int64_t>()},
                        *std::move(body)});
  }
  std::fputs(hone::book_text(book).c_str(), stdout);
  return EXIT_SUCCESS;
}
