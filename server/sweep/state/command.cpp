#include "server/sweep/state/command.hpp"

#include "schemas/types/event.hpp"
#include "schemas/types/submit.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {

Submit::Submit(SubmitRequest given)
    : request(std::make_shared<const SubmitRequest>(std::move(given))) {}

Import::Import(ImportRequest given)
    : request(std::make_shared<const ImportRequest>(std::move(given))),
      fits(check_past(request->past)) {}

}  // namespace hone
