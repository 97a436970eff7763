#include "sdk/cli/commands/results/html_report.hpp"

#include "base/shown.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {

Result<std::string> html_report(Session& session, SweepId sweep) {
  constexpr std::string_view placeholder = "@REPORT@";
  auto client = session.client();
  if (!client) return client.error();
  const auto page = (*client)->get_text("/ui/report.html");
  if (!page)
    return page.error().code == Code::not_found
               ? refuse(Code::not_found,
                        "this server has no dashboard that could be exported; --format json and "
                        "--format curves need none")
               : page.error();
  const auto at = page->find(placeholder);
  if (at == page->npos) return refuse(Code::internal, "the server's report has no place for data");
  const auto data = (*client)->get_text("/v1/sweeps/" + text(sweep) + "/report");
  if (!data) return data.error();
  return page->substr(0, at) + shown_json(*data) + page->substr(at + placeholder.size());
}

}  // namespace hone::cli
