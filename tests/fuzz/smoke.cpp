// Replaces libFuzzer where it is not available: runs every file of the corpus, then mutations of
// each, the same in every run. Fails as libFuzzer does: the process aborts.
//
//   fuzz_NAME [--mutations 3000] [--seed 1] FOLDER ...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.hpp"

namespace {
namespace fs = std::filesystem;

constexpr std::size_t input_bytes_max = 1 << 16;
constexpr int mutations_default = 3000;  // seconds, even under a sanitizer

void feed(const std::string& input) {
  hone::fuzz::feed(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Mutator {
 public:
  Mutator(const std::vector<std::string>& corpus, std::uint64_t seed)
      : corpus_(corpus), random_(seed) {}

  std::string mutate(std::string text) {
    for (auto times = 1 + below(4); times > 0; --times) change(text);
    if (text.size() > input_bytes_max) text.resize(input_bytes_max);
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  void change(std::string& text) {
    static constexpr const char* words[] = {"null", "-1",   "1e999", "\"\"", "{}",
                                            "[",    "\xff", "${x}",  "\n",   "9223372036854775808"};
    const auto at = below(text.size() + 1);
    const auto size = below(text.size() - at + 1);
    switch (below(5)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, size);
        break;
      case 2:
        text.insert(at, text.substr(at, size));
        break;
      case 3:
        text.insert(at, words[below(std::size(words))]);
        break;
      default: {
        const auto& other = corpus_[below(corpus_.size())];
        text.replace(at, size, other.substr(below(other.size() + 1), size + 8));
      }
    }
  }

  const std::vector<std::string>& corpus_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> files;
  int mutations = mutations_default;
  std::uint64_t seed = 1;
  for (int i = 1; i < argc; ++i)
    if (const std::string word = argv[i]; word == "--mutations" && i + 1 < argc)
      mutations = std::atoi(argv[++i]);
    else if (word == "--seed" && i + 1 < argc)
      seed = std::strtoull(argv[++i], nullptr, 10);
    else if (fs::is_directory(argv[i]))
      files.insert(files.end(), fs::directory_iterator(argv[i]), {});
  std::sort(files.begin(), files.end());
  std::vector<std::string> corpus;
  corpus.reserve(files.size());
  for (const auto& file : files) corpus.push_back(read(file));
  if (corpus.empty()) {
    std::fprintf(stderr, "%s FOLDER ...: no file to start from\n", argv[0]);
    return 1;
  }
  Mutator mutator(corpus, seed);
  for (const auto& text : corpus) feed(text);
  for (int i = 0; i < mutations; ++i)
    feed(mutator.mutate(corpus[static_cast<std::size_t>(i) % corpus.size()]));
  std::printf("%zu files and %d mutations of them\n", corpus.size(), mutations);
  return 0;
}
