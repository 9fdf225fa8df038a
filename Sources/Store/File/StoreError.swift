internal import Base

/// What the database or its folder refused, on what, and what to do next.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Kind: String, Sendable {
    /// Another program held the write lock for longer than the bounded wait.
    case busy
    /// The file is damaged, was written by a newer Trawl, or is not a database that this one can
    /// use: not ours, or of a development version; untouched. Or another program's table, index or trigger is in the
    /// way.
    case damaged, newer, foreign
    /// Written by an older Trawl, and opened by a command that only reads.
    case older
    /// There is no database yet; reading commands say so.
    case missing
    /// The folder or file cannot be created, or cannot be written (disk full, I/O error).
    case cannotCreate, cannotWrite, cannotRead
    /// The job's tables cannot be made, or an SQL expression of it does not compile.
    case job
    /// The job was synchronised from another origin into this folder.
    case otherOrigin
    /// A signal came during the work; nothing was changed.
    case interrupted
    /// The system's SQLite is too old.
    case library
    /// A rule of this program itself was broken: a bug.
    case bug
  }

  public var kind: Kind
  /// The file, table or job that it is about.
  public var place: String
  var message: String
  /// The table at fault, by its name in the job file.
  public var table: String?

  public init(_ kind: Kind, _ place: String, _ message: String) {
    self.kind = kind
    self.place = place
    self.message = message
  }

  public var description: String { "\(place): \(message)" }

  /// - Parameter connection: what an unexpected error is explained by.
  init(_ error: SQLiteError, on path: String, _ connection: Connection? = nil) {
    let (kind, advice): (Kind, String) =
      switch error.kind {
      case .busy:
        (.busy, "another program holds the write lock; repeat the command when it has ended")
      case .full: (.cannotWrite, "the disk is full; make room and run again")
      case .readOnly, .permission: (.cannotWrite, "no permission to write it")
      case .cannotOpen: (.cannotRead, "check its permissions and those of its folder")
      case .inputOutput:
        (.cannotWrite, "the disk failed, or ulimit -f is too low; check both before the next run")
      case .damaged:
        (.damaged, "left as it is; a backup mends it: trawl restore FILE --replace")
      case .notADatabase: (.damaged, Self.notADatabase)
      case .interrupted: (.interrupted, "stopped by a signal; nothing was changed")
      case .memory: (.cannotWrite, "no memory left")
      case .limited: (.cannotWrite, "nothing was lost; run again with a higher limit")
      default:
        // If the file cannot be asked, the error is told alone.
        connection.flatMap { try? Self.refusal(error, $0) } ?? (.bug, "please report this")
      }
    self.init(kind, path, "\(error.description): \(advice)")
  }

  /// The file may hold what another program made, or lack what it dropped.
  private static func refusal(
    _ error: SQLiteError, _ connection: Connection
  ) throws(SQLiteError) -> (Kind, String)? {
    let found = try UserAdditions.refusing(error, connection).joined(separator: ", ")
    if !found.isEmpty {
      return (.foreign, "\(found): not Trawl's, and in its way; drop it, or rename a table")
    }
    let views = try ViewDesign.lost(connection) + ["trawl_trust"]
    let isLost = views.contains { error.description.contains("no such table: \($0),") }
    return isLost ? (.damaged, "the next run makes this view again") : nil
  }

  static let notADatabase =
    "it is not a SQLite database; left as it is. A backup mends it: trawl restore FILE --replace"
}
