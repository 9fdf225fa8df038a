internal import Base

/// How long a call is tried.
struct Patience: Sendable {
  var triesMax: Int
  /// While the host has not answered anything in this run: it may not be there at all.
  var triesAtFirst: Int
  var timeMax: Duration = .seconds(15 * 60)
  /// A longer wait that a server or the ledger asks for ends the call as `.stopped`.
  var waitMax: Duration
  /// Whether a request that used up its whole time is asked once more.
  var retriesTimeouts = true
  /// Of page 1 of a list that no page has come of: where other lists are read, the list is dead.
  var isOfFirstPage = false
  static let triesOfFirstPage = 3
  /// Byte for byte the same answer, so often, will not change by being requested again.
  static let sameMax = 3
  /// Whether giving it up says something of a stream, and perhaps of the host.
  var isOfAStream = true

  static func pages(_ options: CrawlOptions) -> Patience {
    Patience(
      triesMax: options.triesMax, triesAtFirst: 4, timeMax: options.triesTimeMax,
      waitMax: options.maxWait)
  }

  /// A server that is really down is not asked for long: the timer comes again.
  static func health(_ options: CrawlOptions) -> Patience {
    Patience(triesMax: 3, triesAtFirst: 3, waitMax: options.maxWait)
  }

  /// A picture's place is wanted by others, and it stays due.
  static let picture = Patience(
    triesMax: 3, triesAtFirst: 3, waitMax: .seconds(30), retriesTimeouts: false)

  /// The list has been read; who is not asked for today is asked for in the next run.
  static func question(_ options: CrawlOptions) -> Patience {
    Patience(triesMax: 3, triesAtFirst: 3, waitMax: options.maxWait, isOfAStream: false)
  }

  /// There may be no such page, and a server may fail over it.
  static func glance(_ options: CrawlOptions) -> Patience {
    Patience(triesMax: 1, triesAtFirst: 1, waitMax: options.maxWait, isOfAStream: false)
  }

  /// A person waits for one answer.
  static let once = Patience(triesMax: 1, triesAtFirst: 1, waitMax: .seconds(2))
}
