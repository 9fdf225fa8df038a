internal import Glibc
internal import Base

/// Why the ledger cannot be used.
public struct LedgerError: Error, Sendable, Equatable, CustomStringConvertible {
  enum Kind: Sendable, Equatable {
    /// The folder or file cannot be created or written.
    case cannotCreate, cannotWrite
    /// The file is damaged, newer than this program, or not a ledger of a release. It is left untouched.
    case damaged, newer, foreign
    /// Another process held it for longer than we wait: a minute, or a few seconds for reading.
    case busy
    /// A travelling ledger that another machine has now, or whose transport cannot be reached.
    case unclaimed
  }

  var kind: Kind
  var path: String
  var sentence: String

  init(_ kind: Kind, _ path: String, _ sentence: String) {
    self.kind = kind
    self.path = path
    self.sentence = sentence
  }

  init(_ error: SQLiteError, path: String) {
    self.path = path
    // SQLite's error for a folder varies.
    if access("\(path)/.", F_OK) == 0 {
      self = .foreign(path)
      return
    }
    switch error.kind {
    case .cannotOpen, .permission:
      let isThere = FilePlace(path: path) != nil
      kind = isThere ? .cannotWrite : .cannotCreate
      sentence = "the ledger \(path) cannot be \(isThere ? "opened" : "made"): \(error.message)"
    case .damaged:
      kind = .damaged
      sentence = "the ledger \(path) is damaged: \(Self.cure)"
    case .notADatabase: self = .foreign(path)
    case .busy:
      kind = .busy
      sentence = "another process keeps the ledger \(path) locked: run again when it has ended"
    default:
      kind = .cannotWrite
      sentence = "the ledger \(path) cannot be written: \(error.message)"
    }
  }

  static func foreign(_ path: String) -> LedgerError {
    LedgerError(.foreign, path, "\(path) is not a ledger of Trawl: \(cure)")
  }

  private static let cure = "move it away, and the next run begins a new one"

  /// Neither read nor replaced: a new one would forget what was spent.
  static func development(_ found: Int64, _ path: String) -> LedgerError {
    LedgerError(
      .foreign, path,
      "the ledger \(path) was written by a development version of Trawl (its schema \(found)), and no "
        + "release reads what it counts as spent: begin in a fresh data folder with a ledger of its own, "
        + "once those quotas are full again; nothing was changed")
  }

  static func newer(_ path: String) -> LedgerError {
    LedgerError(
      .newer, path, "the ledger \(path) was written by a newer Trawl: nothing was changed")
  }

  public var description: String { sentence }
}
