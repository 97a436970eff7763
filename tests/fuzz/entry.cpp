// The entry point that libFuzzer calls.
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hone::fuzz::feed(data, size);
  return 0;
}
