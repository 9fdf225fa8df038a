# Seven nights of the five shipped jobs, and the eighth, on which another job's list turns short.
# The servers' data moves from night to night; the clock does not, so that limits of an hour or a
# day are met as well. Sourced by `run`.

check_nights() {
  local night name endings=() jobs=(youtube newsapi github giphy openmarket tally) all=0
  at_night() { # job, endpoint
    drop_in "trawl-failed@$1.service" "[Service]" Environment=TRAWL_DATA=/var/lib/trawl/nights
    job "$1" "$1" "--endpoint $2" Environment=TRAWL_DATA=/var/lib/trawl/nights
  }
  for name in youtube newsapi github giphy openmarket; do at_night "$name" "http://127.0.0.1:8081/$name"; done
  at_night tally http://127.0.0.1:8090
  cat >"$root/etc/trawl/jobs/tally.json5" <<'J'
{
  name: "tally", about: "a list that tells its length", base: "http://127.0.0.1:8090",
  streams: { things: {
    get: "/things", pages: { by: "number", to: "?page" },
    total: "total counted", records: "items", into: "things", key: ["id"],
    columns: { id: "id as integer", name: "name" },
  } },
}
J
  inside systemctl start nights.service
  until_true 10 get /_sandbox/ping 8081 >/dev/null 2>&1 ||
    { fail "the sandbox of the nights answers" "$(journal -u nights.service | tail -3)"; return; }
  for night in 1 2 3 4 5 6 7 8 9; do
    for name in github newsapi openmarket youtube giphy; do
      get "/_sandbox/drift?api=$name&insert=2&delete=2" 8081 >/dev/null
    done
    [ "$night" -ne 8 ] || echo 5 >"$tally"
    [ "$night" -le 7 ] || jobs=(tally)
    # The starts of seven nights are counted as of one hour.
    inside systemctl reset-failed
    inside systemctl start "${jobs[@]/#/trawl@}" 2>/dev/null
    for name in "${jobs[@]}"; do endings+=("$name $(property "trawl@$name.service" ExecMainStatus)"); done
  done
  for name in youtube newsapi github giphy openmarket; do all=$((all + $(alert_count "$name"))); done
  ended() { printf '%s\n' "${endings[@]}" | grep -cE "$1"; }
  want "seven nights of five jobs: OnFailure ran 0 times" "$all" '^0$'
  want "each ended with 0, or with 75 where the hour was used up" \
    "$(ended '^(youtube|newsapi|github|giphy|openmarket) (0|75)$') of 35" '^35 '
  for name in youtube newsapi github giphy openmarket; do
    want "$name was through on more nights than one" "$(ended "^$name 0\$") of 7" '^[2-7] '
  done
  want "each job ran on each night" \
    "$(ls "$root"/var/lib/trawl/nights/reports/*/*.json | grep -cE '/(youtube|newsapi|github|giphy|openmarket)/')" '^35$'
  want "and what moved was seen" \
    "$(sqlite3 -readonly "$root/var/lib/trawl/nights/trawl.db" \
      "SELECT count(DISTINCT first_seen_at) > 2 FROM openmarket_products")" '^1$'
  want "a list that turns short on night 8 is read again on night 9, and alerts nobody before the third" \
    "$(ended '^tally 0$') $(ended '^tally 3$') $(sqlite3 -readonly "$root/var/lib/trawl/nights/trawl.db" \
      "SELECT count(*) FROM trawl_certificates WHERE verdict = 'incomplete' AND run = (SELECT max(run) FROM trawl_runs WHERE job = 'tally')") $(alert_count tally)" \
    '^8 1 1 0$'
}
