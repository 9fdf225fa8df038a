#compdef trawl
# zsh completion for trawl, made by: trawl --completions zsh
_trawl_words() {
  local -a found
  local job="" word skip=""
  # words[1] is the command; the first word behind it that is no option is the job.
  for word in ${words[2,CURRENT-1]}; do
    if [[ -n $skip ]]; then skip=""; continue; fi
    case $word in
      (--completions|--data|--ledger|--endpoint|--ca|--send-key-to|--set|-H|--header|--key|--path|--stream|--from|--to|--accept-vanish|--accept-empty|--max-wait|--max-requests|--max-time|--until|--max-wal|--images|--record|--replay|--metrics-file|--keep|--max-age|-o|--output|--since|--job|--limit|--sample|--grace) skip=1 ;;
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
    'run:reads each list of a job to its end and keeps what it holds'
    'backfill:fills the holes in a range of time'
    'status:shows all jobs, a line each, worst first; or all that is known of some'
    'new:drafts a job file from the address of a list, a manifest or an OpenAPI description'
    'check:checks a job file, its secret and page 1 of each stream; without a job, the machine'
    'try:requests one page and shows the rows as they would be stored; keeps nothing'
    'prove:recounts what every verdict claims, and says which ones hold'
    'report:shows the report of a run'
    'sql:shows the rows of a query, or of a table; only reads'
    'search:finds words in the records that are here'
    'favorite:keeps a list of favourites, over every sync'
    'media:checks, cleans and finds the images'
    'key:reads a job'\''s key from the terminal, keeps it, and says where to get one'
    'reset:forgets records, resume points, coverage or waits, after saying what'
    'backup:copies the database and the quotas into one file, and proves the copy'
    'restore:puts a backup in the place of the database, or where there is none'
    'path:prints the path of the database'
    'help:shows the help of the program or of a command'
    'version:shows the version of Trawl and of the libraries it runs with'
  )
  _arguments -C \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '(-V --version)'{-V,--version}'[shows the version of Trawl and of the libraries it runs with]' \
    '--completions=[writes a completion script for the shell\: bash, zsh or fish]:SHELL:(bash zsh fish)' \
    '--system[runs the command as user trawl, with the keys and the sandbox of the systemd unit]' \
    '1: :->command' '*:: :->rest'
  case $state in
    (command) _describe command commands ;;
    (rest)
      case $words[1] in
        (run) _arguments \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; several folders may share one]:FILE:_files' \
    '--endpoint=[requests this address instead; on loopback no secret is read]:URL: ' \
    '*--set=[sets a parameter of the job; repeated, the values make a list; a comma is text]:KEY=VALUE:{_trawl_words params}' \
    '*--stream=[reads only this stream]:NAME:{_trawl_words streams}' \
    '--allow-loopback[lets images and redirects lead to this machine]' \
    '*--send-key-to=[lets this origin see the job'\''s secret as well]:ORIGIN: ' \
    '--ca=[trusts the issuers in this PEM file as well; the variables take the place of the machine'\''s]:FILE:_files' \
    '--max-wait=[waits out a limit that ends within this time; a longer one pauses]:DUR: ' \
    '--max-requests=[pauses after so many requests]:N: ' \
    '--max-time=[pauses after this time]:DUR: ' \
    '--until=[pauses at this time of day]:HH\:MM: ' \
    '--max-wal=[pauses when a program that reads on and on has let the database'\''s log grow to this size]:SIZE: ' \
    '--wait[waits for another run of the same job instead of stopping with 75]' \
    '--images=[later\: ends with the walk and leaves the images that are not fetched yet to the next run]:WHEN:(now later)' \
    '--dry-run[shows what would be done and what it costs; does nothing]' \
    '--retry-rejects[maps the kept rejects again, without a request]' \
    '--refill[reads pages again that an older mapping of the job file has filled, or whose rows somebody removed]' \
    '--accept-vanish=[marks up to N records as vanished where the bound of the job would withhold it]:N: ' \
    '*--accept-empty=[believes that a column is empty now that nearly all rows had filled]:COLUMN: ' \
    '--moved[says that the API has another address now\: its rows are those that are here, if half of a first page is]' \
    '--record=[writes every request and answer there, bodies and images too, and the instants; no key]:DIR:_files -/' \
    '--replay=[answers from such a recording, without network or waiting; needs a --data of its own]:DIR:_files -/' \
    '--metrics-file=[writes metrics for Prometheus'\''s node_exporter]:FILE:_files' \
    '--keep=[keeps the last N reports of a job]:N: ' \
    '--if-due[does nothing before the job'\''s "every" is over since the last run that read all it could]' \
    '--json[writes results to stdout as JSON, one object a line]' \
    '(-q --quiet)'{-q,--quiet}'[prints only warnings and errors; a pause is neither]' \
    '(-v --verbose)'{-v,--verbose}'[prints every page, retry and wait]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:JOB|FILE:_trawl_job' ;;
        (backfill) _arguments \
    '--from=[the beginning of the range\: 2024, 2024-03, 2024-03-01, 2024-03-01T12\:00\:00Z, or 90d for so long ago]:DATE: ' \
    '--to=[the end of the range; a year, month or day is included whole]:DATE: ' \
    '--prove[reads windows again that have no proof, cut to one answer each where the API allows it]' \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; several folders may share one]:FILE:_files' \
    '--endpoint=[requests this address instead; on loopback no secret is read]:URL: ' \
    '*--set=[sets a parameter of the job; repeated, the values make a list; a comma is text]:KEY=VALUE:{_trawl_words params}' \
    '*--stream=[reads only this stream]:NAME:{_trawl_words streams}' \
    '--allow-loopback[lets images and redirects lead to this machine]' \
    '*--send-key-to=[lets this origin see the job'\''s secret as well]:ORIGIN: ' \
    '--ca=[trusts the issuers in this PEM file as well; the variables take the place of the machine'\''s]:FILE:_files' \
    '--max-wait=[waits out a limit that ends within this time; a longer one pauses]:DUR: ' \
    '--max-requests=[pauses after so many requests]:N: ' \
    '--max-time=[pauses after this time]:DUR: ' \
    '--until=[pauses at this time of day]:HH\:MM: ' \
    '--max-wal=[pauses when a program that reads on and on has let the database'\''s log grow to this size]:SIZE: ' \
    '--wait[waits for another run of the same job instead of stopping with 75]' \
    '--images=[later\: ends with the walk and leaves the images that are not fetched yet to the next run]:WHEN:(now later)' \
    '--dry-run[shows what would be done and what it costs; does nothing]' \
    '--retry-rejects[maps the kept rejects again, without a request]' \
    '--refill[reads pages again that an older mapping of the job file has filled, or whose rows somebody removed]' \
    '--accept-vanish=[marks up to N records as vanished where the bound of the job would withhold it]:N: ' \
    '*--accept-empty=[believes that a column is empty now that nearly all rows had filled]:COLUMN: ' \
    '--moved[says that the API has another address now\: its rows are those that are here, if half of a first page is]' \
    '--record=[writes every request and answer there, bodies and images too, and the instants; no key]:DIR:_files -/' \
    '--replay=[answers from such a recording, without network or waiting; needs a --data of its own]:DIR:_files -/' \
    '--metrics-file=[writes metrics for Prometheus'\''s node_exporter]:FILE:_files' \
    '--keep=[keeps the last N reports of a job]:N: ' \
    '--json[writes results to stdout as JSON, one object a line]' \
    '(-q --quiet)'{-q,--quiet}'[prints only warnings and errors; a pause is neither]' \
    '(-v --verbose)'{-v,--verbose}'[prints every page, retry and wait]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:JOB|FILE:_trawl_job' ;;
        (status|jobs) _arguments \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; several folders may share one]:FILE:_files' \
    '--max-age=[ends with 4 when a list was last as good as it had been longer ago than this]:DUR: ' \
    '--alert[prints what somebody has to be told of the one job, and ends with 4\: the first time, then once a day, and once when it is over; else nothing. The shipped units call it]' \
    '--json[writes results to stdout as JSON, one object a line]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:JOB:_trawl_job' ;;
        (new) _arguments \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; several folders may share one]:FILE:_files' \
    '--from=[translates this Airbyte manifest (YAML)]:FILE:_files' \
    '--path=[drafts this path of an OpenAPI description alone]:PATH: ' \
    '(-H --header)'{-H+,--header=}'[sends this header field; what looks like a secret is written to no file; {key} is asked for]:'\''NAME\: VALUE'\'': ' \
    '--key=[what the job file calls the secret]:NAME: ' \
    '(-o --output)'{-o+,--output=}'[writes to this file, whole or not at all; rows in the form that its name ends with]:FILE:_files' \
    '--short[drafts the shortest form\: without comments, and with every member as a column]' \
    '--ca=[trusts the issuers in this PEM file as well; the variables take the place of the machine'\''s]:FILE:_files' \
    '--yes[does not ask]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:URL|FILE:_files' ;;
        (check) _arguments \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; several folders may share one]:FILE:_files' \
    '--endpoint=[requests this address instead; on loopback no secret is read]:URL: ' \
    '*--set=[sets a parameter of the job; repeated, the values make a list; a comma is text]:KEY=VALUE:{_trawl_words params}' \
    '*--send-key-to=[lets this origin see the job'\''s secret as well]:ORIGIN: ' \
    '--ca=[trusts the issuers in this PEM file as well; the variables take the place of the machine'\''s]:FILE:_files' \
    '--print[prints the job file as it is read, and requests nothing]' \
    '--offline[sends no request\: the file, its tables and its values alone]' \
    '--json[writes results to stdout as JSON, one object a line]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:JOB|FILE:_trawl_job' ;;
        (try) _arguments \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; several folders may share one]:FILE:_files' \
    '--endpoint=[requests this address instead; on loopback no secret is read]:URL: ' \
    '*--set=[sets a parameter of the job; repeated, the values make a list; a comma is text]:KEY=VALUE:{_trawl_words params}' \
    '*--stream=[reads only this stream]:NAME:{_trawl_words streams}' \
    '--allow-loopback[lets images and redirects lead to this machine]' \
    '*--send-key-to=[lets this origin see the job'\''s secret as well]:ORIGIN: ' \
    '--ca=[trusts the issuers in this PEM file as well; the variables take the place of the machine'\''s]:FILE:_files' \
    '--replay=[answers from such a recording, without network or waiting; needs a --data of its own]:DIR:_files -/' \
    '--json[writes results to stdout as JSON, one object a line]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:FILE:_trawl_job' ;;
        (prove) _arguments \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '*--stream=[reads only this stream]:NAME:{_trawl_words streams}' \
    '--cite[prints one line to put under a chart]' \
    '--json[writes results to stdout as JSON, one object a line]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:JOB:_trawl_job' ;;
        (report) _arguments \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '--html[prints the path of the HTML page]' \
    '--open[shows the HTML page in a browser (xdg-open), else prints its path; without a job the index of all jobs]' \
    '--json[writes results to stdout as JSON, one object a line]' \
    '--explain[explains the run'\''s decisions in sentences]' \
    '--changes[shows what is new, changed and gone\: record by record, with what an earlier value was where it is kept]' \
    '--since=[the beginning of --changes\: 1d, 2024-03-01, or the name of a run]:WHEN: ' \
    '--limit=[shows at most so many records (with --changes of each kind and table)]:N: ' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:JOB|RUN:{_trawl_words runs}' ;;
        (sql) _arguments \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '--csv[writes rows as CSV\: NULL is nothing at all, an empty text is ""]' \
    '--jsonl[writes rows as JSON, one object a line]' \
    '--json[writes results to stdout as JSON, one object a line]' \
    '(-o --output)'{-o+,--output=}'[writes to this file, whole or not at all; rows in the form that its name ends with]:FILE:_files' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:QUERY:{_trawl_words tables}' ;;
        (search) _arguments \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '--job=[looks only at this job'\''s records]:JOB:{_trawl_words jobs}' \
    '--limit=[shows at most so many records (with --changes of each kind and table)]:N: ' \
    '--json[writes results to stdout as JSON, one object a line]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:WORD: ' ;;
        (favorite) _arguments \
    '--json[writes results to stdout as JSON, one object a line]' \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '1:action:((add\:"adds records to the favourites" remove\:"takes records from the favourites" list\:"lists the favourites"))' \
    '*:operand:{_trawl_words jobs; _trawl_words tables}' ;;
        (media) _arguments \
    '--sample=[checks this share of the files, another on each day]:M/N: ' \
    '--allow-loopback[lets images and redirects lead to this machine]' \
    '--ca=[trusts the issuers in this PEM file as well; the variables take the place of the machine'\''s]:FILE:_files' \
    '--json[writes results to stdout as JSON, one object a line]' \
    '--grace=[keeps files that were wanted within this time]:DUR: ' \
    '--dry-run[shows what would be done and what it costs; does nothing]' \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '1:action:((verify\:"reads files again\: each must be named by its SHA-256" gc\:"removes files that no record points to" path\:"prints the paths of a record'\''s images"))' \
    '*:operand:{_trawl_words tables}' ;;
        (key) _arguments \
    '--endpoint=[requests this address instead; on loopback no secret is read]:URL: ' \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '--same-account[says that the key is of the account which asked before\: what was read stays read]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:JOB|FILE:_trawl_job' ;;
        (reset) _arguments \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; several folders may share one]:FILE:_files' \
    '*--stream=[reads only this stream]:NAME:{_trawl_words streams}' \
    '*--set=[sets a parameter of the job; repeated, the values make a list; a comma is text]:KEY=VALUE:{_trawl_words params}' \
    '--dry-run[shows what would be done and what it costs; does nothing]' \
    '--yes[does not ask]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '1:action:((records\:"deletes the records of the job and all that is known of them" progress\:"forgets how far walks got\: the next run starts at page 1" coverage\:"forgets verdicts\: the ranges count as missing" waits\:"ends the waits that the API asked for\: the next run requests again"))' \
    '*:operand:_trawl_job' ;;
        (backup) _arguments \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; several folders may share one]:FILE:_files' \
    '--media[with the pictures, in a folder media beside the file\: linked where that works, else copied]' \
    '--readers[a copy for other programs\: records, lists and items alone, without a log]' \
    '--json[writes results to stdout as JSON, one object a line]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:FILE:_files' ;;
        (restore) _arguments \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '--ledger=[the file that counts quotas; several folders may share one]:FILE:_files' \
    '--media[with the pictures, in a folder media beside the file\: linked where that works, else copied]' \
    '--replace[sets the database that is there aside, as trawl.db.before-TIME]' \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:FILE:_files' ;;
        (path) _arguments \
    '--data=[the folder of database, images and reports]:DIR:_files -/' \
    '(-h --help)'{-h,--help}'[shows this help]' ;;
        (help) _arguments \
    '(-h --help)'{-h,--help}'[shows this help]' \
    '*:COMMAND:(run backfill status new check try prove report sql search favorite media key reset backup restore path help version)' ;;
        (version) _arguments \
    '(-h --help)'{-h,--help}'[shows this help]' ;;
      esac ;;
  esac
}
if [[ $funcstack[1] == _trawl ]]; then _trawl "$@"; else compdef _trawl trawl; fi
