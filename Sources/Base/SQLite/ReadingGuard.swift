internal import CSQLite

/// Lets a connection run a user's statement only if it reads: it changes no row, file or setting, opens no other file
/// and loads no code. Or lets it do anything, but call only some functions: for expressions from a job file.
final class ReadingGuard {
  private let functions: Set<String>?
  /// The first refused action, in words.
  fileprivate(set) var refused: String?
  /// A transaction of ours begins or ends; a user's statement may not do so.
  var letsTransactions = false
  /// The tables and views that statements read, in lower case, also through views and subqueries.
  var tables: Set<String> = []

  /// Pragmas that only read; an argument is a name, not a value to set.
  static let tellingPragmas: Set<String> = [
    "application_id", "collation_list", "compile_options", "data_version", "database_list",
    "encoding",
    "foreign_key_check", "foreign_key_list", "freelist_count", "function_list", "index_info",
    "index_list", "index_xinfo", "integrity_check", "journal_mode", "module_list", "page_count",
    "page_size", "pragma_list", "quick_check", "schema_version", "table_info", "table_list",
    "table_xinfo", "user_version",
  ]
  /// Those of them that an argument would change.
  static let settingPragmas: Set<String> = [
    "application_id", "encoding", "journal_mode", "page_size", "schema_version", "user_version",
  ]

  init(functions: Set<String>? = nil) { self.functions = functions }

  func judge(_ action: Int32, _ first: String, _ second: String?) -> Int32 {
    if functions != nil, action != SQLITE_FUNCTION { return SQLITE_OK }
    switch action {
    case SQLITE_READ:
      tables.insert(first.lowercased())
      return SQLITE_OK
    case SQLITE_SELECT, SQLITE_RECURSIVE: return SQLITE_OK
    case SQLITE_TRANSACTION where letsTransactions: return SQLITE_OK
    // SQLite requests this when it connects a table-valued function. Statements cannot use it: they never write the
    // schema table.
    case SQLITE_UPDATE where first == "sqlite_master": return SQLITE_OK
    case SQLITE_FUNCTION where mayCall(second?.lowercased() ?? ""): return SQLITE_OK
    case SQLITE_PRAGMA
    where Self.tellingPragmas.contains(first.lowercased())
      && (second == nil || !Self.settingPragmas.contains(first.lowercased())):
      return SQLITE_OK
    default:
      refused = refused ?? Self.name(of: action, first, second)
      return SQLITE_DENY
    }
  }

  private func mayCall(_ function: String) -> Bool {
    functions?.contains(function) ?? (function != "load_extension")
  }

  private static func name(of action: Int32, _ first: String, _ second: String?) -> String {
    if first.hasPrefix("sqlite_") { return "a change of the schema" }
    return switch action {
    case SQLITE_INSERT: "INSERT INTO \(first)"
    case SQLITE_UPDATE: "UPDATE \(first)"
    case SQLITE_DELETE: "DELETE FROM \(first)"
    case SQLITE_ATTACH: "ATTACH"
    case SQLITE_DETACH: "DETACH"
    case SQLITE_PRAGMA: "PRAGMA \(first)"
    case SQLITE_FUNCTION: "\(second ?? first)()"
    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: first
    case SQLITE_ANALYZE: "ANALYZE"
    case SQLITE_REINDEX: "REINDEX"
    default: "a change of the schema"
    }
  }
}

func judgeReading(
  _ context: UnsafeMutableRawPointer?, _ action: Int32, _ first: UnsafePointer<CChar>?,
  _ second: UnsafePointer<CChar>?, _ database: UnsafePointer<CChar>?,
  _ trigger: UnsafePointer<CChar>?
) -> Int32 {
  guard let context else { return SQLITE_DENY }
  return Unmanaged<ReadingGuard>.fromOpaque(context).takeUnretainedValue()
    .judge(action, first.map { String(cString: $0) } ?? "", second.map { String(cString: $0) })
}
