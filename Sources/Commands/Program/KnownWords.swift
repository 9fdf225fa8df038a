internal import Base
internal import Jobs

/// What a shell may complete: job names, and what a job has.
struct KnownWords {
  let environment: Environment

  func words(of kind: CompletionWords.Kind, job name: String?) -> [String] {
    let library = environment.library
    switch kind {
    case .jobs:
      // Also those that have run there, and whose files are found by no name.
      let ran = shelf?.jobs.sorted() ?? []
      return library.names + ran.filter { !library.names.contains($0) }
    case .runs: return shelf?.words ?? []
    case .streams, .params, .tables: break
    }
    let names = name.flatMap { $0.isEmpty ? nil : [$0] } ?? (kind == .tables ? library.names : [])
    // A job that cannot be read completes to nothing; running it says why.
    let jobs = names.compactMap { try? library.job($0) }
    switch kind {
    case .jobs, .runs: return []
    case .streams: return jobs.flatMap { $0.streams.map(\.name) }
    case .params: return jobs.flatMap { $0.parameters.map { "\($0.name)=" } }
    case .tables:
      var tables: [String] = []
      for job in jobs {
        for stream in job.streams {
          let table = "\(job.tablePrefix)_\(stream.table)"
          if !tables.contains(table) { tables.append(table) }
        }
      }
      return tables
    }
  }

  /// Of the folder that is used without `--data`: jobs with a report, and their last runs.
  private var shelf: ReportShelf? {
    // Without a HOME there is no such folder.
    guard let location = try? DataLocation.forReading(data: nil, ledger: nil, environment) else {
      return nil
    }
    return ReportShelf(folder: "\(location.folder)/reports")
  }
}
