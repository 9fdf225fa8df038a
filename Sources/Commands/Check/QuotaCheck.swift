internal import Base
internal import Jobs

/// Quotas with the name of one of this job's but other numbers, of jobs on the same host that are found by name or ran
/// in this folder.
struct QuotaCheck: Sendable {
  let context: CommandContext
  let job: Job

  func findings() async -> [Finding] {
    let others = await others()
    return job.quotas.flatMap { quota -> [Finding] in
      var named: Set<String> = []
      return others.filter { other in
        other.name == quota.name && !other.isSame(as: quota) && named.insert(other.job).inserted
      }.map { other in
        let isOne = other.length == quota.window.length
        let apart = isOne ? "together, each by its own number" : "apart"
        return .note(
          "quota",
          "\(quota.name) is \(Self.words(quota.allow, quota.window.length)) here and "
            + "\(Self.words(other.allow, other.length)) in \(other.job): they are counted \(apart)",
          cure: "give the same numbers to what is one quota, and other names to what is not")
      }
    }
  }

  private struct Other {
    var job: String
    var name: String
    var allow: Int
    var length: Duration

    func isSame(as quota: Quota) -> Bool {
      length == quota.window.length
        && (allow == quota.allow || allow == quota.allowWithoutKey ?? quota.allow)
    }
  }

  /// From job files found by name, and those of jobs that ran here: the ledger has only the numbers of the last run.
  private func others() async -> [Other] {
    let library = context.environment.library
    // `trawl check` names unreadable files, and an unreadable database.
    var jobs = library.names.compactMap { try? library.job($0) }
    jobs += (try? await ran()) ?? []  // as above
    jobs.removeAll { $0.name == job.name || $0.base.origin != job.base.origin }
    return jobs.flatMap { other in
      other.quotas.map {
        Other(job: other.name, name: $0.name, allow: $0.allow, length: $0.window.length)
      }
    }
  }

  private func ran() async throws -> [Job] {
    guard let store = try await context.storeForReading(context.locationForReading()) else {
      return []
    }
    return try await context.use(store) {
      try await KnownFiles.jobs(of: store, context.environment)
    }
  }

  private static func words(_ allow: Int, _ length: Duration) -> String {
    "\(Wording.number(allow)) \(Wording.rate(length))"
  }
}
