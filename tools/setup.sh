# Shared by quickstart, test and tools/dev: packages, building, one clear sentence for each failure. Sourced by bash.

say() { printf '\n\033[1m== %s\033[0m\n' "$*" >&2; }
[ -t 2 ] || say() { printf '\n== %s\n' "$*" >&2; }

fail() {
  printf '\nhone: %s\n' "$*" >&2
  exit 1
}

# shellcheck source=tools/apt.sh
. "$(dirname "${BASH_SOURCE[0]}")/apt.sh"

# For every build; for all environments, baselines and actors on other hosts; for libtorch; for ./test; for ./test --system.
build_packages=(g++ cmake ninja-build pkg-config nlohmann-json3-dev libyaml-cpp-dev libcli11-dev libspdlog-dev
  libssl-dev libsqlitecpp-dev libsqlite3-dev)
trainer_packages=(cppzmq-dev libbox2d-dev libscotch-dev libmetis-dev libzmq3-dev)
torch_packages=(libtorch-dev libopenblas0-pthread)
test_packages=(libgtest-dev libbenchmark-dev python3 python3-numpy python3-pytest python3-jsonschema python3-flake8 python3-venv
  python3-yaml clang-format)
system_packages=(buildah busybox-static clang-16 clang-tidy-16 cpio debootstrap dpkg-dev file mmdebstrap munge
  qemu-system-x86 qemu-user-static slurm-wlm)

# Boost 1.81 or newer: a separate package in Debian 12, the default where Boost is newer.
boost_package() {
  if installed libboost1.81-dev; then echo libboost1.81-dev; return; fi
  local version
  version=$(apt-cache policy libboost-dev 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9]*\.[0-9]*\).*/\1/p')
  if [ -n "$version" ] && dpkg --compare-versions "$version" ge 1.81; then echo libboost-dev; else echo libboost1.81-dev; fi
}

# install_build_packages PACKAGE...: what every build needs, and PACKAGE...
install_build_packages() {
  # The name of the Boost package comes from apt's lists, which a fresh machine may not have yet.
  if ! installed libboost1.81-dev && ! installed libboost-dev; then update_lists_if_missing libboost-dev; fi
  install "${build_packages[@]}" "$(boost_package)" "$@"
}

# Installs Gymnasium and ALE for the end-to-end tests that need them, unless HONE_PYTHON names a Python that has them.
# Asks PyPI for nothing that is installed. Without PyPI those tests are skipped, and name what they miss.
install_gymnasium() {
  if [ -n "${HONE_PYTHON:-}" ]; then return; fi
  local folder=$root/build/libraries/gym list=$root/tests/e2e/libraries/gym.txt
  "$folder/bin/python" -m pip --version >/dev/null 2>&1 || /usr/bin/python3 -m venv --clear "$folder" >&2 ||
    fail "python3 -m venv could not make $folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$list" && return
  rm -rf "$folder"
  say "$list could not be installed from PyPI: the tests of Gymnasium and Atari are skipped, unless HONE_PYTHON names a Python for them"
}

# Prints how long a build of many steps takes: $1 the steps, $2 the jobs. The figure is that of a first build on a
# server's processor of 2023 (docs/measurements); a compiler cache makes it shorter, other programs longer.
cpu_seconds_per_step=6
say_how_long() {
  if [ "$1" -lt 20 ]; then return; fi
  printf '  %s steps with %s jobs, about %s minutes if nothing is cached; the first step ends within a minute\n' \
    "$1" "$2" "$(($1 * cpu_seconds_per_step / $2 / 60 + 1))" >&2
}

# build PRESET TARGET...: configures a preset of CMakePresets.json and builds with ninja's own progress. CMake's log is
# shown only if it fails. CMAKE_OPTIONS may hold further options for cmake.
build() {
  local preset=$1 folder=$root/build/$1 jobs steps
  shift
  mkdir -p "$root/build"
  if [ ! -f "$folder/build.ninja" ]; then printf '  configuring, a few seconds\n' >&2; fi
  # shellcheck disable=SC2086
  (cd "$root" && cmake --preset "$preset" ${CMAKE_OPTIONS:-}) >"$folder.log" 2>&1 ||
    { cat "$folder.log" >&2; fail "cmake could not configure the build (its log is above)"; }
  jobs=$(jobs_that_fit)
  steps=$(NINJA_STATUS='%t ' ninja -C "$folder" -n "$@" | tail -n 1 | cut -d ' ' -f 1)
  if [[ $steps =~ ^[0-9]+$ ]]; then say_how_long "$steps" "$jobs"; fi
  NINJA_STATUS='[%f/%t, %es] ' ninja -C "$folder" -j "$jobs" "$@" >&2 ||
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
