// The file in which guests find a training: where it listens, and the keys of both sides. A reader
// of the file can play for the training; its guests run the environments that the training names.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace hone::relay {

struct Rendezvous {
  std::string address;  // "tcp://node17:40123"
  // Of CurveZMQ (rfc.zeromq.org/spec/26), as Z85 text of 40 characters.
  std::string training_key;
  std::string guest_key;
  std::string guest_secret;
};

// Replaces the file, which only its owner can read. Refuses with unavailable and the reason.
Status write_rendezvous(const std::filesystem::path& file, const Rendezvous& rendezvous);

// Refuses with not_found, or with invalid for a file that write_rendezvous() did not write.
Result<Rendezvous> read_rendezvous(const std::filesystem::path& file);

}  // namespace hone::relay
