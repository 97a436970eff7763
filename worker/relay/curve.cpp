#include "worker/relay/curve.hpp"

#include <zmq.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace hone::relay {
namespace {

constexpr std::size_t key_text_bytes = 41;  // Z85 of 32 bytes, and a zero

// Parts of a request: version, id, domain, address, identity, mechanism, credentials.
bool is_guest(const std::vector<zmq::message_t>& request, std::string_view guest_key) {
  return request.size() == 7 && request[5].to_string_view() == "CURVE" &&
         request[6].to_string_view() == guest_key;
}

// Returns when the context ends.
void admit(zmq::socket_t& requests, const std::string& guest_key) {
  for (;;) {
    std::vector<zmq::message_t> request;
    do {
      request.emplace_back();
      if (!requests.recv(request.back())) return;
    } while (request.back().more());
    if (request.size() < 2) continue;
    const bool known = is_guest(request, guest_key);
    const std::array<std::string_view, 6> answer{request[0].to_string_view(),
                                                 request[1].to_string_view(),
                                                 known ? "200" : "400",
                                                 known ? "OK" : "not the key of the file",
                                                 "",
                                                 ""};
    for (std::size_t i = 0; i < answer.size(); ++i)
      requests.send(zmq::buffer(answer[i]),
                    i + 1 < answer.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
}

}  // namespace

KeyPair new_keys() {
  std::array<char, key_text_bytes> key{}, secret{};
  if (zmq_curve_keypair(key.data(), secret.data()) != 0)
    throw std::runtime_error("this libzmq was built without encryption (CURVE)");
  return {key.data(), secret.data()};
}

Doorman::Doorman(zmq::context_t& context, const std::string& guest_key) {
  std::string bytes(32, 0);
  zmq_z85_decode(reinterpret_cast<std::uint8_t*>(bytes.data()), guest_key.c_str());
  zmq::socket_t requests(context, zmq::socket_type::rep);
  requests.bind("inproc://zeromq.zap.01");
  thread_ = std::jthread([socket = std::move(requests), bytes]() mutable {
    try {
      admit(socket, bytes);
    } catch (const zmq::error_t&) {  // the context has ended
    }
  });
}

}  // namespace hone::relay
