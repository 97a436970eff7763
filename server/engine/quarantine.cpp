#include "server/engine/quarantine.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "schemas/codec/json.hpp"
#include "schemas/types/event.hpp"
#include "server/sweep/submit/check.hpp"

namespace hone {
namespace {

// How often a text has the other one.
std::int64_t count_of(std::string_view text, std::string_view part) {
  std::int64_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

// Ids are minted in order, one for each event of these kinds.
void mint(Book& book, std::string_view kind, std::int64_t count) {
  if (kind == "trial_proposed") book.last_trial += count;
  if (kind == "model_saved") book.last_model += count;
  if (kind == "model_evaluated") book.last_evaluation += count;
  if (kind != "lease_granted") return;
  book.run_of_lease.resize(book.run_of_lease.size() + static_cast<std::size_t>(count));
  book.worker_of_lease.resize(book.run_of_lease.size());
  book.last_lease.value += count;
}

// The first part of an import takes the ids of all. False for an import that is one event. The
// members after its past are of hone, and no text of JSON holds a bare quote.
bool mint_part(Book& book, std::string_view body) {
  if (body.rfind(",\"part\":\"") == std::string_view::npos) return false;
  const auto at = body.rfind(",\"ids\":{");
  if (at == std::string_view::npos) return true;
  const auto last = parse_json("{" + std::string(body.substr(at + 1)));
  if (!last) throw std::runtime_error("the ids of an import cannot be read");
  for (const auto& [of, kind] :
       {std::pair{"trials", "trial_proposed"}, std::pair{"models", "model_saved"},
        std::pair{"evaluations", "model_evaluated"}, std::pair{"leases", "lease_granted"}})
    mint(book, kind, last->at("ids").at(of).at("count").get<std::int64_t>());
  return true;
}

}  // namespace

void evolve_left_out(Book& book, const LedgerRow& row) {
  book.last_at = row.at;
  if (row.sweep) book.last_sweep = std::max(book.last_sweep, row.sweep->value);
  mint(book, row.kind, 1);
  if (row.kind != "sweep_imported" || mint_part(book, row.body)) return;
  for (const std::string_view kind :
       {"trial_proposed", "model_saved", "model_evaluated", "lease_granted"})
    mint(book, kind, count_of(row.body, "\"kind\":\"" + std::string(kind) + "\""));
}

void expect_allowed(const Book& book, const EventBody& event) {
  const auto* edited = std::get_if<SweepEdited>(&event);
  if (edited == nullptr || edited->widened.empty()) return;
  if (auto allowed = check_domains(book.sweeps.at(edited->sweep).spec); !allowed)
    throw std::runtime_error(allowed.error().detail + ", since it was edited");
}

}  // namespace hone
