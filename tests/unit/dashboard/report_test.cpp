// The dashboard as one file.
#include "server/dashboard/report.hpp"

#include <gtest/gtest.h>

#include "server/dashboard/pages.hpp"

namespace hone::dashboard {
namespace {

constexpr std::string_view index_page =
    "<html>\n<head>\n<meta charset=\"utf-8\">\n"
    "<link rel=\"stylesheet\" href=\"ui/@VERSION@/style.css\">\n"
    "<script type=\"module\" src=\"ui/@VERSION@/app.js\"></script>\n</head>\n<body>\n<main></main>\n"
    "</body>\n</html>\n";

std::vector<SourceFile> files_with(std::vector<SourceFile> more) {
  std::vector<SourceFile> files{{"index.html", std::string(index_page)}, {"style.css", "p {}\n"}};
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Report, ModulesBecomeConstantsBehindThoseThatTheyImport) {
  const auto page = one_file(files_with({
      {"app.js",
       "import {\n  a,\n  b as c,\n} from \"./lib/x.js\";\nimport * as x from "
       "\"./lib/x.js\";\na(c, x);\n"},
      {"lib/x.js",
       "import { d } from \"../y.js\";\nexport const a = d;\nexport async function b() "
       "{}\nexport { d };\n"},
      {"y.js", "export const d = \"</script>\";\n"},
      {"unused.js", "export const left_out = 1;\n"},
  }));
  ASSERT_TRUE(page.ok()) << page.error().detail;
  EXPECT_TRUE(holds(*page,
                    "// y.js\nconst m0 = (() => {\nconst d = \"<\\/script>\";\nreturn {\n"
                    "d,\n};\n})();\n"));
  EXPECT_TRUE(holds(*page, "const { d } = m0;\nconst a = d;\nasync function b() {}\n"));
  EXPECT_TRUE(holds(*page, "  b: c,\n} = m1;\nconst x = m1;\na(c, x);\n"));
  EXPECT_LT(page->find("// lib/x.js"), page->find("// app.js"));
  EXPECT_FALSE(holds(*page, "left_out"));
  EXPECT_FALSE(holds(*page, "ui/")) << "nothing is linked";
  EXPECT_TRUE(holds(*page, "<style>p {}\n</style>"));
}

// The page of a standby offered steering: its modules had copied a variable that changed later.
TEST(Report, AVariableThatChangesIsNotExported) {
  const auto page = one_file(files_with({
      {"app.js", "import { role } from \"./x.js\";\nrole;\n"},
      {"x.js", "export let role = 1;\n"},
  }));
  ASSERT_FALSE(page.ok());
  EXPECT_TRUE(holds(page.error().detail, "export a function")) << page.error().detail;
}

TEST(Report, AStyleSheetHoldsThoseThatItImports) {
  const std::vector<SourceFile> files{
      {"style.css", "@import \"a.css\";\n@import \"b.css\";\np {}\n"},
      {"a.css", "a {}\n"},
      {"b.css", "b {}\n"}};
  const auto sheet = one_sheet(files, "style.css");
  ASSERT_TRUE(sheet.ok()) << sheet.error().detail;
  EXPECT_EQ(*sheet, "a {}\nb {}\np {}\n");
  const auto lacking = one_sheet({{"style.css", "@import \"gone.css\";\n"}}, "style.css");
  ASSERT_FALSE(lacking.ok());
  EXPECT_TRUE(holds(lacking.error().detail, "gone.css")) << lacking.error().detail;
}

TEST(Report, ModulesThatAreLoadedLaterAreThere) {
  const auto page = one_file(files_with({
      {"app.js", "const load = () => import(\"./pages/x.js\");\nload();\n"},
      {"pages/x.js", "export class Page {}\n"},
  }));
  ASSERT_TRUE(page.ok()) << page.error().detail;
  EXPECT_TRUE(holds(*page, "const load = () => Promise.resolve(m0);\n"));
  EXPECT_LT(page->find("class Page {}"), page->find("const load"));
}

TEST(Report, OneScriptHoldsAModuleAndWhatItImports) {
  const std::vector<SourceFile> files{{"lib/a.js", "import { b } from \"./b.js\";\nb();\n"},
                                      {"lib/b.js", "export const b = () => 1;\n"},
                                      {"c.js", "export const left_out = 1;\n"}};
  const auto script = one_script(files, "lib/a.js");
  ASSERT_TRUE(script.ok()) << script.error().detail;
  EXPECT_LT(script->find("const b = () => 1;"), script->find("const { b } = m0;\nb();"));
  EXPECT_FALSE(holds(*script, "left_out"));
  EXPECT_FALSE(holds(*script, "import"));
  const auto bundled = one_script({{"lib/a.js", *script}}, "lib/a.js");
  EXPECT_TRUE(bundled.ok()) << "an embedded script becomes a part of a report";
}

TEST(Report, RefusesWhatItCannotBundle) {
  const std::vector<std::pair<std::vector<SourceFile>, std::string_view>> cases{
      {{}, "app.js: there is no such file"},
      {{{"app.js", "import { a } from \"./gone.js\";\n"}}, "gone.js: there is no such file"},
      {{{"app.js", "import { a } from \"./b.js\";\n"},
        {"b.js", "import { c } from \"./app.js\";\n"}},
       "app.js: it imports itself"},
      {{{"app.js", "export default 3;\n"}}, "cannot read export default 3;"},
      {{{"app.js", "import \"./b.js\";\n"}}, "cannot read import \"./b.js\""},
      {{{"app.js", "import a from \"./b.js\";\n"}, {"b.js", ""}}, "cannot read import a"},
  };
  for (const auto& [files, sentence] : cases) {
    const auto page = one_file(files_with(files));
    ASSERT_FALSE(page.ok()) << sentence;
    EXPECT_TRUE(holds(page.error().detail, sentence)) << page.error().detail;
  }
}

TEST(Report, EmbeddedFilesBecomeOneFileWithOnePlaceForData) {
  std::vector<SourceFile> files;
  for (const auto& asset : assets())
    files.push_back({std::string(asset.path), std::string(asset.plain)});
  if (files.size() == 1) GTEST_SKIP() << "built with -DHONE_DASHBOARD=OFF";
  const auto page = one_file(files);
  ASSERT_TRUE(page.ok()) << page.error().detail;
  const auto place = page->find(report_placeholder);
  ASSERT_NE(place, std::string::npos);
  EXPECT_EQ(page->find(report_placeholder, place + 1), std::string::npos);
  EXPECT_FALSE(holds(*page, "src=")) << "nothing is loaded";
}

api::Response answer_to(const Pages& pages, const std::string& path) {
  api::Request request;
  request.method = api::Method::get;
  request.path = path;
  return pages.answer(request, {}).value();
}

TEST(Report, IsServedUnderAPathWithoutAVersion) {
  const Pages pages;
  if (assets().size() == 1) {
    EXPECT_EQ(answer_to(pages, "/ui/report.html").status, 404);
    return;
  }
  EXPECT_TRUE(holds(answer_to(pages, "/ui/report.html").body, report_placeholder));
}

}  // namespace
}  // namespace hone::dashboard
