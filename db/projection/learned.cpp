#include "db/projection/learned.hpp"

#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"

namespace hone {

std::string learned_text(const std::vector<Learned>& learned) {
  Json list = Json::array();
  for (const Learned& one : learned)
    list.push_back({{"sweep", text(one.sweep)}, {"used", one.used}, {"trials", one.trials}});
  return list.empty() ? std::string() : to_text(list);
}

}  // namespace hone
