#include "sdk/cpp/reply.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace hone {

Result<Json> parse_reply(std::string_view text) {
  auto document = parse_json(text, reply_memory_bytes_max);
  if (document || document.error().code != Code::too_large) return document;
  return refuse(Code::too_large,
                "its values take more than the " + std::to_string(reply_memory_bytes_max >> 20U) +
                    " MiB of memory that a client gives them; request fewer of them");
}

}  // namespace hone
