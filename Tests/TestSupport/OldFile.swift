/// A database that an earlier version of the program wrote, as it is kept beside the tests.
public enum OldFile {
  /// Puts `OldFiles/<name>.db.gz`, which lies beside the test's own file, at a path.
  public static func unpack(_ name: String, to path: String, beside test: String) async throws {
    let folder = test.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    let ended = await BinaryRun.run(
      "/bin/sh", ["-c", "gzip -dc \"$1\" > \"$2\"", "sh", "\(folder)/OldFiles/\(name).db.gz", path])
    guard ended.status == 0 else { throw Failure(errors: ended.errors) }
  }

  struct Failure: Error { var errors: String }
}
