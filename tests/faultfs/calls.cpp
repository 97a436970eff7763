#include "tests/faultfs/calls.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace hone::faultfs {

// SQLite allocates this and passes it to every call.
struct Handle {
  sqlite3_file base;
  struct State* state;
};

struct State {
  Disk* disk = nullptr;
  std::string name;  // empty for a temporary file
  std::shared_ptr<File> file;
  bool syncs_names = false;  // a journal: its first sync makes names durable, as SQLite's own does
  std::shared_ptr<Shared> shared;
  unsigned held_shared = 0, held_exclusive = 0;  // locks of the -shm, as bits
};

// Accesses the members of Disk for the functions below.
struct Calls {
  static bool down(const State& s) { return s.disk->down_; }
  static int io(const State& s, int code) { return down(s) ? SQLITE_IOERR : code; }

  static int write(State& s, const char* bytes, int count, sqlite3_int64 offset) {
    if (down(s)) return SQLITE_IOERR_WRITE;
    const Fault fault = s.name.empty() ? Fault::none : s.disk->next_fault();
    const bool longer = offset + count > static_cast<sqlite3_int64>(s.file->bytes.size());
    const bool full = s.disk->full_ && longer && !s.name.empty();
    auto done = static_cast<std::size_t>(count);
    const bool fails =
        full || fault == Fault::kill || fault == Fault::power_cut || fault == Fault::write_error;
    if (fails) done = s.disk->rng_.below(done + 1);
    if (fault == Fault::power_cut) return SQLITE_IOERR_WRITE;
    const Change change{offset, std::string(bytes, done)};
    if (done > 0) apply(s.file->bytes, change), s.file->changes.push_back(change);
    if (!fails) return SQLITE_OK;
    return full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
  }

  static int truncate(State& s, sqlite3_int64 size) {
    if (down(s)) return SQLITE_IOERR_TRUNCATE;
    const Fault fault = s.disk->next_fault();
    if (down(s) || fault == Fault::write_error) return SQLITE_IOERR_TRUNCATE;
    const Change change{size, {}, true};
    apply(s.file->bytes, change);
    s.file->changes.push_back(change);
    return SQLITE_OK;
  }

  // After a failed sync Linux marks the pages clean: they are read back until they leave the cache,
  // and no later sync writes them.
  static int sync(State& s) {
    if (down(s)) return SQLITE_IOERR_FSYNC;
    const Fault fault = s.disk->next_fault();
    if (down(s)) return SQLITE_IOERR_FSYNC;
    if (fault == Fault::sync_error) {
      for (Change& change : s.file->changes)
        if (s.disk->rng_.below(4) != 0) change.doomed = true;
      return SQLITE_IOERR_FSYNC;
    }
    for (const Change& change : s.file->changes)
      if (!change.doomed) apply(s.file->on_disk, change);
    s.file->changes.clear();
    if (s.syncs_names) s.disk->sync_names();
    return SQLITE_OK;
  }

  static int remove(Disk& disk, const std::string& name, bool sync_names) {
    if (disk.down_) return SQLITE_IOERR_DELETE;
    if (!disk.names_.contains(name)) return SQLITE_IOERR_DELETE_NOENT;
    disk.next_fault();
    if (disk.down_) return SQLITE_IOERR_DELETE;
    disk.names_.erase(name);
    if (sync_names) disk.sync_names();
    return SQLITE_OK;
  }

  static int open(Disk& disk, const char* name, Handle& handle, int flags, int* given);
  static int lock(State& s, int first, int count, int flags);

  static std::shared_ptr<Shared>& shared(State& s) { return s.disk->shared_[s.name]; }
  static bool has(const Disk& disk, const char* name) { return disk.names_.contains(name); }
  static bool is_down(const Disk& disk) { return disk.down_; }
};

namespace {

State& of(sqlite3_file* file) { return *reinterpret_cast<Handle*>(file)->state; }
Disk& of(sqlite3_vfs* vfs) { return *static_cast<Disk*>(vfs->pAppData); }

int close(sqlite3_file* file) {
  delete reinterpret_cast<Handle*>(file)->state;
  return SQLITE_OK;
}

int read(sqlite3_file* file, void* into, int count, sqlite3_int64 offset) {
  const State& s = of(file);
  if (Calls::down(s)) return SQLITE_IOERR_READ;
  const std::string& bytes = s.file->bytes;
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  const auto there = static_cast<std::size_t>(std::clamp<sqlite3_int64>(size - offset, 0, count));
  if (there > 0) std::memcpy(into, bytes.data() + offset, there);
  std::memset(static_cast<char*>(into) + there, 0, static_cast<std::size_t>(count) - there);
  return there == static_cast<std::size_t>(count) ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  return Calls::write(of(file), static_cast<const char*>(bytes), count, offset);
}
int truncate(sqlite3_file* file, sqlite3_int64 size) { return Calls::truncate(of(file), size); }
int sync(sqlite3_file* file, int) { return Calls::sync(of(file)); }

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(of(file).file->bytes.size());
  return Calls::io(of(file), SQLITE_OK);
}

// One process: the locks of the file itself never conflict; those of the -shm order the WAL.
int lock(sqlite3_file* file, int) { return Calls::io(of(file), SQLITE_OK); }
int unlock(sqlite3_file*, int) { return SQLITE_OK; }
int is_reserved(sqlite3_file*, int* answer) {
  *answer = 0;
  return SQLITE_OK;
}
int control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 4096; }
int characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

int map_shared(sqlite3_file* file, int region, int, int extend, void volatile** memory) {
  State& s = of(file);
  if (Calls::down(s)) return SQLITE_IOERR_SHMMAP;
  if (!s.shared) {
    auto& shared = Calls::shared(s);
    if (!shared) shared = std::make_shared<Shared>();
    s.shared = shared;
  }
  auto& regions = s.shared->regions;
  const auto index = static_cast<std::size_t>(region);
  while (extend != 0 && regions.size() <= index)
    regions.push_back(std::make_unique<std::array<char, 32768>>());
  *memory = index < regions.size() ? regions[index]->data() : nullptr;
  return SQLITE_OK;
}

int lock_shared(sqlite3_file* file, int first, int count, int flags) {
  return Calls::lock(of(file), first, count, flags);
}
void barrier(sqlite3_file*) {}

int unmap_shared(sqlite3_file* file, int forget) {
  State& s = of(file);
  Calls::lock(s, 0, SQLITE_SHM_NLOCK, SQLITE_SHM_UNLOCK);
  s.shared.reset();
  if (forget != 0 && !Calls::down(s)) Calls::shared(s).reset();
  return SQLITE_OK;
}

constexpr sqlite3_io_methods methods = {2,
                                        close,
                                        read,
                                        write,
                                        truncate,
                                        sync,
                                        file_size,
                                        lock,
                                        unlock,
                                        is_reserved,
                                        control,
                                        sector_size,
                                        characteristics,
                                        map_shared,
                                        lock_shared,
                                        barrier,
                                        unmap_shared,
                                        nullptr,
                                        nullptr};

int open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* given) {
  return Calls::open(of(vfs), name, *reinterpret_cast<Handle*>(file), flags, given);
}
int remove(sqlite3_vfs* vfs, const char* name, int sync_names) {
  return Calls::remove(of(vfs), name, sync_names != 0);
}
int access(sqlite3_vfs* vfs, const char* name, int, int* answer) {
  *answer = Calls::has(of(vfs), name) ? 1 : 0;
  return Calls::is_down(of(vfs)) ? SQLITE_IOERR_ACCESS : SQLITE_OK;
}
int full_name(sqlite3_vfs*, const char* name, int size, char* into) {
  sqlite3_snprintf(size, into, "%s", name);
  return SQLITE_OK;
}

}  // namespace

int Calls::open(Disk& disk, const char* name, Handle& handle, int flags, int* given) {
  handle.base.pMethods = nullptr;
  if (disk.down_) return SQLITE_CANTOPEN;
  auto state = std::make_unique<State>();
  state->disk = &disk;
  if (name == nullptr) {
    state->file = std::make_shared<File>();
  } else {
    state->name = name;
    const auto found = disk.names_.find(name);
    if (found == disk.names_.end() && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
    state->file =
        found == disk.names_.end() ? disk.names_[name] = std::make_shared<File>() : found->second;
    state->syncs_names = (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) != 0;
  }
  handle.base.pMethods = &methods;
  handle.state = state.release();
  if (given != nullptr) *given = flags;
  return SQLITE_OK;
}

int Calls::lock(State& s, int first, int count, int flags) {
  if (!s.shared) return SQLITE_OK;
  Shared& all = *s.shared;
  const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  for (int i = first; i < first + count; ++i) {
    const auto slot = static_cast<std::size_t>(i);
    const unsigned bit = 1U << slot;
    if ((flags & SQLITE_SHM_UNLOCK) != 0) {
      if ((s.held_shared & bit) != 0) --all.readers[slot];
      if ((s.held_exclusive & bit) != 0) all.writer[slot] = false;
      s.held_shared &= ~bit, s.held_exclusive &= ~bit;
      continue;
    }
    const bool mine = (s.held_shared & bit) != 0;
    if (all.writer[slot] && (s.held_exclusive & bit) == 0) return SQLITE_BUSY;
    if (exclusive && all.readers[slot] > (mine ? 1 : 0)) return SQLITE_BUSY;
  }
  if ((flags & SQLITE_SHM_UNLOCK) != 0) return SQLITE_OK;
  for (int i = first; i < first + count; ++i) {
    const auto slot = static_cast<std::size_t>(i);
    if (exclusive) {
      all.writer[slot] = true, s.held_exclusive |= 1U << slot;
    } else if ((s.held_shared & (1U << slot)) == 0) {
      ++all.readers[slot], s.held_shared |= 1U << slot;
    }
  }
  return SQLITE_OK;
}

std::unique_ptr<sqlite3_vfs> make_vfs(Disk& disk, const sqlite3_vfs* host) {
  auto vfs = std::make_unique<sqlite3_vfs>(*host);  // time, sleep and randomness of the real one
  vfs->iVersion = 2;
  vfs->szOsFile = static_cast<int>(sizeof(Handle));
  vfs->pNext = nullptr;
  vfs->zName = "hone-faultfs";
  vfs->pAppData = &disk;
  vfs->xOpen = open;
  vfs->xDelete = remove;
  vfs->xAccess = access;
  vfs->xFullPathname = full_name;
  return vfs;
}

}  // namespace hone::faultfs
