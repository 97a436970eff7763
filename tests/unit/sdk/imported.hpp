// Imports of files of tests/data/import and of documents that a test writes.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sdk/cpp/import/import.hpp"
#include "sdk/cpp/sweep_file.hpp"

namespace hone {

inline const std::string folder = std::string(HONE_SOURCE_DIR) + "/tests/data/import/";

inline Result<Json> document_of(const std::string& file) {
  auto read = read_sweep_file(folder + file);
  if (!read) return read.error();
  return std::move(read->document);
}

inline ImportedSpec import_of(const std::string& format, const std::string& file) {
  const auto document = document_of(file);
  EXPECT_TRUE(document.ok()) << document.error().detail;
  auto translated = find_import_format(format)->translate(*document, document_of);
  EXPECT_TRUE(translated.ok()) << translated.error().detail << " at " << translated.error().at;
  return *std::move(translated);
}

// Of a document written in the test.
inline std::string refusal(const std::string& format, const std::string& yaml) {
  const auto file = read_sweep_text(yaml, "x.yaml");
  const auto result = find_import_format(format)->translate(file->document, document_of);
  return result.ok() ? "" : result.error().at + ": " + result.error().detail;
}

inline ImportedSpec import_of_text(const std::string& format, const std::string& yaml) {
  const auto file = read_sweep_text(yaml, "x.yaml");
  auto translated = find_import_format(format)->translate(file->document, document_of);
  EXPECT_TRUE(translated.ok()) << translated.error().detail << " at " << translated.error().at;
  return *std::move(translated);
}

inline Json parameter(const ImportedSpec& import, const std::string& name) {
  return import.sweep["parameters"].value(name, Json());
}

inline std::string text_at(const ImportedSpec& import, const std::string& name) {
  return to_text(parameter(import, name));
}

inline bool says(const std::vector<Untranslated>& lost, const std::string& what) {
  for (const Untranslated& one : lost)
    if (one.sentence.find(what) != std::string::npos) return true;
  return false;
}

inline std::string remark(const ImportedSpec& import, const std::string& pointer) {
  const auto found = import.remarks.find(pointer);
  return found == import.remarks.end() ? "" : found->second;
}

}  // namespace hone
