// Filters as users write them: on their way to the server and, where one is wrong, back.
#pragma once

#include <string>

#include "base/result.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// "?where=...", or "&where=..." behind a query; empty without a filter.
std::string where_query(const std::string& path, const std::string& filter);

// The refusal of a filter with the filter below it and a mark under the character:
//   hone: a model has no field 'stpe'; did you mean 'step'?
//     model where stpe > 3
//                 ^
Error with_caret(const Error& error, const std::string& filter);

// Session::list of the path with the filter.
Result<std::vector<Json>> list_where(Session& session, const std::string& path,
                                     const std::string& filter);

}  // namespace hone::cli
