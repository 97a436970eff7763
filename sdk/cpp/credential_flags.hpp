// The options by which `hone` and hone-worker get their credentials.
#pragma once

#include <array>
#include <string>

#include "sdk/cpp/transport.hpp"

namespace hone {

struct CredentialFlag {
  const char* option;
  const char* value;  // as the help shows it
  std::string Credentials::*member;
  const char* help;
};

inline constexpr std::array credential_flags{
    CredentialFlag{"--token-file", "FILE", &Credentials::token_file,
                   "read the token from FILE (HONE_TOKEN_FILE)"},
    CredentialFlag{"--token", "TOKEN", &Credentials::token,
                   "the token itself (better: HONE_TOKEN)"},
    CredentialFlag{"--tls-ca", "FILE", &Credentials::tls_ca,
                   "CA certificates to trust (HONE_TLS_CA)"},
    CredentialFlag{"--tls-cert", "FILE", &Credentials::tls_cert,
                   "client certificate (HONE_TLS_CERT)"},
    CredentialFlag{"--tls-key", "FILE", &Credentials::tls_key,
                   "key of the certificate (HONE_TLS_KEY)"},
};

}  // namespace hone
