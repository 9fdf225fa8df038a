public import Base

/// One thing that does not hold.
public struct ProofFinding: Sendable, Equatable {
  /// The table, and the key of the row if there is one.
  public var table: String
  public var key: String?
  public var what: String
}

/// A table whose rows were read again.
public struct ProvedTable: Sendable, Equatable {
  public var name: String
  /// `records`, `list`, `child`.
  public var kind: String
  public var rows: Int
  public var damaged: Int
}

/// One certificate, with what its evidence gives when counted again.
public struct ProvedCertificate: Sendable, Equatable {
  public var listNumber: Int64
  public var job: String
  public var stream: String
  public var listName: String
  /// Empty: the whole list.
  public var windowFrom: String
  public var windowTo: String
  public var verdict: String
  public var rule: String
  public var why: String
  /// Rows of the list that are present and not marked as gone.
  public var rows: Int
  /// Pages whose keys were read again, and the distinct keys in them.
  public var pages: Int
  public var keys: Int
  public var issuedAt: String
  public var problems: [String]
  /// Why it was not derived again from its pages; nil: it was.
  public var asRecorded: String?

  public var holds: Bool { problems.isEmpty }
}

/// Forgotten records of a table: their keys may be in the evidence without a row.
public struct ForgottenRecords: Sendable, Equatable {
  public var table: String
  public var job: String
  public var records: Int
  public var lastAt: Instant
}

/// What was checked, and what does not hold.
public struct Proof: Sendable, Equatable {
  public var forgotten: [ForgottenRecords] = []
  public var tables: [ProvedTable] = []
  public var certificates: [ProvedCertificate] = []
  /// By list number, the verdict on the whole list in `trawl_trust`.
  public internal(set) var verdicts: [Int64: String] = [:]
  public var pages = 0
  /// Stretches of time that certificates cover.
  public var intervals = 0
  /// The first thousand.
  public var findings: [ProofFinding] = []
  public var findingCount = 0
  /// Findings that name no row: they may concern any list.
  private(set) var unplacedCount = 0

  /// How many verdicts were derived again from their pages, and how many stay as recorded.
  public var derivedCount: Int { certificates.count { $0.asRecorded == nil } }
  public var recordedCount: Int { certificates.count - derivedCount }

  public var rows: Int { tables.reduce(0) { $0 + $1.rows } }
  public var holds: Bool { findingCount == 0 }

  static let findingsMax = 1000

  /// Whether a list may be cited. Decided by counters, since `findings` is limited.
  public func supports(_ citation: Citation) -> Bool {
    let own = certificates.filter { citation.listNumbers.contains($0.listNumber) }
    return unplacedCount == 0 && own.allSatisfy(\.holds)
      && !tables.contains { $0.name == citation.table && $0.damaged > 0 }
  }

  mutating func add(_ table: String, _ key: String?, _ what: String) {
    findingCount += 1
    if key == nil { unplacedCount += 1 }
    if findings.count < Self.findingsMax {
      findings.append(ProofFinding(table: table, key: key, what: what))
    }
  }

  /// Adds what another check found.
  public mutating func add(_ other: Proof) {
    findingCount += other.findingCount
    unplacedCount += other.unplacedCount
    for finding in other.findings where findings.count < Self.findingsMax {
      findings.append(finding)
    }
  }
}

/// Which part of a file is to be proved; by default all of it.
public struct ProofChoice: Sendable {
  var jobs: [String]
  var streams: [String]

  public init(jobs: [String] = [], streams: [String] = []) {
    self.jobs = jobs
    self.streams = streams
  }

  func takes(job: String) -> Bool { jobs.takes(job) }

  func takes(job: String, stream: String) -> Bool { takes(job: job) && streams.takes(stream) }
}
