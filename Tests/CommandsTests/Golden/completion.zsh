#compdef trawl
# zsh completion for trawl, made by: trawl --completions zsh
_trawl_words() {
  local -a found
  local job="" word skip=""
  # words[1] is the command; the first word behind it that is no option is the job.
  for word in ${words[2,CURRENT-1]}; do
    if [[ -n $skip ]]; then skip=""; continue; fi
    case $word in
      (--completions|--data|--ledger|--endpoint|--ca|--send-key-to|--set|-H|--header|--post|--key|--path|--stream|--from|--to|--accept-vanish|--accept-empty|--max-wait|--max-requests|--max-time|--until|--max-wal|--claim-wait|--images|--record|--replay|--metrics-file|--keep|--max-age|-o|--output|--into|--after|--since|--job|--limit|--sample|--grace) skip=1 ;;
      (-*) ;;
      (add|remove|list|verify|gc|path|records|progress|coverage|waits) ;;
      (*) job=$word; break ;;
    esac
  done
  found=(${(f)"$(trawl --complete-words $1 $job 2>/dev/null)"})
  if [[ $1 == params ]]; then compadd -S '' -a found; else compadd -a found; fi
}
_trawl_job() {
  _trawl_words jobs
  _files -g '*.json5'
}
_trawl() {
  local curcontext=$curcontext state line
  local -A opt_args
  local -a commands
  commands=(
    'run:reads the lists of a job to their end and stores them'
    'backfill:reads a range of time, newest first'
    'status:shows all jobs, worst first, or all about some of them'
    'report:shows the report of a run'
    'sql:shows the rows of a query or a table; read-only'
    'search:finds words in stored records'
    'why:shows what a row rests on, or why it is not there'
    'mcp:answers an agent over stdin and stdout (Model Context Protocol)'
    'path:prints the path of the database'
    'check:checks a job file and page 1 of each stream, or the machine'
    'prove:derives every verdict again from the stored answers'
    'new:drafts a job file from the URL of a list, or an API description'
    'try:shows one page as it would be stored; stores nothing'
    'key:stores a job'\''s key, typed unseen, or logs in to its API'
    'favorite:keeps a list of favorites across syncs'
    'media:checks, cleans and finds images'
    'backup:copies database and quotas into one file and proves the copy'
    'restore:puts a backup in the place of the database'
    'forget:forgets single records, so that no byte of them is left'
    'reset:forgets records, progress, coverage or waits; says what first'
    'help:shows the help of the program, of a command, or of job files'
    'version:shows the versions of Trawl and its libraries'
  )
  _arguments -C \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '(-V --version)'{-V,--version}'[shows the versions of Trawl and its libraries]' \
    '--completions=[writes completions for bash, zsh or fish]:SHELL:(bash zsh fish)' \
    '--system[runs the command as user trawl, with the keys and the sandbox of the systemd unit]' \
    '1: :->command' '*:: :->rest'
  case $state in
    (command) _describe command commands ;;
    (rest)
      case $words[1] in
        (run) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; folders may share one]:FILE:_files' \
    '--endpoint=[requests this address instead; on loopback no key is sent]:URL: ' \
    '*--set=[sets a parameter of the job; repeated, the values form a list]:KEY=VALUE:{_trawl_words params}' \
    '*--stream=[reads only this stream]:NAME:{_trawl_words streams}' \
    '--allow-loopback[allows images and redirects to this machine]' \
    '*--send-key-to=[sends the job'\''s key to this origin as well]:ORIGIN: ' \
    '--ca=[trusts the issuers in this PEM file as well]:FILE:_files' \
    '--max-wait=[waits for a limit that ends within this time; else pauses]:DUR: ' \
    '--max-requests=[pauses after so many requests]:N: ' \
    '--max-time=[pauses after this time]:DUR: ' \
    '--until=[pauses at this time of day]:HH\:MM: ' \
    '--max-wal=[pauses when a reader has let the database'\''s log grow to this size]:SIZE: ' \
    '--wait[waits for another run of the job to end]' \
    '--claim-wait=[waits so long for another machine that has the folder in the bucket]:DUR: ' \
    '--images=[later\: ends with the lists and leaves remaining images to the next run]:WHEN:(now later)' \
    '--dry-run[shows requests and their cost; sends nothing]' \
    '--retry-rejects[maps stored rejects again; sends no request]' \
    '--refill[reads everything again, also pages that have not changed\: after an edit of the job file]' \
    '--accept-vanish=[marks up to N records as gone despite the limit]:N: ' \
    '*--accept-empty=[accepts that this column is empty now]:COLUMN: ' \
    '--moved[the API has moved to another address; keeps the rows if half of a first page is known]' \
    '--record=[records every exchange there, without keys]:DIR:_files -/' \
    '--replay=[answers from a recording, without network or waits; needs a --data of its own]:DIR:_files -/' \
    '--metrics-file=[writes metrics for Prometheus'\''s node_exporter]:FILE:_files' \
    '--keep=[keeps the last N reports of a job]:N: ' \
    '--if-due[exits unless the job'\''s "every" has passed since the last full run]' \
    '--json[writes JSON to stdout, one object per line]' \
    '(-q --quiet)'{-q,--quiet}'[prints warnings and errors only, no pauses]' \
    '(-v --verbose)'{-v,--verbose}'[prints every page, retry and wait]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:JOB|FILE:_trawl_job' ;;
        (backfill) _arguments \
    '--from=[the start of the range\: 2024, 2024-03, 2024-03-01, 2024-03-01T12\:00\:00Z, or 90d (ago)]:DATE: ' \
    '--to=[the end of the range, including the whole year, month or day]:DATE: ' \
    '--prove[also reads windows without a proof again, cut to one answer each where the API allows it]' \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; folders may share one]:FILE:_files' \
    '--endpoint=[requests this address instead; on loopback no key is sent]:URL: ' \
    '*--set=[sets a parameter of the job; repeated, the values form a list]:KEY=VALUE:{_trawl_words params}' \
    '*--stream=[reads only this stream]:NAME:{_trawl_words streams}' \
    '--allow-loopback[allows images and redirects to this machine]' \
    '*--send-key-to=[sends the job'\''s key to this origin as well]:ORIGIN: ' \
    '--ca=[trusts the issuers in this PEM file as well]:FILE:_files' \
    '--max-wait=[waits for a limit that ends within this time; else pauses]:DUR: ' \
    '--max-requests=[pauses after so many requests]:N: ' \
    '--max-time=[pauses after this time]:DUR: ' \
    '--until=[pauses at this time of day]:HH\:MM: ' \
    '--max-wal=[pauses when a reader has let the database'\''s log grow to this size]:SIZE: ' \
    '--wait[waits for another run of the job to end]' \
    '--claim-wait=[waits so long for another machine that has the folder in the bucket]:DUR: ' \
    '--images=[later\: ends with the lists and leaves remaining images to the next run]:WHEN:(now later)' \
    '--dry-run[shows requests and their cost; sends nothing]' \
    '--retry-rejects[maps stored rejects again; sends no request]' \
    '--refill[reads everything again, also pages that have not changed\: after an edit of the job file]' \
    '--accept-vanish=[marks up to N records as gone despite the limit]:N: ' \
    '*--accept-empty=[accepts that this column is empty now]:COLUMN: ' \
    '--moved[the API has moved to another address; keeps the rows if half of a first page is known]' \
    '--record=[records every exchange there, without keys]:DIR:_files -/' \
    '--replay=[answers from a recording, without network or waits; needs a --data of its own]:DIR:_files -/' \
    '--metrics-file=[writes metrics for Prometheus'\''s node_exporter]:FILE:_files' \
    '--keep=[keeps the last N reports of a job]:N: ' \
    '--json[writes JSON to stdout, one object per line]' \
    '(-q --quiet)'{-q,--quiet}'[prints warnings and errors only, no pauses]' \
    '(-v --verbose)'{-v,--verbose}'[prints every page, retry and wait]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:JOB|FILE:_trawl_job' ;;
        (status|jobs) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; folders may share one]:FILE:_files' \
    '--max-age=[exits with 4 when a list has not been read well for longer than this]:DUR: ' \
    '--alert[prints the job'\''s alert, if one is due, and exits with 4\: at first, then daily, and once when it is over. The shipped units call it]' \
    '--json[writes JSON to stdout, one object per line]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:JOB:_trawl_job' ;;
        (report) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--html[prints the path of the HTML page]' \
    '--open[opens the HTML page in a browser (xdg-open); without a job, the index of all jobs]' \
    '--json[writes JSON to stdout, one object per line]' \
    '--explain[explains the run'\''s decisions in sentences]' \
    '--changes[shows new, changed and gone records, with earlier values where they are stored]' \
    '--since=[start of --changes\: 1d, 2024-03-01, or the name of a run]:WHEN: ' \
    '--limit=[with --changes\: shows at most N records of each kind and table]:N: ' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:JOB|RUN:{_trawl_words runs}' ;;
        (sql) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--csv[writes rows as CSV\: NULL is nothing, an empty text is ""]' \
    '--jsonl[writes rows as JSON, one object per line]' \
    '--json[writes all rows as one JSON list]' \
    '(-o --output)'{-o+,--output=}'[writes to this file, whole or not at all\: .csv, .json, .jsonl]:FILE:_files' \
    '--changes[shows what became of the records of a table, for programs]' \
    '--after=[with --changes\: what changed behind it; the last row has the next one]:CURSOR: ' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:QUERY:{_trawl_words tables}' ;;
        (search) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--job=[searches only this job'\''s records]:JOB:{_trawl_words jobs}' \
    '--limit=[shows at most N records]:N: ' \
    '--json[writes JSON to stdout, one object per line]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:WORD: ' ;;
        (why) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--json[writes JSON to stdout, one object per line]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:TABLE:{_trawl_words tables}' \
    '*:KEY: ' \
    '*:COLUMN: ' ;;
        (mcp) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; folders may share one]:FILE:_files' \
    '(-h --help)'{-h,--help}'[shows this help]' ;;
        (path) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '(-h --help)'{-h,--help}'[shows this help]' ;;
        (check) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; folders may share one]:FILE:_files' \
    '--endpoint=[requests this address instead; on loopback no key is sent]:URL: ' \
    '*--set=[sets a parameter of the job; repeated, the values form a list]:KEY=VALUE:{_trawl_words params}' \
    '*--send-key-to=[sends the job'\''s key to this origin as well]:ORIGIN: ' \
    '--ca=[trusts the issuers in this PEM file as well]:FILE:_files' \
    '--print[prints the job file as it is read; sends no request]' \
    '--offline[checks the file only; sends no request]' \
    '--json[writes JSON to stdout, one object per line]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:JOB|FILE:_trawl_job' ;;
        (prove) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '*--stream=[reads only this stream]:NAME:{_trawl_words streams}' \
    '--cite[prints one line to put under a chart]' \
    '--json[writes JSON to stdout, one object per line]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:JOB:_trawl_job' ;;
        (new) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; folders may share one]:FILE:_files' \
    '--path=[drafts only this path of an OpenAPI description]:PATH: ' \
    '(-H --header)'{-H+,--header=}'[sends this header field; asks for {key} unseen; no secret is written to the file]:'\''NAME\: VALUE'\'': ' \
    '--post=[asks by POST with this JSON body, as a search or GraphQL wants it]:BODY: ' \
    '--key=[the name of the key in the job file]:NAME: ' \
    '(-o --output)'{-o+,--output=}'[writes the draft to this file]:FILE:_files' \
    '--into=[adds the list to this job file of the same API; what is in it stays as it is]:JOB.json5:_files' \
    '--short[drafts the shortest form\: no comments, every member a column]' \
    '--ca=[trusts the issuers in this PEM file as well]:FILE:_files' \
    '--yes[does not ask]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:URL|FILE:_files' ;;
        (try) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; folders may share one]:FILE:_files' \
    '--endpoint=[requests this address instead; on loopback no key is sent]:URL: ' \
    '*--set=[sets a parameter of the job; repeated, the values form a list]:KEY=VALUE:{_trawl_words params}' \
    '*--stream=[reads only this stream]:NAME:{_trawl_words streams}' \
    '--allow-loopback[allows images and redirects to this machine]' \
    '*--send-key-to=[sends the job'\''s key to this origin as well]:ORIGIN: ' \
    '--ca=[trusts the issuers in this PEM file as well]:FILE:_files' \
    '--replay=[answers from a recording, without network or waits; needs a --data of its own]:DIR:_files -/' \
    '--json[writes JSON to stdout, one object per line]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:FILE:_trawl_job' ;;
        (key) _arguments \
    '--endpoint=[requests this address instead; on loopback no key is sent]:URL: ' \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--same-account[the new key is of the same account\: keeps what was read]' \
    '--no-browser[logs in with a browser on another machine\: paste the address at which it ends]' \
    '--ca=[trusts the issuers in this PEM file as well]:FILE:_files' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:JOB|FILE:_trawl_job' ;;
        (favorite) _arguments \
    '--json[writes JSON to stdout, one object per line]' \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '1:action:((add\:"adds records to the favorites" remove\:"removes records from the favorites" list\:"lists the favorites"))' \
    '*:operand:{_trawl_words jobs; _trawl_words tables}' ;;
        (media) _arguments \
    '--sample=[checks this share of the files, another share each day]:M/N: ' \
    '--allow-loopback[allows images and redirects to this machine]' \
    '--ca=[trusts the issuers in this PEM file as well]:FILE:_files' \
    '--json[writes JSON to stdout, one object per line]' \
    '--grace=[keeps files that were needed within this time]:DUR: ' \
    '--dry-run[shows what would be removed; removes nothing]' \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '1:action:((verify\:"reads files again; each name must be its SHA-256" gc\:"removes files that no record points to" path\:"prints the paths of a record'\''s images"))' \
    '*:operand:{_trawl_words tables}' ;;
        (backup) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; folders may share one]:FILE:_files' \
    '--media[includes images, in a folder media beside the file\: hard links if possible, else copies]' \
    '--readers[writes a copy for other programs instead\: records, lists and items, without a log]' \
    '--json[writes JSON to stdout, one object per line]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:FILE:_files' ;;
        (restore) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; folders may share one]:FILE:_files' \
    '--media[includes images, in a folder media beside the file\: hard links if possible, else copies]' \
    '--replace[sets the present database aside, as trawl.db.before-TIME]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:FILE:_files' ;;
        (forget) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--dry-run[shows what would be forgotten; changes nothing]' \
    '--undo[lets runs store these records again]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:JOB|TABLE:{_trawl_words jobs; _trawl_words tables}' \
    '*:KEY: ' ;;
        (reset) _arguments \
    '--data=[the folder of database, images and reports; s3\://BUCKET/PATH\: one in a bucket, for any machine]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; folders may share one]:FILE:_files' \
    '*--stream=[only of this stream]:NAME:{_trawl_words streams}' \
    '*--set=[only of lists with this value]:KEY=VALUE:{_trawl_words params}' \
    '--dry-run[shows what would be forgotten; changes nothing]' \
    '--yes[does not ask]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '1:action:((records\:"deletes the records of the job and their history" progress\:"forgets where lists stopped\: the next run starts at page 1" coverage\:"forgets verdicts\: all ranges count as missing" waits\:"ends waits that the API asked for\: the next run sends requests"))' \
    '*:operand:_trawl_job' ;;
        (help) _arguments \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:COMMAND|job:(run backfill status report sql search why mcp path check prove new try key favorite media backup restore forget reset help version job)' ;;
        (version) _arguments \
    '(-h --help)'{-h,--help}'[shows this help]' ;;
      esac ;;
  esac
}
if [[ $funcstack[1] == _trawl ]]; then _trawl "$@"; else compdef _trawl trawl; fi
