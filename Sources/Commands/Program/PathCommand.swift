internal import Glibc

/// `trawl path`: where the database is, for `sqlite3 "$(trawl path)"`.
struct PathCommand: Sendable {
  let context: CommandContext

  func perform() throws -> ExitStatus {
    let location = try context.locationForReading()
    let path = "\(location.folder)/trawl.db"
    if access(path, F_OK) != 0 {
      context.console.tell("there is no database there yet: trawl run JOB makes it")
    }
    context.console.printExact(Array(path.utf8))
    return .complete
  }
}
