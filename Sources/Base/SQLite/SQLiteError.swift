internal import CSQLite
internal import Glibc

/// An error of SQLite and its statement. Never contains bound values.
public struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds that callers distinguish.
  public enum Kind: Sendable, Equatable {
    /// Another connection held a lock for longer than the allowed wait.
    case busy
    /// This process cannot open more files.
    case limited
    case constraint
    /// A trigger refused a row.
    case trigger
    case full, readOnly, cannotOpen, permission
    case damaged, notADatabase, inputOutput, interrupted, tooBig, memory, denied, schema
    case other
  }

  public var kind: Kind
  /// The primary and the extended result code, as sqlite3.h numbers them.
  var code: Int32
  var extendedCode: Int32
  public var message: String
  /// The statement's text with its placeholders.
  public private(set) var sql: String?
  /// The byte of the error in the statement, if SQLite knows it.
  public var offset: Int?

  /// SQLite passes over a row without a word if a trigger says so.
  public init(passedOver table: String) {
    self.init(code: Self.trigger, message: "\(table) did not take a row")
  }

  private static let trigger = SQLITE_CONSTRAINT | 7 << 8

  public init(code: Int32, message: String, sql: String? = nil) {
    self.code = code & 0xff
    extendedCode = code
    self.message = message
    self.sql = sql
    kind = code == Self.trigger ? .trigger : Self.kind(ofPrimaryCode: code & 0xff)
  }

  /// Reads the connection's last error; must follow the failed call immediately.
  init(_ code: Int32, on handle: OpaquePointer?, sql: String? = nil) {
    let extended = handle.map { sqlite3_extended_errcode($0) } ?? code
    let text = handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    // If the connection did not keep the code (after a misuse, say), it is reported as returned.
    let isKept = extended & 0xff == code & 0xff
    self.init(
      code: isKept ? extended : code,
      message: text.map { String(cString: $0) } ?? "code \(code)", sql: sql)
    offset = handle.map { Int(sqlite3_error_offset($0)) }.flatMap { $0 >= 0 ? $0 : nil }
    // SQLite has one code for all reasons why a file cannot grow or be opened; errno tells them apart.
    guard [.inputOutput, .cannotOpen].contains(kind), let handle else { return }
    switch sqlite3_system_errno(handle) {
    case ENOSPC, EDQUOT:
      kind = .full
      message += " (no space left)"
    case EMFILE, ENFILE:
      kind = .limited
      message += " (too many open files: raise ulimit -n or LimitNOFILE=)"
    case EROFS:
      kind = .readOnly
      message += " (the file system can only be read)"
    default: break
    }
  }

  public var description: String {
    guard let sql else { return "SQLite \(extendedCode): \(message)" }
    return "SQLite \(extendedCode): \(message), in: \(sql.prefix(200))"
  }

  private static func kind(ofPrimaryCode code: Int32) -> Kind {
    switch code {
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_CONSTRAINT, SQLITE_MISMATCH: .constraint
    case SQLITE_FULL: .full
    case SQLITE_READONLY: .readOnly
    case SQLITE_CANTOPEN: .cannotOpen
    case SQLITE_PERM: .permission
    case SQLITE_CORRUPT: .damaged
    case SQLITE_NOTADB: .notADatabase
    case SQLITE_IOERR: .inputOutput
    case SQLITE_INTERRUPT: .interrupted
    case SQLITE_TOOBIG: .tooBig
    case SQLITE_NOMEM: .memory
    case SQLITE_AUTH: .denied
    case SQLITE_SCHEMA: .schema
    default: .other
    }
  }
}
