// Bounds of bytes that the server holds for its clients: for each client and for all of them. Used
// on the io thread alone. Internal to server/http.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace hone::http {

class ByteBudget {
 public:
  ByteBudget(std::size_t all_max, std::size_t each_max) : all_max_(all_max), each_max_(each_max) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  // Bytes that were taken; gives them back with its end. The budget must outlive it.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)),
          client_(std::move(other.client_)),
          bytes_(other.bytes_) {}
    Share& operator=(Share&& other) noexcept {
      if (this == &other) return *this;
      give_back();
      budget_ = std::exchange(other.budget_, nullptr);
      client_ = std::move(other.client_);
      bytes_ = other.bytes_;
      return *this;
    }
    ~Share() { give_back(); }

   private:
    friend class ByteBudget;
    Share(ByteBudget& budget, std::string client, std::size_t bytes)
        : budget_(&budget), client_(std::move(client)), bytes_(bytes) {}
    void give_back() {
      if (budget_ != nullptr) std::exchange(budget_, nullptr)->remove(client_, bytes_);
    }

    ByteBudget* budget_ = nullptr;
    std::string client_;
    std::size_t bytes_ = 0;
  };

  // Nothing if the client, or all clients together, would hold more than they may.
  std::optional<Share> take(const std::string& client, std::size_t bytes) {
    const auto found = held_.find(client);
    const std::size_t of_client = found == held_.end() ? 0 : found->second;
    if (bytes > all_max_ - all_ || bytes > each_max_ - of_client) return std::nullopt;
    all_ += bytes;
    held_[client] += bytes;
    return Share(*this, client, bytes);
  }

  [[nodiscard]] std::size_t held() const { return all_; }

 private:
  void remove(const std::string& client, std::size_t bytes) {
    all_ -= bytes;
    const auto found = held_.find(client);
    found->second -= bytes;
    if (found->second == 0) held_.erase(found);
  }

  const std::size_t all_max_;
  const std::size_t each_max_;
  std::size_t all_ = 0;
  std::map<std::string, std::size_t> held_;  // by client; none of 0
};

}  // namespace hone::http
