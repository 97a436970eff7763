// Writes of which a token or address may have one in progress. Used on the io thread alone.
// Internal to server/http.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "server/api/router.hpp"

namespace hone::http {

class OnlyOne {
 public:
  // The write of a speaker, until its end. Null for writes that need none.
  class Place {
   public:
    Place(std::set<std::string>& busy, std::string speaker)
        : busy_(busy), speaker_(std::move(speaker)) {
      busy_.insert(speaker_);
    }
    ~Place() { busy_.erase(speaker_); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    std::set<std::string>& busy_;
    const std::string speaker_;
  };

  // Refuses (rate_limited) a second one.
  Result<std::unique_ptr<Place>> enter(const api::Route& route, const std::string& speaker) {
    const auto* write = std::get_if<api::Write>(&route.handler);
    if (write == nullptr || !write->one_at_a_time) return std::unique_ptr<Place>();
    if (busy_.contains(speaker))
      return refuse(Code::rate_limited,
                    "this token or address has an import in progress: send the next one after it");
    return std::make_unique<Place>(busy_, speaker);
  }

  [[nodiscard]] std::size_t count() const { return busy_.size(); }

 private:
  std::set<std::string> busy_;
};

}  // namespace hone::http
