/// The long options, as typed after `--`.
enum OptionName: String, CaseIterable, Sendable {
  // Of the program itself.
  case help, version, completions, system
  // Where things are.
  case data, ledger, endpoint, ca
  case sendKeyTo = "send-key-to"
  case allowLoopback = "allow-loopback"
  // What is requested.
  case set, stream, from, to, refill
  case header, key, path, post
  case again = "prove"
  case moved
  case retryRejects = "retry-rejects"
  case acceptVanish = "accept-vanish"
  case acceptEmpty = "accept-empty"
  case sameAccount = "same-account"
  case noBrowser = "no-browser"
  // How far it may go.
  case maxWait = "max-wait"
  case maxRequests = "max-requests"
  case maxTime = "max-time"
  case maxWAL = "max-wal"
  case until, wait, images
  case claimWait = "claim-wait"
  case ifDue = "if-due"
  case dryRun = "dry-run"
  case record, replay
  // What is reported.
  case metricsFile = "metrics-file"
  case keep, json, quiet, verbose
  case maxAge = "max-age"
  case alert
  case show = "print"
  case cite, html, explain, job, limit, changes, since
  case open
  case offline
  case csv, jsonl, output, into, after
  // What is kept.
  case sample, grace, short, yes, media, readers, replace, undo

  /// As it is typed.
  var spelling: String { "--" + rawValue }
}
