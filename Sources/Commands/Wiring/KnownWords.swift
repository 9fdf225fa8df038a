internal import Jobs
internal import Model

/// What a shell may complete: job names, and what a job has.
struct KnownWords {
  let surroundings: Surroundings

  init(_ surroundings: Surroundings) { self.surroundings = surroundings }

  func words(of kind: CompletionWords.Kind, job name: String?) -> [String] {
    let library = JobLibrary(environment: { surroundings($0) })
    if kind == .jobs { return library.names }
    // A job that cannot be read completes to nothing; running it says why.
    guard let name, let job = try? library.job(name) else { return [] }
    switch kind {
    case .jobs, .runs: return []
    case .streams: return job.streams.map(\.name)
    case .params: return job.parameters.map { "\($0.name)=" }
    case .tables:
      var tables: [String] = []
      for stream in job.streams {
        let table = "\(job.tablePrefix)_\(stream.table)"
        if !tables.contains(table) { tables.append(table) }
      }
      return tables
    }
  }
}
