// Sweeps of other tools: the format's name in the first line, then the document.
#include "sdk/cpp/import/import.hpp"

#include "schemas/codec/body.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cpp/sweep_file.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace hone::fuzz {

void feed(const std::uint8_t* data, std::size_t size) {
  const auto [name, text] = first_line(text_of(data, size));
  const auto* format = find_import_format(name);
  if (format == nullptr) return;
  const auto file = read_sweep_text(std::string(text), "input.yaml");
  if (!file) return;
  const auto absent = [](const std::string& sibling) -> Result<Json> {
    return refuse(Code::not_found, "there is no " + sibling);
  };
  const auto import = format->translate(file->document, absent);
  if (!import) {
    expect(!import.error().detail.empty(), "a refusal says why");
    return;
  }
  const auto again = read_sweep_text(import_text(*import, "input.yaml"), "output.yaml");
  expect(again.ok(), "what was imported is YAML");
  static_cast<void>(decode_request<SweepSpec>(again->document));
}

}  // namespace hone::fuzz
