# Shared by quickstart, test and tools/dev: packages, building, one clear sentence for each failure. Sourced by bash.

say() { printf '\n\033[1m== %s\033[0m\n' "$*" >&2; }
[ -t 2 ] || say() { printf '\n== %s\n' "$*" >&2; }

fail() {
  printf '\nhone: %s\n' "$*" >&2
  exit 1
}

# For every build; for all environments, baselines and actors on other hosts; for libtorch; for ./test; for ./test --system.
build_packages=(g++ cmake ninja-build pkg-config nlohmann-json3-dev libyaml-cpp-dev libcli11-dev libspdlog-dev
  libssl-dev libsqlitecpp-dev libsqlite3-dev)
trainer_packages=(cppzmq-dev libbox2d-dev libscotch-dev libmetis-dev libzmq3-dev)
torch_packages=(libtorch-dev libopenblas0-pthread)
test_packages=(libgtest-dev libbenchmark-dev python3 python3-numpy python3-pytest python3-jsonschema python3-flake8 python3-yaml
  clang-format)
system_packages=(buildah busybox-static clang-16 clang-tidy-16 cpio debootstrap dpkg-dev file mmdebstrap munge patchelf
  qemu-system-x86 qemu-user-static slurm-wlm)

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Boost 1.81 or newer: a separate package in Debian 12, the default where Boost is newer.
boost_package() {
  if installed libboost1.81-dev; then echo libboost1.81-dev; return; fi
  local version
  version=$(apt-cache policy libboost-dev 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9]*\.[0-9]*\).*/\1/p')
  if [ -n "$version" ] && dpkg --compare-versions "$version" ge 1.81; then echo libboost-dev; else echo libboost1.81-dev; fi
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# install PACKAGE...: does nothing if all are installed, so that a second call needs neither network nor sudo.
install() {
  command -v dpkg-query >/dev/null || fail "this needs Debian 12 (or newer, or Ubuntu) with apt-get"
  local missing=() package
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  if [ ${#missing[@]} = 0 ]; then return; fi
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    fail "installing ${missing[*]} needs root or sudo: run 'apt-get install ${missing[*]}' as root, then run this again"
  fi
  say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
  local log
  log=$(mktemp)
  as_root apt-get update -q >"$log" 2>&1 || fail "apt-get update failed: is there a network? $(tail -n 1 "$log")"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" >"$log" 2>&1 ||
    fail "apt-get could not install ${missing[*]} (is there a network?): $(grep -m 1 '^E:' "$log" || tail -n 1 "$log")"
  rm -f "$log"
}

# Installs PACKAGE where this system has it under that name: Ubuntu has chromium as a snap alone, and the tests of the
# dashboard are then skipped.
install_where_available() {
  local policy  # all of it: a program that writes to a closed pipe fails, and the pipe with it
  policy=$(apt-cache policy "$1" 2>/dev/null)
  if [[ $policy =~ Candidate:\ [0-9] ]]; then install "$1"; fi
}

# install_build_packages PACKAGE...: what every build needs, and PACKAGE...
install_build_packages() {
  # The name of the Boost package comes from apt's lists, which a fresh machine may not have yet.
  if ! installed libboost1.81-dev && ! installed libboost-dev && [ -z "$(apt-cache policy libboost-dev 2>/dev/null | grep Candidate)" ]; then
    as_root apt-get update -q >/dev/null 2>&1 || fail "apt-get update failed: is there a network?"
  fi
  install "${build_packages[@]}" "$(boost_package)" "$@"
}

# build PRESET TARGET...: configures a preset of CMakePresets.json and builds with ninja's own progress. CMake's log is
# shown only if it fails. CMAKE_OPTIONS may hold further options for cmake.
build() {
  local preset=$1 folder=$root/build/$1
  shift
  mkdir -p "$root/build"
  # shellcheck disable=SC2086
  (cd "$root" && cmake --preset "$preset" ${CMAKE_OPTIONS:-}) >"$folder.log" 2>&1 ||
    { cat "$folder.log" >&2; fail "cmake could not configure the build (its log is above)"; }
  NINJA_STATUS='[%f/%t, %es] ' ninja -C "$folder" -j "$(jobs_that_fit)" "$@" >&2 ||
    fail "the build failed: the compiler's messages are above"
}

# A file that includes torch takes 1.1 GB of memory to compile: no more jobs than memory can hold.
jobs_that_fit() {
  local memory_gib jobs
  memory_gib=$(awk '/MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
  jobs=$(nproc)
  if [ "$jobs" -gt $((memory_gib * 2 / 3 + 1)) ]; then jobs=$((memory_gib * 2 / 3 + 1)); fi
  echo "$jobs"
}
