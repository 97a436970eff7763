// Who may speak to a server that trusts its own machine. A web page that a user visits runs on that
// machine too; it must not be able to submit sweeps, which start programs.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace hone::api {

// host, origin: the headers, empty when absent. local_only: the server listens on a loopback
// address, so that the only honest names for it are an IP address and localhost (a page's own name
// that resolves to 127.0.0.1 is an attack). Refuses (forbidden) an origin other than the server
// itself.
struct Listening {
  bool local_only = true;
  bool tls = false;  // its own origin is https
};
Status check_origin(std::string_view host, std::string_view origin, Listening how);

}  // namespace hone::api
