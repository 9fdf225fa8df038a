internal import Base

/// How long a call is tried.
struct Patience: Sendable {
  var triesMax: Int
  /// Before the host's first answer in this run: it may not exist at all.
  var triesAtFirst: Int
  /// A longer wait, by a server or the ledger, ends the call as `.stopped`.
  var waitMax: Duration
  /// Whether a request that timed out is repeated.
  var retriesTimeouts = true
  /// For page 1 of a list without any page: while other lists are read, the list is dead.
  var isOfFirstPage = false
  static let triesOfFirstPage = 3
  /// After so many identical answers, another request will not change it.
  static let sameMax = 3
  /// Whether giving up says something of a stream, and perhaps of the host.
  var isOfAStream = true

  static func pages(_ options: CrawlOptions) -> Patience {
    Patience(triesMax: options.triesMax, triesAtFirst: 4, waitMax: options.maxWait)
  }

  /// A server that is really down gets few tries: the timer comes again.
  static func health(_ options: CrawlOptions) -> Patience {
    Patience(triesMax: 3, triesAtFirst: 3, waitMax: options.maxWait)
  }

  /// Others want a picture's place, and it stays due.
  static let picture = Patience(
    triesMax: 3, triesAtFirst: 3, waitMax: .seconds(30), retriesTimeouts: false)

  /// The list has been read; a record not requested today is requested in the next run.
  static func question(_ options: CrawlOptions) -> Patience {
    Patience(triesMax: 3, triesAtFirst: 3, waitMax: options.maxWait, isOfAStream: false)
  }

  /// The page may not exist, and a server may fail over it.
  static func glance(_ options: CrawlOptions) -> Patience {
    Patience(triesMax: 1, triesAtFirst: 1, waitMax: options.maxWait, isOfAStream: false)
  }

  /// A person is waiting for one answer.
  static let once = Patience(triesMax: 1, triesAtFirst: 1, waitMax: .seconds(2))
}
