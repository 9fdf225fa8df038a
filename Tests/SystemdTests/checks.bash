# The groups of checks but the nights, in the order of `run`. Sourced by `run`.

check_installed() {
  local unit
  want "the units are in order" \
    "$(inside sh -c 'systemd-analyze verify --man=no /usr/lib/systemd/system/trawl*@.* 2>&1'; echo "rc=$?")" '^rc=0$'
  for unit in trawl@ trawl-backfill@; do
    want "exposure of $unit.service is 1.5 or better" "$(inside systemd-analyze security --offline=yes \
      --threshold=15 --no-pager "/usr/lib/systemd/system/$unit.service" 2>&1 | tail -1; echo "rc=${PIPESTATUS[0]}")" 'rc=0'
  done
  sandbox_lines() { sed -n '/^User=/,$p' "$root/usr/lib/systemd/system/$1"; }
  want "both services have one sandbox" \
    "$(diff <(sandbox_lines trawl@.service) <(sandbox_lines trawl-backfill@.service) && echo same)" '^same$'
  want "folders and their owners" "$(inside stat -c '%a %U %G' /var/lib/trawl /etc/trawl/keys /etc/trawl/jobs | tr '\n' ',')" \
    '^2750 trawl trawl,700 root root,755 root root,$'
  want "no job is enabled by the package" "$(inside systemctl list-timers --all 'trawl*' --no-legend | grep -c trawl)" '^0$'
  want "only libraries of the system" "$(inside ldd /usr/bin/trawl | grep -cE 'not found|swift|microhttpd')" '^0$'
}

check_keyless() {
  [ ! -e "$root/packages/.installed" ] ||
    want "no toolchain is there" "$(inside sh -c 'command -v swift gcc cc make; ls -d /opt/swift' 2>/dev/null)" '^$'
  job github github "$sandbox_of_github"
  start github
  want "a keyless job starts with no key installed" "$(result github)" '^success 0$'
  want "and stores what the server holds" "$(sql 'SELECT count(*) > 20 FROM github_users')" '^1$'
}

check_timer() {
  job ticking github "$sandbox_of_github"
  drop_in trawl@ticking.timer '[Timer]' OnCalendar= 'OnCalendar=*:*:0/2' RandomizedDelaySec=0 AccuracySec=50ms
  inside systemctl daemon-reload
  want "one command enables it" "$(inside systemctl enable --now trawl@ticking.timer 2>&1; echo "rc=$?")" 'rc=0$'
  ran() { [ -n "$(property trawl@ticking.service ExecMainExitTimestamp)" ] && is_settled ticking; }
  until_true 15 ran
  want "the timer fires" "$(property trawl@ticking.timer LastTriggerUSec)" '20[0-9][0-9]'
  want "and its run is a success" "$(result ticking)" '^success 0$'
  inside systemctl disable --now trawl@ticking.timer 2>/dev/null
}

reads() { inside runuser -u "$1" -- sqlite3 -readonly /var/lib/trawl/trawl.db 'SELECT count(*) FROM github_users' 2>&1; }

as_reader() { inside runuser -u reader -- env HOME=/nonexistent trawl "$@"; }

check_readers() {
  want "a member of the group reads the database" "$(reads reader)" '^[0-9]+$'
  want "somebody else does not" "$(reads stranger)" 'unable to open'
  local command
  for command in "status github" "report github" path; do
    want "a member of the group may ask: trawl $command" \
      "$(as_reader $command 2>&1 >/dev/null; echo "rc=$?")" "system's database.*rc=0$"
  done
  want "a member of the group may ask: trawl prove" \
    "$(as_reader prove 2>&1; echo "rc=$?")" 'rc=0$'
  want "writing is told the command to use" \
    "$(as_reader run github 2>&1; echo "rc=$?")" 'sudo trawl --system run github.*rc=64$'
  want "files are for the group to read" \
    "$(inside sh -c 'find /var/lib/trawl -type f ! -perm 640 -o -type d ! -perm 2750 -o ! -group trawl' | head -3)" '^$'
}

# A run that waits a minute, as GitHub's secondary limit asks, with a watchdog of 3 s.
check_run_under_way() {
  job slow github "$sandbox_of_github" WatchdogSec=3s
  calm
  arm secondary-bare 'page%3D4'
  slow_since=$(date +%s%N)
  start_and_go slow
  until_true 10 status_has slow 'page 3.*waiting for'
  want "STATUS tells list, page and the wait with its end" "$(status_of slow)" '^slow: .*page 3.*waiting for .* until .*'
  want "systemctl status shows it" "$(inside systemctl status trawl@slow.service | grep Status:)" 'Status: "slow: '
  want "a member of the group reads during a run" "$(reads reader) $(property trawl@slow.service ActiveState)" '^[0-9]+ activating$'
  local command
  for command in "status slow" "report github" prove; do
    want "and may ask then: trawl $command" "$(as_reader $command 2>&1 >/dev/null; echo "rc=$?")" 'rc=0$'
  done
  for command in "favorite add slow_users 1" "backfill slow --from 90d"; do
    want "and is told who may: trawl $command" \
      "$(as_reader $command 2>&1; echo "rc=$?")" "sudo trawl --system ${command%% *}.*rc=64$"
  done
  want "the run goes on beside them" "$(property trawl@slow.service ActiveState)" '^activating$'
  local process
  process=$(property trawl@slow.service MainPID)
  start_and_go slow
  want "a start during a run is none" "$(property trawl@slow.service MainPID)" "^$process$"
  passed() { [ "$(milliseconds_since "$slow_since")" -gt 8000 ]; }
  until_true 10 passed
  want "a planned wait is no hang for the watchdog" "$(property trawl@slow.service ActiveState) $(property trawl@slow.service MainPID)" "^activating $process$"
}

check_stop_and_resume() {
  local since rows
  if [ "$(property trawl@slow.service ActiveState)" != activating ]; then check_run_under_way; fi
  since=$(date +%s%N)
  inside systemctl stop trawl@slow.service
  want "SIGTERM in the middle ends well, and soon" "$(property trawl@slow.service Result) $(milliseconds_since "$since")" '^success [0-9]{1,4}$'
  rows=$(sql "SELECT count(*) FROM slow_users")
  want "the database is whole, and has the page" "$(sql 'PRAGMA integrity_check') $rows" '^ok [1-9][0-9]+$'
  calm
  start slow
  want "the next start goes on" "$(result slow) $(sql "SELECT count(*) > $rows FROM slow_users")" '^success 0 1$'
  local again
  again=$(asked | grep -o '/followers?[^"]*')
  want "and asks no page of before but the first" \
    "$(grep -cE '[?&]page=[23]($|&)' <<<"$again") $(grep -cE '[?&]page=4($|&)' <<<"$again")" '^0 1$'
}

check_paused() {
  job paused github "$sandbox_of_github --max-requests 2"
  start paused
  want "75 is a success" "$(result paused)" '^success 75$'
  want "and alerts nobody" "$(alert_count paused)" '^0$'
}

check_alerts() {
  # A path that the sandbox does not have.
  job broken github "--endpoint http://127.0.0.1:8080/github/none"
  start broken
  until_true 10 alerted broken
  want "a failed run is a failed unit" "$(result broken)" '^exit-code [13]$'
  want "OnFailure runs once, with job, what to do and report" "$(alerts broken)" '^alert: broken\|broken needs you, since .*: sudo trawl --system [a-z]+ broken\|/var/lib/trawl/reports/broken/.*\.html$'
  want "it is not tried again" "$(property trawl@broken.service NRestarts)" '^0$'
}
alerted() { [ "$(alert_count "$1")" -ge 1 ]; }

check_unreachable() {
  # Nobody listens on that port.
  job gone github "--endpoint http://127.0.0.1:9/github" RestartSec=100ms '[Unit]' StartLimitBurst=3
  start_and_go gone
  until_true 60 is_settled gone
  sleep 1
  want "what is temporary is tried again" "$(property trawl@gone.service NRestarts)" '^[2-9]$'
  want "and alerts nobody before the third night" "$(alert_count gone)" '^0$'
}

check_credentials() {
  printf 's3cret-of-the-test\n' >"$root/etc/trawl/keys/youtube-key"
  chmod 600 "$root/etc/trawl/keys/youtube-key"
  job keyed youtube "--endpoint http://api.trawl.test:8080/youtube --send-key-to http://api.trawl.test:8080"
  calm
  start keyed
  want "a key arrives from /etc/trawl/keys" "$(result keyed) $(get '/_sandbox/requests?api=youtube' | grep -oi x-goog-api-key | wc -l)" '^success 0 [1-9]'
  inside journalctl --sync
  want "and is nowhere in journal, database and reports" \
    "$(inside journalctl --no-pager -o export | grep -c s3cret) $(grep -rl s3cret "$root/var/lib/trawl" | wc -l)" '^0 0$'
  rm "$root/etc/trawl/keys/youtube-key"
  mv "$root/etc/trawl/keys" "$root/etc/trawl/keys.away"
  start keyed
  want "a missing key folder is told as such" "$(result keyed)" '^exit-code 243$'
  until_true 10 alerted keyed
  want "and alerts, with where to look" "$(alerts keyed)" 'systemctl status trawl@keyed'
  mv "$root/etc/trawl/keys.away" "$root/etc/trawl/keys"
}

# A person begins it, the timer's unit goes on, and a range that is covered asks nothing.
check_backfill() {
  local sandbox="--endpoint http://api.trawl.test:8080/youtube --send-key-to http://api.trawl.test:8080"
  printf 's3cret-of-the-test\n' >"$root/etc/trawl/keys/youtube-key"
  chmod 600 "$root/etc/trawl/keys/youtube-key"
  printf '{ name: "past", use: "youtube" }\n' >"$root/etc/trawl/jobs/past.json5"
  drop_in trawl-backfill@past.service '[Service]' "Environment=\"TRAWL_OPTIONS=$sandbox\""
  inside systemctl daemon-reload
  calm
  want "a backfill by hand pauses at its budget" \
    "$(inside trawl --system backfill past $sandbox --stream search --from 300d --max-requests 1 2>&1; echo "rc=$?")" 'rc=75$'
  local before
  before=$(sql "SELECT count(*) FROM past_found")
  inside systemctl start trawl-backfill@past.service
  want "trawl-backfill@ goes on with it" \
    "$(property trawl-backfill@past.service ExecMainStatus) $(sql "SELECT count(*) > $before FROM past_found")" '^0 1$'
  calm
  inside systemctl start trawl-backfill@past.service
  want "and asks nothing once it is filled" \
    "$(property trawl-backfill@past.service ExecMainStatus) $(get '/_sandbox/requests?api=youtube' | grep -c '"target"')" '^0 0$'
  rm "$root/etc/trawl/keys/youtube-key"
}

check_journal() {
  inside journalctl --sync
  want "journalctl -u trawl@github JOB=github" "$(journal -u trawl@github JOB=github | grep -c '^github: .*complete.*requests')" '^[1-9]'
  want "a line has its priority" \
    "$(inside journalctl --no-pager -o json -u trawl@github JOB=github | grep '"github: .*requests' | tail -1 |
      sed 's/.*"PRIORITY":"\([0-9]\)".*/\1/')" '^6$'
}

check_watchdog() {
  fresh_hour
  job hung github "$sandbox_of_github" WatchdogSec=3s
  calm
  arm stall-head followers
  start hung
  calm
  want "a run that hangs is killed by the watchdog" "$(property trawl@hung.service Result)" '^watchdog$'
  want "and alerts nobody: the next start resumes it" "$(alert_count hung)" '^0$'
  start hung
  want "the next start goes on" "$(result hung)" '^success 0$'
}

# What a run may do, tried by a shell in its place.
check_sandbox() {
  cat >"$root/usr/local/bin/probe" <<'P'
#!/bin/bash
try() { if "${@:2}" 2>/dev/null; then echo "may $1"; else echo "denied $1"; fi; }
write() { : >"$1"; }
reach() { timeout 2 bash -c "</dev/tcp/$1"; }
for file in /etc/x /usr/x /usr/bin/x /var/x /var/lib/x /home/x /root/x /dev/shm/x /boot/x /run/x /srv/x /var/lib/trawl/x /tmp/x; do
  try "write $file" write "$file"
done
try "read /etc/shadow" cat /etc/shadow
try "read /etc/trawl/keys" ls /etc/trawl/keys
try "see process 1" ls /proc/1
try "mount" mount -t tmpfs tmpfs /tmp
try "namespace" unshare -U true
try "execute a file of its own" bash -c 'cp /bin/true /var/lib/trawl/t && /var/lib/trawl/t'
try "reach 169.254.169.254" reach 169.254.169.254/8888
try "reach 10.0.0.9" reach 10.0.0.9/8888
rm -f /var/lib/trawl/x /var/lib/trawl/t
P
  chmod 755 "$root/usr/local/bin/probe"
  drop_in trawl@probe.service '[Service]' ExecStart= 'ExecStart=/usr/local/bin/probe' 'ExecPaths=/usr/bin /bin /usr/local/bin'
  inside systemctl daemon-reload
  : >"$hits"
  start probe
  inside journalctl --sync
  local seen
  seen=$(journal -u trawl@probe.service)
  want "of the sandbox's 20 walls only what a run needs is open" "$(grep '^may ' <<<"$seen" | sort | tr '\n' ',')" \
    '^may reach 10.0.0.9,may write /tmp/x,may write /var/lib/trawl/x,$'
  want "all others hold" "$(grep -c '^denied ' <<<"$seen")" '^18$'
  want "the metadata service is not reached" "$(grep -c 169.254 "$hits")" '^0$'
  mkdir -p "$root/etc/systemd/system/trawl@probe.service.d"
  cp "$root/usr/share/doc/trawl/systemd/private-networks.conf" "$root/etc/systemd/system/trawl@probe.service.d/"
  inside systemctl daemon-reload
  : >"$hits"
  start probe
  inside journalctl --sync
  want "with private-networks.conf no private address is reached" \
    "$(journal -u trawl@probe.service | grep -c 'denied reach 10.0.0.9') $(wc -l <"$hits")" '^1 0$'
  job outside github "$sandbox_of_github --metrics-file /var/lib/metrics.prom"
  start outside
  want "a file outside of the state folder is refused to trawl" "$(result outside)" '^exit-code 7[34]$'
}

check_names() {
  job named youtube-proxy "--endpoint http://api.trawl.test:8080/youtube-proxy"
  start named
  want "names resolve through a router at a private address" "$(result named)" '^success 0$'
  local resolved=$root/lib/systemd/systemd-resolved
  if ! ip link show wire0 >/dev/null 2>&1; then
    skip "names resolve through systemd-resolved" "this kernel has no veth"
    return
  fi
  if [ ! -x "$resolved" ]; then
    local package
    package=$(ls "$top"/.build/test-tools/packages/systemd-resolved_*.deb 2>/dev/null | head -1)
    if [ -z "$package" ]; then
      skip "names resolve through systemd-resolved" "it is not installed (make deps fetches it)"
      return
    fi
    # /lib is a link, and stays one.
    dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$root"
    inside systemd-sysusers systemd-resolve.conf
    inside systemctl daemon-reload
  fi
  mkdir -p "$root/etc/systemd/resolved.conf.d"
  printf '[Resolve]\nDNS=10.0.0.1\nDNSSEC=no\n' >"$root/etc/systemd/resolved.conf.d/test.conf"
  rm "$root/etc/resolv.conf"
  printf 'nameserver 127.0.0.53\n' >"$root/etc/resolv.conf"
  inside systemctl start systemd-resolved.service
  # With private networks closed to the run: the resolver is another process.
  cp "$root/usr/share/doc/trawl/systemd/private-networks.conf" "$root/etc/systemd/system/trawl@named.service.d/"
  inside systemctl daemon-reload
  start named
  want "names resolve through systemd-resolved, private networks closed" \
    "$(result named) $(property systemd-resolved.service ActiveState)" '^success 0 active$'
  rm "$root/etc/systemd/system/trawl@named.service.d/private-networks.conf"
  inside systemctl stop systemd-resolved.service
  cp "$work/resolv.conf" "$root/etc/resolv.conf"
}

check_system_command() {
  fresh_hour
  want "trawl --system runs a command and hands on its exit code" \
    "$(inside trawl --system run github $sandbox_of_github --max-requests 1 >/dev/null 2>&1; echo "rc=$?")" 'rc=75$'
  want "with the unit's user and data" "$(inside trawl --system path 2>&1; inside find /var/lib/trawl ! -user trawl | wc -l)" \
    $'^/var/lib/trawl/trawl.db\n0$'
  want "in the unit's sandbox" \
    "$(inside trawl --system run github $sandbox_of_github --metrics-file /var/lib/x 2>&1; echo "rc=$?")" 'rc=7[34]$'
  want "each word arrives as it was typed" \
    "$(inside trawl --system run github --set 'user=a $HOME %i' 2>&1; echo "rc=$?")" 'a \$HOME %i'
  want "only root may" "$(inside runuser -u reader -- trawl --system status 2>&1; echo "rc=$?")" 'sudo trawl --system status.*rc=64$'
  want "a key is kept where the units look" \
    "$(echo another-key | inside trawl --system key github 2>&1; inside stat -c '%a %U' /etc/trawl/keys/github-token; rm -f "$root/etc/trawl/keys/github-token")" \
    '600 root$'
  calm
  arm secondary-bare 'page%3D2'
  job commanded github "$sandbox_of_github"
  inside trawl --system run commanded $sandbox_of_github >"$work/commanded" 2>&1 &
  local command=$! asker since
  stored() { [[ $(sql 'SELECT count(*) FROM commanded_follows') =~ ^[1-9] ]]; }
  until_true 20 stored
  # The unit is named after the process that waits for it.
  asker=$(inside systemctl list-units --no-legend --plain 'trawl-command*' | sed 's/^trawl-command-\([0-9]*\).*/\1/')
  since=$(date +%s%N)
  inside sh -c "kill -INT $asker"
  wait "$command"
  want "Ctrl-C ends the command itself, after its page" \
    "$? $(milliseconds_since "$since") $(inside systemctl list-units --no-legend 'trawl-command*' | wc -l) $(tail -3 "$work/commanded")" '^130 [0-9]{1,4} 0 '
  calm
}

# Downtime: the stamp says that the last run was three days ago.
check_catch_up() {
  fresh_hour
  job daily github "$sandbox_of_github"
  drop_in trawl@daily.timer '[Timer]' OnCalendar= OnCalendar=daily RandomizedDelaySec=0 AccuracySec=50ms
  inside systemctl daemon-reload
  inside systemctl enable trawl@daily.timer 2>/dev/null
  mkdir -p "$root/var/lib/systemd/timers"
  machine_halt
  touch -d '3 days ago' "$root/var/lib/systemd/timers/stamp-trawl@daily.timer"
  machine_boot || { fail "boots again"; return; }
  inside systemctl start sandbox.service keeper.service
  until_true 10 get /_sandbox/ping >/dev/null 2>&1
  caught_up() { is_settled daily && [ "$(runs)" -ge 1 ]; }
  runs() { ls "$root/var/lib/trawl/reports/daily" 2>/dev/null | grep -c 'json$'; }
  until_true 10 caught_up
  sleep 0.5
  want "after three days off the timer catches up once" "$(runs) $(property trawl@daily.timer NextElapseUSecRealtime)" '^1 '
  inside systemctl disable --now trawl@daily.timer 2>/dev/null
}

check_package() {
  local log=$work/package.log
  inside systemctl enable --now trawl@ticking.timer 2>/dev/null
  (
    cd "$work" && rm -rf next && dpkg-deb -R "$root"/packages/trawl_*.deb next &&
      sed -i 's/^Version: .*/Version: 99/' next/DEBIAN/control && dpkg-deb --root-owner-group -b next "$root/packages/next.deb"
  ) >/dev/null
  printf 'TRAWL_OPTIONS=--keep 7\n' >"$root/etc/default/trawl"
  want "an upgrade installs" "$(inside dpkg -i /packages/next.deb >"$log" 2>&1; echo "rc=$?")" 'rc=0$'
  want "it keeps edited files, database and timers" \
    "$(grep -c 'keep 7' "$root/etc/default/trawl") $(grep -c alert: "$root/etc/trawl/alert") $(sql 'SELECT count(*) > 0 FROM github_users') $(property trawl@ticking.timer ActiveState)" \
    '^1 1 1 active$'
  want "it removes" "$(inside dpkg -r trawl >"$log" 2>&1; echo "rc=$?") $(inside sh -c 'ls /usr/bin/trawl /usr/lib/systemd/system/trawl* 2>/dev/null' | wc -l)" 'rc=0 0$'
  want "removing stops the timers and keeps the data" \
    "$(property trawl@ticking.timer ActiveState) $(sql 'SELECT count(*) > 0 FROM github_users')" '^inactive 1$'
  want "it purges" "$(inside dpkg -P trawl trawl-sandbox >"$log" 2>&1; echo "rc=$?") $(inside sh -c 'ls -d /etc/trawl /var/lib/trawl /etc/default/trawl /usr/share/trawl /usr/lib/trawl 2>/dev/null')" 'rc=0 $'
}
