// The rules of RFC 9110 and 9112 that Beast's parser does not check. A proxy that reads an
// ambiguous header in another way than this server could be made to pass a hidden request, so every
// ambiguity is refused. Pure. Internal to server/http.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace hone::http {

// The end of the header that `bytes` begins with, behind its empty line; npos if it is incomplete.
std::size_t header_end(std::string_view bytes);

// Refuses (invalid) bytes that no method of a request begins with, before its header is complete: a
// TLS client on a plain port sends no empty line, and would wait for the end of the time allowed.
Status check_method_so_far(std::string_view bytes);

// Checks the bytes of a whole header, up to and with its empty line. Refuses (invalid) folded
// lines, names and values with characters that HTTP does not allow, fields that may occur once and
// do not, a Content-Length that is no number, a Transfer-Encoding that is not `chunked`, comes with
// a Content-Length or in HTTP/1.0, and a missing or malformed Host.
Status check_header_text(std::string_view header);

// Whether a proxy could end the line earlier than this server: it has a character that no value of
// a field may have, such as a bare LF, be it in quotes.
bool is_ambiguous_line(std::string_view line);

// The authority of a target in absolute form ("http://host:1/path"), which then replaces the field
// Host; empty for a target in another form.
std::string_view authority_of(std::string_view target);

}  // namespace hone::http
