#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "schemas/codec/body.hpp"
#include "schemas/types/budget_spec.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cpp/sweep_file.hpp"

namespace hone {
namespace {

std::string json_of(const std::string& yaml) {
  const auto file = read_sweep_text(yaml, "s.yaml");
  return file.ok() ? to_text(file->document) : "refused: " + file.error().detail;
}

std::string set(const std::string& json, const std::string& assignment) {
  Json document = parse_json(json).value();
  const auto status = set_path(document, assignment);
  return status.ok() ? to_text(document) : "refused: " + status.error().detail;
}

TEST(SweepFile, types_plain_scalars_as_yaml_1_2_does) {
  EXPECT_EQ(json_of("[1, -2, +3, 0x1F, 0o17, 010]"), "[1,-2,3,31,15,10]");
  EXPECT_EQ(json_of("[1e-5, 1.0e-4, .5, 5., -1E3, +0.25]"), "[1e-05,0.0001,0.5,5.0,-1000.0,0.25]");
  EXPECT_EQ(json_of("[true, False, null, ~, ]"), "[true,false,null,null]");
  EXPECT_EQ(json_of("[yes, no, on, 1_000, 1:30, 2026-01-01, 1M, e5, 1e, .]"),
            R"(["yes","no","on","1_000","1:30","2026-01-01","1M","e5","1e","."])");
}

TEST(SweepFile, keeps_what_is_quoted_a_text) {
  EXPECT_EQ(json_of(R"(["1e-4", '2', "true", !!str 7, "null"])"),
            R"(["1e-4","2","true","7","null"])");
}

TEST(SweepFile, keeps_the_order_of_keys) {
  EXPECT_EQ(json_of("z: 1\na:\n  y: 2\n  b: 3\n"), R"({"z":1,"a":{"y":2,"b":3}})");
}

TEST(SweepFile, refuses_with_line_and_column) {
  EXPECT_EQ(json_of("a: 1\nb:\n  c: 1\n  c: 2\n"),
            "refused: s.yaml:4:3: the key 'c' appears twice; first in line 3");
  EXPECT_EQ(json_of("a: .inf\n"), "refused: s.yaml:1:4: .inf is not a finite number");
  EXPECT_EQ(json_of("a: 1e999\n"), "refused: s.yaml:1:4: the number 1e999 does not fit 64 bits");
  EXPECT_EQ(json_of("a: 9223372036854775808\n"),
            "refused: s.yaml:1:4: the number 9223372036854775808 does not fit 64 bits");
  EXPECT_EQ(json_of("? [a]\n: 1\n"),
            "refused: s.yaml:1:3: a key must be a text, not a list or an object");
  EXPECT_EQ(json_of("a: !!binary x\n"),
            "refused: s.yaml:1:4: the tag tag:yaml.org,2002:binary is not supported, "
            "or not what the value is");
  EXPECT_EQ(json_of("a: 1\n---\nb: 2\n"),
            "refused: s.yaml:1:1: holds more than one document; keep one");
  EXPECT_EQ(json_of(""), "refused: s.yaml:1:1: the document is empty");
  EXPECT_EQ(json_of("a: [1, 2\nb: 3\n").substr(0, 16), "refused: s.yaml:");
}

// yaml-cpp takes byte 4 for the end of the file: what follows would be lost without a word.
TEST(SweepFile, refuses_bytes_that_are_no_text) {
  EXPECT_EQ(json_of("a: 1\nb\x04: 2\n"), "refused: s.yaml:2:2: control characters are not allowed");
  EXPECT_EQ(json_of("a: \"\xc3\xa4\xff\"\n"), "refused: s.yaml:1:6: not valid UTF-8");
  EXPECT_EQ(json_of("a: \xed\xa0\x80\n"), "refused: s.yaml:1:4: not valid UTF-8");
  EXPECT_EQ(json_of("a: größer\n"), R"({"a":"größer"})");
}

TEST(SweepFile, expands_aliases) {
  EXPECT_EQ(json_of("a: &x {lo: 1, hi: [2, 3]}\nb: *x\nc: [*x]\n"),
            R"({"a":{"lo":1,"hi":[2,3]},"b":{"lo":1,"hi":[2,3]},"c":[{"lo":1,"hi":[2,3]}]})");
}

TEST(SweepFile, refuses_aliases_that_explode) {
  std::string bomb = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string name(static_cast<std::size_t>(i), 'b');
    const std::string before = i == 1 ? "*a0" : std::string("*").append(name, 1);
    bomb += name + ": &" + name + " [" + before;
    for (int k = 1; k < 10; ++k) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_NE(json_of(bomb).find("more than 100000 values, aliases expanded"), std::string::npos)
      << json_of(bomb);
  EXPECT_NE(json_of("a: &x [*x]\n").find("refused"), std::string::npos);
}

// Few values, each of many bytes.
TEST(SweepFile, refuses_aliases_of_long_texts_that_explode) {
  std::string bomb = "a: &x " + std::string(900'000, 'x') + "\nb: [*x";
  for (int i = 0; i < 5000; ++i) bomb += ", *x";
  const auto refused = json_of(bomb + "]\n");
  EXPECT_NE(refused.find("more than 100000 values, aliases expanded"), std::string::npos);
  EXPECT_EQ(json_of("a: &x " + std::string(1000, 'x') + "\nb: [*x, *x]\n").find("refused"),
            std::string::npos);
}

// A key is part of the pointer to each value below it, and is copied with every alias.
TEST(SweepFile, long_keys_took_gigabytes_with_many_values_below_them) {
  const std::string key = "? " + std::string(200'000, 'k') + "\n";
  std::string many = key + ":\n";
  for (int i = 0; i < 50'000; ++i) many += "  - 1\n";
  EXPECT_NE(json_of(many).find("more than 100000 values"), std::string::npos);
  std::string nested;
  for (std::size_t depth = 0; depth < 60; ++depth)
    nested += std::string(depth, ' ') + std::string(1000, 'k') + ":\n";
  nested += std::string(60, ' ') + "[";
  for (int i = 0; i < 90'000; ++i) nested += "1,";
  EXPECT_NE(json_of(nested + "1]\n").find("more than 100000 values"), std::string::npos);
  std::string copied = "a: &a\n  " + key + "  : 1\nb:\n";
  for (int i = 0; i < 50'000; ++i) copied += "- *a\n";
  EXPECT_NE(json_of(copied).find("more than 100000 values"), std::string::npos);
}

TEST(SweepFile, refuses_nesting_beyond_64_also_through_aliases) {
  const auto nested = [](std::size_t depth, const std::string& core) {
    return std::string(depth, '[') + core + std::string(depth, ']');
  };
  EXPECT_EQ(json_of(nested(64, "1")), nested(64, "1"));
  EXPECT_NE(json_of(nested(65, "1")).find("nested deeper than 64 levels"), std::string::npos);
  EXPECT_NE(json_of(nested(5000, "1")).find("refused"), std::string::npos);
  EXPECT_EQ(json_of("a: &x " + nested(40, "1") + "\nb: " + nested(23, "*x") + "\n").find("refused"),
            std::string::npos);
  EXPECT_NE(
      json_of("a: &x " + nested(40, "1") + "\nb: " + nested(24, "*x") + "\n").find("nested deeper"),
      std::string::npos);
}

TEST(SweepFile, names_the_line_of_a_field) {
  const auto file = read_sweep_text(
      "name: x\nparameters:\n  lr: {type: float, min: 5, max: 1}\n  a/b~c: 1\nlist:\n  - 7\n",
      "dir/s.yaml");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->place("/parameters/lr/min"), "dir/s.yaml:3:21");
  EXPECT_EQ(file->place("/parameters/a~1b~0c"), "dir/s.yaml:4:3");
  EXPECT_EQ(file->place("/list/0"), "dir/s.yaml:6:5");
  EXPECT_EQ(file->place("/parameters/lr/step"), "dir/s.yaml:3:3");  // its nearest ancestor
  EXPECT_EQ(file->place("/budget/per_run"), "dir/s.yaml:1:1");
  EXPECT_EQ(file->place(""), "dir/s.yaml:1:1");
}

TEST(SweepFile, points_at_what_the_decoder_refuses) {
  const auto file = read_sweep_text(
      "objective: {metric: r}\ntrainer: {name: ga3c}\nparameters:\n  lr:\n"
      "    type: float\n    min: 5\n    max: 1\nbudget: {per_run: 1k}\nsearch: {trials: 2}\n",
      "s.yaml");
  const auto spec = decode_request<SweepSpec>(file->document);
  ASSERT_FALSE(spec.ok());
  EXPECT_EQ(file->place(spec.error().at), "s.yaml:6:5");
}

TEST(SweepFile, the_example_is_a_sweep) {
  const auto file =
      read_sweep_file(std::string(HONE_SOURCE_DIR) + "/sdk/examples/ga3c-cartpole.yaml");
  ASSERT_TRUE(file.ok()) << file.error().detail;
  const auto spec = decode_request<SweepSpec>(file->document);
  ASSERT_TRUE(spec.ok()) << spec.error().detail << " at " << file->place(spec.error().at);
  EXPECT_EQ(spec->name, "ga3c-cartpole");
  EXPECT_EQ(spec->parameters.size(), 4U);
  EXPECT_EQ(spec->search.trials, 32);
  EXPECT_EQ(spec->budget, (BudgetSpec{"frames", 1'000'000, 10}));
  EXPECT_EQ(spec->limits.duration, seconds(7200));
  EXPECT_EQ(spec->terminator.settings,
            (std::vector<std::pair<std::string, double>>{{"eviction_rate", 0.25}}));
}

TEST(SweepFile, json_is_held_to_its_own_grammar) {
  EXPECT_TRUE(read_sweep_text(R"({"a": [1, 2.5]})", "s.json").ok());
  EXPECT_EQ(read_sweep_text("{\"a\": 1,\n \"b\": 2}", "s.json")->place("/b"), "s.json:2:2");
  EXPECT_EQ(read_sweep_text("{\"a\":\n\t1}", "s.json")->place("/x"), "s.json:1:1");
  EXPECT_FALSE(read_sweep_text("{a: 1}", "s.json").ok());
  EXPECT_NE(read_sweep_text("{\n\"a\": }", "s.json").error().detail.find("line 2, column 6"),
            std::string::npos)
      << read_sweep_text("{\n\"a\": }", "s.json").error().detail;
}

TEST(SweepFile, is_read_from_disk) {
  const auto folder = std::filesystem::temp_directory_path() /
                      std::string("hone_sweep_file_").append(std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto path = (folder / "s.yaml").string();
  std::ofstream(path) << "name: x\n";
  EXPECT_EQ(to_text(read_sweep_file(path)->document), R"({"name":"x"})");
  std::ofstream(path) << std::string((1U << 20U) + 1, '#');
  EXPECT_EQ(read_sweep_file(path).error().code, Code::too_large);
  const auto missing = read_sweep_file(path + "x");
  EXPECT_EQ(missing.error().code, Code::not_found);
  EXPECT_NE(missing.error().detail.find(path + "x"), std::string::npos);
  EXPECT_EQ(read_sweep_file(folder.string()).error().code, Code::invalid);
  std::filesystem::remove_all(folder);
}

// Whatever a file holds, reading it ends with a document or a refusal.
TEST(SweepFile, damaged_text_is_answered) {
  const std::string whole =
      "a: &x {b: [1, 2.5, 'c'], \"d\": |\n}\n? e\n: *x\n- f: !!str 1\n# g\n--- >\n h\n";
  std::mt19937 bits(20261121);
  for (int i = 0; i < 5000; ++i) {
    std::string text = whole;
    for (int k = 0; k < 3; ++k) {
      const char other = whole[bits() % whole.size()];
      text[bits() % text.size()] = bits() % 4 == 0 ? static_cast<char>(bits() % 256) : other;
    }
    text.resize(bits() % (text.size() + 1));
    const auto file = read_sweep_text(text, "s.yaml");
    EXPECT_TRUE(file.ok() || file.error().detail.starts_with("s.yaml:")) << text;
  }
}

TEST(SetPath, replaces_and_makes) {
  EXPECT_EQ(set(R"({"budget":{"phases":10}})", "budget.phases=5"), R"({"budget":{"phases":5}})");
  EXPECT_EQ(set("{}", "limits.duration=2h"), R"({"limits":{"duration":"2h"}})");
  EXPECT_EQ(set(R"({"limits":null})", "limits.max_retries=0"), R"({"limits":{"max_retries":0}})");
  EXPECT_EQ(set("{}", "search={method: grid, trials: [1]}"),
            R"({"search":{"method":"grid","trials":[1]}})");
  EXPECT_EQ(set("{}", "a=1e-4"), R"({"a":0.0001})");
  EXPECT_EQ(set("{}", "a='1'"), R"({"a":"1"})");
  EXPECT_EQ(set("{}", "a=x=y"), R"({"a":"x=y"})");
  EXPECT_EQ(set(R"({"command":["a","b"]})", "command.1=c"), R"({"command":["a","c"]})");
}

TEST(SetPath, finds_a_key_that_contains_dots) {
  EXPECT_EQ(set(R"({"parameters":{"opt.lr":{"min":1}}})", "parameters.opt.lr.min=2"),
            R"({"parameters":{"opt.lr":{"min":2}}})");
}

TEST(SetPath, refuses_and_leaves_the_document_alone) {
  EXPECT_EQ(set("{}", "budget").substr(0, 16), "refused: budget:");
  EXPECT_NE(set("{}", "=5").find("refused"), std::string::npos);
  EXPECT_NE(set("{}", "a..b=5").find("a..b:"), std::string::npos);
  EXPECT_NE(set("{}", "a=").find("a: the value is missing"), std::string::npos);
  EXPECT_NE(set("{}", "a=[1").find("refused: a:1:"), std::string::npos);
  Json document{{"a", 1}, {"list", {1}}};
  const auto before = document;
  for (const char* through : {"a.b.c=1", "list.1=5", "list.x=5", "list.-1=5"}) {
    EXPECT_FALSE(set_path(document, through).ok()) << through;
    EXPECT_EQ(document, before) << through;
  }
}

}  // namespace
}  // namespace hone
