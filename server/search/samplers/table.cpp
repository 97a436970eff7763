#include <array>
#include <string>

#include "server/search/samplers/rows.hpp"

namespace hone {
namespace {

constexpr std::array table{
    SamplerRow{"random", "independent draws from the space", make_random},
};

}  // namespace

std::span<const SamplerRow> sampler_table() { return table; }

Result<std::unique_ptr<Sampler>> make_sampler(const SearchSpec& search) {
  for (const SamplerRow& row : table)
    if (row.method == search.method) return row.make(search);
  return refuse(Code::invalid, "no search method '" + search.method + "'", "/search/method");
}

}  // namespace hone
