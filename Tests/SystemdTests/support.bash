# What the checks are written with. Sourced by `run`.
checks=0 failures=0 skips=0

ok() { checks=$((checks + 1)); printf 'ok    %-58s %s\n' "$1" "${2:-}"; }
fail() { checks=$((checks + 1)); failures=$((failures + 1)); printf 'FAIL  %-58s %s\n' "$1" "${2:-}"; }
skip() { skips=$((skips + 1)); printf 'skip  %-58s %s\n' "$1" "$2"; }
# want NAME GOT REGEX
want() {
  if [[ $2 =~ $3 ]]; then ok "$1" "$(head -c 90 <<<"$2" | tr '\n' ' ')"; else fail "$1" "wanted /$3/, got: ${2:0:400}"; fi
}
# until_true SECONDS COMMAND...
until_true() {
  local tries=$(($1 * 20))
  shift
  while [ "$tries" -gt 0 ]; do
    "$@" && return 0
    tries=$((tries - 1))
    sleep 0.05
  done
  return 1
}
milliseconds_since() { echo $((($(date +%s%N) - $1) / 1000000)); }

property() { inside systemctl show -P "$2" "$1"; }
start() { inside systemctl start "trawl@$1.service" 2>/dev/null; }
start_and_go() { inside systemctl start --no-block "trawl@$1.service"; }
# Result and exit status of a job's last run.
result() { echo "$(property "trawl@$1.service" Result) $(property "trawl@$1.service" ExecMainStatus)"; }
is_settled() { [[ $(property "trawl@$1.service" ActiveState) =~ ^(inactive|failed)$ ]]; }
status_of() { property "trawl@$1.service" StatusText; }
status_has() { [[ $(status_of "$1") =~ $2 ]]; }
journal() { inside journalctl --no-pager -o cat "$@"; }
# The words that /etc/trawl/alert was given for a job, a line each time.
alerts() { inside journalctl --sync; journal -u "trawl-failed@$1.service" | grep '^alert: '; }
alert_count() { alerts "$1" | grep -c .; }
sql() { sqlite3 -readonly "$root/var/lib/trawl/trawl.db" "$1" 2>&1; }

# get PATH [PORT]: of a sandbox.
get() {
  local port=${2:-8080}
  exec 3<>"/dev/tcp/127.0.0.1/$port" || return
  printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$1" "$port" >&3
  sed '1,/^\r$/d' <&3
  exec 3<&- 3>&-
}
arm() { get "/_sandbox/arm?fault=$1&target=$2${3:+&count=$3}" >/dev/null; }
calm() { get /_sandbox/disarm >/dev/null; get /_sandbox/reset-log >/dev/null; }
asked() { get "/_sandbox/requests?api=github"; }
# GitHub's 60 requests an hour are few for all checks together.
fresh_hour() {
  rm -f "$root"/var/lib/trawl/ledger.db*
  inside systemctl restart sandbox.service
  until_true 10 get /_sandbox/ping >/dev/null 2>&1
}

# job NAME API OPTIONS [SERVICE LINES...]: a shipped job under another name, as a person would set
# it up. Its unit is kept loaded: of one that nothing refers to systemd forgets how it ended.
job() {
  local name=$1 api=$2 options=$3
  shift 3
  [ "$name" = "$api" ] ||
    printf '{ name: "%s", use: "%s" }\n' "$name" "$api" >"$root/etc/trawl/jobs/$name.json5"
  drop_in "trawl@$name.service" "[Service]" "Environment=\"TRAWL_OPTIONS=$options\"" "$@"
  mkdir -p "$root/etc/systemd/system/keeper.service.d"
  printf '[Unit]\nBefore=trawl@%s.service\n' "$name" >"$root/etc/systemd/system/keeper.service.d/$name.conf"
  inside systemctl daemon-reload
}
drop_in() {
  mkdir -p "$root/etc/systemd/system/$1.d"
  printf '%s\n' "${@:2}" >"$root/etc/systemd/system/$1.d/60-test.conf"
}
sandbox_of_github="--endpoint http://127.0.0.1:8080/github"

# --- around the machine -------------------------------------------------------------------------
start_network() {
  local address
  ip link set lo up
  # systemd-resolved asks nobody where it sees no network but loopback.
  ip link add wire0 type veth peer name wire1 2>/dev/null && ip address add 10.0.0.2/24 dev wire0 &&
    ip link set wire1 up && ip link set wire0 up
  # A router that resolves names, a machine of the private network, and a cloud's metadata service.
  for address in 10.0.0.1 10.0.0.9 169.254.169.254; do ip address add "$address/32" dev lo; done
  hits=$work/hits tally=$work/tally
  : >"$hits"
  echo 3 >"$tally"
  perl "$here/network.pl" names 10.0.0.1 api.trawl.test 127.0.0.1 &
  servers=($!)
  perl "$here/network.pl" hits 8888 "$hits" &
  servers+=($!)
  perl "$here/network.pl" tally 8090 "$tally" &
  servers+=($!)
}

# Before the boot: what an administrator would have written.
prepare_files() {
  mkdir -p "$root/etc/trawl/jobs" "$root/packages"
  cp "$top"/.build/deb/{trawl,trawl-sandbox}_*.deb "$root/packages"
  printf 'nameserver 10.0.0.1\n' >"$work/resolv.conf"
  rm -f "$root/etc/resolv.conf"
  cp "$work/resolv.conf" "$root/etc/resolv.conf"
  printf '%s\n' '[Service]' Type=oneshot RemainAfterExit=yes ExecStart=/bin/true \
    >"$root/etc/systemd/system/keeper.service"
  local unit
  for unit in sandbox:8080 nights:8081; do
    printf '%s\n' '[Service]' "ExecStart=/usr/bin/trawl-sandbox --port ${unit#*:} --size demo" \
      'Type=exec' >"$root/etc/systemd/system/${unit%:*}.service"
  done
}

install_packages() {
  if [ -e "$root/packages/.installed" ]; then ok "packages were installed by apt in a fresh root"; return 0; fi
  local log=$work/install.log
  if inside sh -c 'dpkg -i /packages/*.deb' >"$log" 2>&1; then
    ok "dpkg installs the packages"
  else
    fail "dpkg installs the packages" "$(tail -5 "$log")"
    return 1
  fi
}

start_sandbox() {
  inside systemctl daemon-reload
  inside systemctl start sandbox.service keeper.service
  until_true 10 get /_sandbox/ping >/dev/null 2>&1 || { echo "the sandbox does not answer"; return 1; }
  # The words that trawl-failed@ hands over go to the journal.
  printf '#!/bin/sh\necho "alert: $1|$2|$3"\n' >"$root/etc/trawl/alert"
  chmod 755 "$root/etc/trawl/alert"
  inside useradd --no-create-home --groups trawl reader
  inside useradd --no-create-home stranger
}

finish() {
  local server
  for server in "${servers[@]:-}"; do [ -z "$server" ] || kill "$server" 2>/dev/null; done
  machine_remove
}

# A fresh minimal Debian with the packages installed by apt; the bare root is kept for the next time.
fresh_root() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/trawl suite bare
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  bare=$cache/$suite
  command -v debootstrap >/dev/null || { echo "debootstrap is missing" >&2; return 1; }
  mkdir -p "$cache"
  if [ ! -e "$bare/.complete" ]; then
    rm -rf "$bare"
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus "$suite" "$bare" \
      >"$cache/debootstrap.log" 2>&1 || { tail -5 "$cache/debootstrap.log" >&2; return 1; }
    touch "$bare/.complete"
  fi
  local made=$cache/$suite-installed
  rm -rf "$made"
  cp -a "$bare" "$made"
  mkdir "$made/packages"
  cp "$top"/.build/deb/{trawl,trawl-sandbox}_*.deb "$made/packages"
  cp /etc/resolv.conf "$made/etc/resolv.conf"
  DEBIAN_FRONTEND=noninteractive chroot "$made" sh -c 'apt-get update -qq &&
    apt-get install -y -qq --no-install-recommends /packages/*.deb sqlite3 systemd-resolved' \
    >"$cache/install.log" 2>&1 || { tail -5 "$cache/install.log" >&2; return 1; }
  touch "$made/packages/.installed"
  echo "$made"
}
