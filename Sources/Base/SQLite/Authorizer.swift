internal import CSQLite

/// Lets a statement compile only if it calls none but the named functions. For expressions from a job file.
final class Authorizer {
  let functions: Set<String>
  /// The first refused function.
  var refused: String?

  init(functions: Set<String>) { self.functions = functions }
}

func authorize(
  _ context: UnsafeMutableRawPointer?, _ action: Int32, _ first: UnsafePointer<CChar>?,
  _ second: UnsafePointer<CChar>?, _ database: UnsafePointer<CChar>?,
  _ trigger: UnsafePointer<CChar>?
) -> Int32 {
  guard let context else { return SQLITE_DENY }
  guard action == SQLITE_FUNCTION else { return SQLITE_OK }
  let authorizer = Unmanaged<Authorizer>.fromOpaque(context).takeUnretainedValue()
  let name = second.map { String(cString: $0) } ?? ""
  if authorizer.functions.contains(name.lowercased()) { return SQLITE_OK }
  authorizer.refused = authorizer.refused ?? name
  return SQLITE_DENY
}
