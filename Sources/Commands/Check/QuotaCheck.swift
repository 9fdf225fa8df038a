internal import Base
internal import Crawl
internal import Jobs

/// Quotas of other jobs on the same host with the name of one of this job's but other numbers.
struct QuotaCheck: Sendable {
  let context: CommandContext
  let job: Job

  func findings() async -> [Finding] {
    let others = await declared() + counted()
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

  /// From job files found by name.
  private func declared() -> [Other] {
    let library = context.environment.library
    return library.names.filter { $0 != job.name }.flatMap { name -> [Other] in
      // `trawl check` names unreadable files.
      guard let other = try? library.job(name), other.base.origin == job.base.origin else {
        return []
      }
      return other.quotas.map {
        Other(job: name, name: $0.name, allow: $0.allow, length: $0.window.length)
      }
    }
  }

  /// From the ledger: jobs whose files may be anywhere.
  private func counted() async -> [Other] {
    guard let file = try? context.locationForReading().ledger,  // no folder: nothing is counted
      // `trawl check` names an unreadable ledger.
      let known = try? await LedgerReading.quotas(
        of: job.base.origin.description, file: file, now: context.time.now())
    else { return [] }
    return known.flatMap { quota in
      quota.users.filter { $0.job != job.name }.map {
        Other(job: $0.job, name: quota.key.name, allow: quota.allowed, length: quota.key.length)
      }
    }
  }

  private static func words(_ allow: Int, _ length: Duration) -> String {
    "\(Wording.number(allow)) \(Wording.rate(length))"
  }
}
