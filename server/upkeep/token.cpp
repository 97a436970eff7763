#include <optional>

#include "db/file/database.hpp"
#include "db/queries/queries.hpp"
#include "schemas/types/wire.hpp"
#include "server/engine/clock.hpp"
#include "server/engine/engine.hpp"
#include "server/standby/state.hpp"
#include "server/upkeep/parts.hpp"

namespace hone::upkeep {

Result<TokenId> create_token(const std::filesystem::path& folder,
                             const CreateTokenRequest& request) {
  if (const auto readable = open_folder(folder); !readable) return readable.error();
  const auto held = DataFolder::open(folder);
  if (!held) return held.error();
  const auto state = standby::read_state(folder);
  if (!state) return state.error();
  if (!state->follows.empty())
    return refuse(Code::conflict, "the data folder is that of a standby of " + state->follows +
                                      ": create the token there, or promote this one first");
  const auto db = open_for_writing(held->database().string());
  if (!db) return db.error();
  const Instant now = std::max(SystemClock{}(), last_instant(**db));
  Engine engine(**db, now);
  std::optional<Result<Reply>> made;
  std::vector<Envelope> batch;
  batch.push_back({CreateToken{request}, [&](Result<Reply> reply) { made = std::move(reply); }});
  engine.step(std::move(batch), now);
  if (!*made) return made->error();
  return std::get<Key>(**made).token;
}

}  // namespace hone::upkeep
