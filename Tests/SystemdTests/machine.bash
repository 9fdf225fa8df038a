# A machine of its own: systemd as process 1 of its own pid, mount, cgroup, uts and ipc namespaces,
# over a throw-away overlay of a root folder. The network namespace is the caller's, which is
# already apart from this machine's. Sourced by `run`.

# Why it cannot be done here; nothing when it can.
machine_obstacle() {
  [ "$(id -u)" -eq 0 ] || { echo "needs root"; return; }
  local tool
  for tool in unshare nsenter pivot_root ip perl sqlite3 timeout; do
    command -v "$tool" >/dev/null || { echo "$tool is missing"; return; }
  done
  unshare --mount --net --pid --fork --uts --ipc --cgroup --propagation private \
    sh -c 'd=$(mktemp -d) && mount -t tmpfs tmpfs "$d" && mkdir "$d/u" "$d/w" "$d/r" "$d/c" &&
      mount -t overlay overlay -o lowerdir=/,upperdir="$d/u",workdir="$d/w" "$d/r" &&
      mount -t cgroup2 cgroup2 "$d/c" && mknod "$d/n" c 1 3; code=$?; umount -l "$d"; rmdir "$d"; exit $code' \
    >/dev/null 2>&1 || { echo "unshare, overlay, cgroup2 and mknod are not allowed here"; return; }
}

# The root folder: $1 below, everything written stays in memory.
machine_prepare() {
  work=$(mktemp -d /tmp/trawl-systemd.XXXXXX)
  mount -t tmpfs -o size=2g,mode=755 tmpfs "$work"
  mkdir "$work/upper" "$work/scratch" "$work/root"
  mount -t overlay overlay -o "lowerdir=$1,upperdir=$work/upper,workdir=$work/scratch" "$work/root"
  root=$work/root
  [ -x "$root/lib/systemd/systemd" ] || { echo "no systemd in $1"; return 1; }
  # Nothing that is enabled below runs here.
  rm -rf "$root"/etc/systemd/system/{multi-user,graphical,timers,sockets,sysinit,network-online}.target.wants
  mkdir -p "$root/var/log/journal" "$root/etc/systemd/system"
  : >"$root/etc/machine-id"
  cat >"$work/init" <<'I'
set -e
cd "$1"
mount -t proc proc proc -o nosuid,nodev,noexec
mount -t sysfs sysfs sys -o ro,nosuid,nodev,noexec
mount -t cgroup2 cgroup2 sys/fs/cgroup -o nosuid,nodev,noexec
mount -t tmpfs tmpfs run -o mode=755,nosuid,nodev
mount -t tmpfs tmpfs tmp -o mode=1777,nosuid,nodev
mount -t tmpfs tmpfs dev -o mode=755
# Nodes of its own: systemd changes the mode of its console, and must not reach this machine's.
mknod -m 666 dev/null c 1 3
mknod -m 666 dev/zero c 1 5
mknod -m 666 dev/full c 1 7
mknod -m 666 dev/random c 1 8
mknod -m 666 dev/urandom c 1 9
mknod -m 666 dev/tty c 5 0
mknod -m 600 dev/console c 1 3
mkdir dev/pts dev/shm
mount -t devpts devpts dev/pts -o newinstance,ptmxmode=0666,mode=620
mount -t tmpfs tmpfs dev/shm -o mode=1777,nosuid,nodev
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mkdir -p .old
pivot_root . .old
umount -l /.old
rmdir /.old || true
# systemd does this only outside of containers; LoadCredential= gives an empty folder without it.
mount --make-rshared /
exec env -i container=trawl-systemd-test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd \
  --system --unit=multi-user.target --log-target=journal --show-status=no
I
  cgroups=$(findmnt -nt cgroup2 -o TARGET | head -1)
  if [ -z "$cgroups" ]; then
    cgroups=$work/cgroup2
    mkdir "$cgroups"
    mount -t cgroup2 cgroup2 "$cgroups"
  fi
  cgroup=$cgroups/trawl-systemd-test.$$
}

machine_boot() {
  mkdir -p "$cgroup"
  (
    echo "$BASHPID" >"$cgroup/cgroup.procs"
    exec unshare --pid --fork --kill-child --cgroup --uts --ipc --mount --propagation private \
      bash "$work/init" "$root"
  ) </dev/null >>"$work/console" 2>&1 &
  holder=$!
  local _
  for _ in $(seq 200); do
    leader=$(cat "/proc/$holder/task/$holder/children" 2>/dev/null)
    leader=${leader%% *}
    [ -n "$leader" ] && [ -e "/proc/$leader/root/run/systemd/private" ] && break
    sleep 0.05
  done
  case $(inside systemctl is-system-running --wait 2>/dev/null) in
    running | degraded) return 0 ;;
  esac
  echo "systemd did not boot:"
  tail -20 "$work/console"
  return 1
}

inside() {
  nsenter -t "$leader" -m -u -i -p -C -r -w -- env -i HOME=/root LC_ALL=C.UTF-8 SYSTEMD_PAGER= \
    SYSTEMD_COLORS=0 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

machine_wait() {
  local _
  for _ in $(seq 200); do kill -0 "$holder" 2>/dev/null || break; sleep 0.1; done
  wait "$holder" 2>/dev/null
}
# As when somebody shuts it down.
machine_halt() { kill -s RTMIN+3 "$leader"; machine_wait; }
# As when the power fails.
machine_crash() { kill -KILL "$leader"; machine_wait; }

machine_remove() {
  [ -z "${holder:-}" ] || { kill -KILL "$leader" "$holder"; wait "$holder"; } 2>/dev/null
  sleep 0.2
  [ -z "${cgroup:-}" ] || find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null
  [ -z "${work:-}" ] || { umount -l "$work/root"; umount -l "$work"; rmdir "$work"; } 2>/dev/null
}
