// Encryption and authentication of ZeroMQ's sockets by CurveZMQ: both sides prove that they have
// the secret key of a public one that the other knows, and everything after that is encrypted.
#pragma once

#include <string>
#include <thread>
#include <zmq.hpp>

namespace hone::relay {

struct KeyPair {
  std::string key;     // public, Z85
  std::string secret;  // Z85
};
KeyPair new_keys();

// Admits the one guest key to the sockets of a context (ZAP, rfc.zeromq.org/spec/27). Make it
// before the sockets listen; it ends with the context.
class Doorman {
 public:
  Doorman(zmq::context_t& context, const std::string& guest_key);

 private:
  std::jthread thread_;
};

}  // namespace hone::relay
