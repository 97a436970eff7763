// Protects a server that trusts its own machine from web pages. A page that a user visits runs on
// that machine too, and must not be able to submit sweeps, which start programs.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace hone::api {

// host, origin: the headers, empty if absent. local_only: the server listens on a loopback address.
// Its only valid names are then an IP address and localhost: another name that resolves to
// 127.0.0.1 is an attack (DNS rebinding). Refuses (forbidden) any origin other than the server
// itself.
struct Listening {
  bool local_only = true;
  bool tls = false;  // its own origin is https
};
Status check_origin(std::string_view host, std::string_view origin, Listening how);

// site: the header Sec-Fetch-Site, which browsers alone send and no page can set; empty if absent.
// Refuses (forbidden) requests that a page of another origin caused, be it of the same site, which
// every port of a machine is: the page cannot see the answer, but the server would work for it.
Status check_site(std::string_view site);

}  // namespace hone::api
