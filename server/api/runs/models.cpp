#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"

namespace hone::api {
namespace {

template <class T>
Result<ModelFilter> filter_by(const std::string& text, const std::string& at) {
  const auto id = id_from<T>(text, at);
  if (!id) return id.error();
  return ModelFilter(*id);
}

// Reads ?sweep=, ?trial= or ?run=: at most one, since a run implies its trial and a trial its
// sweep.
Result<ModelFilter> filter_of(const Request& request) {
  const auto* sweep = query_value(request, Query::sweep);
  const auto* trial = query_value(request, Query::trial);
  const auto* run = query_value(request, Query::run);
  if ((sweep != nullptr) + (trial != nullptr) + (run != nullptr) > 1)
    return refuse(Code::invalid, "give one of sweep, trial and run: a run names its trial already");
  if (sweep != nullptr) return filter_by<SweepId>(*sweep, "/sweep");
  if (trial != nullptr) return filter_by<TrialId>(*trial, "/trial");
  if (run != nullptr) return filter_by<RunId>(*run, "/run");
  return ModelFilter();
}

}  // namespace

// GET /v1/models
ReadResult models(SQLite::Database& db, const Request& request) {
  const auto filter = filter_of(request);
  if (!filter) return filter.error();
  const auto page = page_query(request);
  if (!page) return page.error();
  return render_pages(list_models(db, *filter, *page));
}

}  // namespace hone::api
