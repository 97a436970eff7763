# Installs Debian packages. What waiting can cure is waited for: another program that holds a lock of apt, a download
# that fails. Each failure is one sentence that names its kind. Sourced by setup.sh, which has say and fail.

apt_lock_wait_s=600       # the unattended upgrade of a new cloud machine takes minutes
apt_tries=3               # of updates and installations whose downloads fail
apt_retry_waits_s=(5 15)  # between those
apt_log=

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Reads apt-get's output, keeps it in $apt_log and prints what takes long.
show_apt_progress() {
  local line stage="" now packages=""
  : >"$apt_log"
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$apt_log"
    now=$stage
    case "$line" in
      *" newly installed,"*) packages=$(cut -d ' ' -f 3 <<<"$line") ;;
      "Need to get 0 B"*) ;;
      "Need to get "*) now="downloading $(cut -d ' ' -f 4,5 <<<"$line") for $packages packages" ;;
      "Unpacking "*) now=unpacking ;;
      "Setting up "*) now="setting up" ;;
    esac
    if [ "$now" != "$stage" ]; then stage=$now; printf '  %s\n' "$now" >&2; fi
  done
}

# Prints who holds the lock that apt-get did not get; fails if it ended for another reason.
lock_holder() {
  grep -q 'Could not get lock' "$apt_log" || return 1
  local named='s/^.*Could not get lock \([^ ]*\)\. It is held by process \([0-9]*\) (\(.*\)).*$/process \2 (\3) holds \1/p'
  local holder
  holder=$(sed -n "$named" "$apt_log" | tail -n 1)
  echo "${holder:-another program holds $(sed -n 's/^.*Could not get lock \([^ ]*\) .*$/\1/p' "$apt_log" | tail -n 1)}"
}

# apt_get ARGUMENT...: waits while another program holds a lock of apt. apt waits itself for the locks of dpkg, not for
# that of the package lists.
apt_get() {
  local begin=$SECONDS printed_s=-30 patience_s=0 waited_s holder
  until as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 \
    -o DPkg::Lock::Timeout="$patience_s" "$@" 2>&1 </dev/null | show_apt_progress; do
    holder=$(lock_holder) || return 1
    waited_s=$((SECONDS - begin))
    [ "$waited_s" -lt "$apt_lock_wait_s" ] ||
      fail "apt is locked: $holder, for more than $apt_lock_wait_s s. Run this again when that program has ended"
    if [ $((waited_s - printed_s)) -ge 30 ]; then
      say "Waiting for apt: $holder ($waited_s s of at most $apt_lock_wait_s s)"
      printed_s=$waited_s
    fi
    patience_s=30
    sleep 1
  done
}

# The first download that failed and why, from apt-get's output.
failed_download() { sed -n 's/^[EW]: Failed to fetch \([^ ]*\)  *\(.*\)$/\1 (\2)/p' "$apt_log" | sed -n 1p; }

# The packages that no source has, as apt-get names them.
unknown_packages() {
  sed -n -e 's/^E: Unable to locate package \(.*\)$/\1/p' \
    -e "s/^E: Package '\(.*\)' has no installation candidate\$/\1/p" "$apt_log" | paste -s -d ' '
}

# apt_install PACKAGE...: from fresh lists.
apt_install() {
  local try unreached unknown
  for ((try = 1; ; ++try)); do
    apt_get update || true  # exits with 0 if lists are missing: what matters is whether the packages come
    unreached=$(failed_download)
    apt_get install -y --no-install-recommends "$@" && return
    unknown=$(unknown_packages)
    if [ -z "$unknown" ]; then unreached=$(failed_download); fi
    [ -n "$unreached" ] || break
    [ "$try" -lt "$apt_tries" ] ||
      fail "the network: $unreached could not be downloaded in $apt_tries attempts. Run this again when it can be reached"
    say "Trying again in ${apt_retry_waits_s[try - 1]} s: $unreached"
    sleep "${apt_retry_waits_s[try - 1]}"
  done
  if [ -n "$unknown" ]; then
    fail "this system's package sources do not have $unknown. Debian 12 and later have it, Ubuntu 24.04 with the component universe"
  fi
  fail "apt-get could not install $*: $(grep -m 1 '^E:' "$apt_log" || tail -n 1 "$apt_log")"
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
  apt_log=$(mktemp)
  apt_install "${missing[@]}"
  rm -f "$apt_log"
}

# Installs PACKAGE where this system has it under that name: Ubuntu has chromium as a snap alone, and the tests of the
# dashboard are then skipped.
install_where_available() {
  local policy  # all of it: a program that writes to a closed pipe fails, and the pipe with it
  policy=$(apt-cache policy "$1" 2>/dev/null)
  if [[ $policy =~ Candidate:\ [0-9] ]]; then install "$1"; fi
}

# Fetches the package lists if there are none yet, as on a fresh machine.
update_lists_if_missing() {
  if [ -n "$(apt-cache policy "$1" 2>/dev/null | sed -n '/Candidate: [0-9]/p')" ]; then return; fi
  say "Fetching the package lists"
  apt_log=$(mktemp)
  apt_get update || true
  rm -f "$apt_log"
}
