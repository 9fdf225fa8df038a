internal import Glibc

/// The implementation of each command.
enum CommandTable {
  static func perform(_ context: CommandContext) async throws -> ExitStatus {
    do {
      return try await context.inFolder(for: FolderUse(context.invocation)) { context in
        try await command(KnownFiles(context: context).resolved())
      }
    } catch {
      let ending = ExitReport(error)
      // If that file cannot be written, the error that stopped the run is reported alone.
      if !context.invocation.has(.dryRun), let path = try? context.fileToWrite(.metricsFile) {
        try? MetricsText.note(ending?.status ?? .bug, in: path)  // as above
      }
      guard let ending else { throw error }
      throw ending
    }
  }

  private static func command(_ context: CommandContext) async throws -> ExitStatus {
    switch context.invocation.command {
    case .run: try await RunCommand(context: context).perform()
    case .backfill: try await BackfillCommand(context: context).perform()
    case .status: try await StatusCommand(context: context).perform()
    case .new: try await NewCommand(context: context).perform()
    case .check: try await CheckCommand(context: context).perform()
    case .attempt: try await TryCommand(context: context).perform()
    case .prove: try await ProveCommand(context: context).perform()
    case .report: try await ReportCommand(context: context).perform()
    case .sql: try await SQLCommand(context: context).perform()
    case .search: try await SearchCommand(context: context).perform()
    case .why: try await WhyCommand(context: context).perform()
    case .mcp: try await MCPCommand(context: context).perform()
    case .favorite: try await FavoriteCommand(context: context).perform()
    case .media: try await MediaCommand(context: context).perform()
    case .key: try await KeyCommand(context: context).perform()
    case .forget: try await ForgetCommand(context: context).perform()
    case .reset: try await ResetCommand(context: context).perform()
    case .backup: try await BackupCommand(context: context).perform()
    case .restore: try await RestoreCommand(context: context).perform()
    case .path: try path(context)
    case .help: try HelpCommand(console: context.console).perform(context.invocation.operands.first)
    case .version: Version.show(on: context.console)
    }
  }

  /// `trawl path`: the path of the database, for `sqlite3 "$(trawl path)"`.
  private static func path(_ context: CommandContext) throws -> ExitStatus {
    let path = "\(try context.locationForReading().folder)/trawl.db"
    if access(path, F_OK) != 0 {
      context.console.tell("there is no database there yet: trawl run JOB makes it")
    }
    context.console.printExact(Array(path.utf8))
    return .complete
  }
}
