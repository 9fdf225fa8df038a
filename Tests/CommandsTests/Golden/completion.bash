# bash completion for trawl, made by: trawl --completions bash
_trawl_words() {
  mapfile -t COMPREPLY < <(compgen -W "$(trawl --complete-words "$1" "$2" 2>/dev/null)" -- "$cur")
}
_trawl() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  local command="" action="" job="" word i hidden=".*"
  # Hidden folders are for whoever types their dot.
  [[ $cur != .* ]] || hidden=""
  COMPREPLY=()
  # bash takes "--data=x" for three words.
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
    [[ $prev == --* ]] || return
  fi
  for (( i = 1; i < COMP_CWORD; i++ )); do
    word=${COMP_WORDS[i]}
    case $word in
      --completions|--data|--ledger|--endpoint|--ca|--send-key-to|--set|-H|--header|--post|--key|--path|--stream|--from|--to|--accept-vanish|--accept-empty|--max-wait|--max-requests|--max-time|--until|--max-wal|--claim-wait|--images|--record|--replay|--metrics-file|--keep|--max-age|-o|--output|--into|--after|--since|--job|--limit|--sample|--grace)
        if [[ ${COMP_WORDS[i+1]} == "=" ]]; then (( i += 2 )); else (( i++ )); fi ;;
      -*|=) ;;
      *)
        if [[ -z $command ]]; then command=$word
        elif [[ -z $action && " favorite media reset " == *" $command "* ]]; then action=$word
        elif [[ -z $job ]]; then job=$word; fi ;;
    esac
  done
  case $prev in
    --completions) mapfile -t COMPREPLY < <(compgen -W "bash zsh fish" -- "$cur"); return ;;
    --data) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
    --ledger) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    --endpoint) return ;;
    --ca) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    --send-key-to) return ;;
    --set) compopt -o nospace; _trawl_words params "$job"; return ;;
    -H|--header) return ;;
    --post) return ;;
    --key) return ;;
    --path) return ;;
    --stream) _trawl_words streams "$job"; return ;;
    --from) return ;;
    --to) return ;;
    --accept-vanish) return ;;
    --accept-empty) return ;;
    --max-wait) return ;;
    --max-requests) return ;;
    --max-time) return ;;
    --until) return ;;
    --max-wal) return ;;
    --claim-wait) return ;;
    --images) mapfile -t COMPREPLY < <(compgen -W "now later" -- "$cur"); return ;;
    --record) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
    --replay) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
    --metrics-file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    --keep) return ;;
    --max-age) return ;;
    -o|--output) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    --into) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    --after) return ;;
    --since) return ;;
    --job) _trawl_words jobs ""; return ;;
    --limit) return ;;
    --sample) return ;;
    --grace) return ;;
  esac
  if [[ $cur == -* ]]; then
    case $command in
      "") word="--help --version --completions --system" ;;
      run) word="--data --ledger --endpoint --set --stream --allow-loopback --send-key-to --ca --max-wait --max-requests --max-time --until --max-wal --wait --claim-wait --images --dry-run --retry-rejects --refill --accept-vanish --accept-empty --moved --record --replay --metrics-file --keep --if-due --json --quiet --verbose --help" ;;
      backfill) word="--from --to --prove --data --ledger --endpoint --set --stream --allow-loopback --send-key-to --ca --max-wait --max-requests --max-time --until --max-wal --wait --claim-wait --images --dry-run --retry-rejects --refill --accept-vanish --accept-empty --moved --record --replay --metrics-file --keep --json --quiet --verbose --help" ;;
      status|jobs) word="--data --ledger --max-age --alert --json --help" ;;
      report) word="--data --html --open --json --explain --changes --since --limit --help" ;;
      sql) word="--data --csv --jsonl --json --output --changes --after --help" ;;
      search) word="--data --job --limit --json --help" ;;
      why) word="--data --json --help" ;;
      mcp) word="--data --ledger --help" ;;
      path) word="--data --help" ;;
      check) word="--data --ledger --endpoint --set --send-key-to --ca --print --offline --json --help" ;;
      prove) word="--data --stream --cite --json --help" ;;
      new) word="--data --ledger --path --header --post --key --output --into --short --ca --yes --help" ;;
      try) word="--data --ledger --endpoint --set --stream --allow-loopback --send-key-to --ca --replay --json --help" ;;
      key) word="--endpoint --data --same-account --no-browser --ca --help" ;;
      favorite) word="--json --data --help" ;;
      media) word="--sample --allow-loopback --ca --json --grace --dry-run --data --help" ;;
      backup) word="--data --ledger --media --readers --json --help" ;;
      restore) word="--data --ledger --media --replace --help" ;;
      forget) word="--data --dry-run --undo --help" ;;
      reset) word="--data --ledger --stream --set --dry-run --yes --help" ;;
      help) word="--help" ;;
      version) word="--help" ;;
      *) return ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$word" -- "$cur")
    return
  fi
  case $command in
    "") mapfile -t COMPREPLY < <(compgen -W "run backfill status report sql search why mcp path check prove new try key favorite media backup restore forget reset help version" -- "$cur") ;;
    run) _trawl_words jobs ""; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.json5' -- "$cur"; compgen -d -S / -X "$hidden" -- "$cur"); compopt -o nosort 2>/dev/null ;;
    backfill) _trawl_words jobs ""; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.json5' -- "$cur"; compgen -d -S / -X "$hidden" -- "$cur"); compopt -o nosort 2>/dev/null ;;
    status|jobs) _trawl_words jobs ""; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.json5' -- "$cur"; compgen -d -S / -X "$hidden" -- "$cur"); compopt -o nosort 2>/dev/null ;;
    report) _trawl_words runs "" ;;
    sql) _trawl_words tables "" ;;
    search) : ;;
    why) _trawl_words tables "" ;;
    mcp) : ;;
    path) : ;;
    check) _trawl_words jobs ""; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.json5' -- "$cur"; compgen -d -S / -X "$hidden" -- "$cur"); compopt -o nosort 2>/dev/null ;;
    prove) _trawl_words jobs ""; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.json5' -- "$cur"; compgen -d -S / -X "$hidden" -- "$cur"); compopt -o nosort 2>/dev/null ;;
    new) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    try) _trawl_words jobs ""; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.json5' -- "$cur"; compgen -d -S / -X "$hidden" -- "$cur"); compopt -o nosort 2>/dev/null ;;
    key) _trawl_words jobs ""; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.json5' -- "$cur"; compgen -d -S / -X "$hidden" -- "$cur"); compopt -o nosort 2>/dev/null ;;
    favorite) if [[ -z $action ]]; then mapfile -t COMPREPLY < <(compgen -W "add remove list" -- "$cur"); else _trawl_words jobs ""; word=("${COMPREPLY[@]}"); _trawl_words tables ""; COMPREPLY+=("${word[@]}"); fi ;;
    media) if [[ -z $action ]]; then mapfile -t COMPREPLY < <(compgen -W "verify gc path" -- "$cur"); else _trawl_words tables ""; fi ;;
    backup) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    restore) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    forget) _trawl_words jobs ""; word=("${COMPREPLY[@]}"); _trawl_words tables ""; COMPREPLY+=("${word[@]}") ;;
    reset) if [[ -z $action ]]; then mapfile -t COMPREPLY < <(compgen -W "records progress coverage waits" -- "$cur"); else _trawl_words jobs ""; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.json5' -- "$cur"; compgen -d -S / -X "$hidden" -- "$cur"); compopt -o nosort 2>/dev/null; fi ;;
    help) mapfile -t COMPREPLY < <(compgen -W "run backfill status report sql search why mcp path check prove new try key favorite media backup restore forget reset help version job" -- "$cur") ;;
    version) : ;;
  esac
}
complete -F _trawl trawl
