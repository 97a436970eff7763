// Snapshots of code, unpacked: one private folder for each digest, whose files its runs share.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "worker/agent/messages.hpp"
#include "worker/process/blob_cache.hpp"

namespace hone::worker {

// Thread-safe. Bounded: removes the least recently used folder that no lease uses.
class CodeFolders {
 public:
  // Removes what an earlier process of this worker left in the folder.
  explicit CodeFolders(std::string folder);

  // Unpacks the snapshot unless it is unpacked, and keeps it until the lease is released. Refuses
  // with internal if this machine is at fault.
  Result<UnpackedCode> take(LeaseId lease, const CodeSnapshot& code, BlobCache& cache,
                            Client& client);
  void release(LeaseId lease);

 private:
  struct Kept {
    UnpackedCode code;
    std::set<LeaseId> leases;
    std::int64_t used = 0;  // the number of the last take
  };
  Result<UnpackedCode> unpack(const CodeSnapshot& code, const std::string& file) const;
  void make_room();

  std::string folder_;
  std::mutex mutex_;
  std::map<std::string, Kept> kept_{};  // by digest
  std::int64_t takes_ = 0;
};

}  // namespace hone::worker
