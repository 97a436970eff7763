// Sends filters to the server and marks the error of a wrong one.
#pragma once

#include <string>

#include "base/result.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// "?where=...", or "&where=..." after a query; empty without a filter.
std::string where_query(const std::string& path, const std::string& filter);

// Adds the filter to the server's error, with a mark under the wrong character:
//   hone: a model has no field 'stpe'; did you mean 'step'?
//     model where stpe > 3
//                 ^
Error with_caret(const Error& error, const std::string& filter);

// Session::list of the path with the filter.
Result<std::vector<Json>> list_where(Session& session, const std::string& path,
                                     const std::string& filter);

}  // namespace hone::cli
