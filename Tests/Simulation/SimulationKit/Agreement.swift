internal import Base
internal import Crawl
internal import Store

/// All commands must agree about a folder: the next run requests what `--dry-run` plans, and `status`, `prove` and
/// `prove --cite` say of each list what its certificates say. Each is called as by its command, on a read-only store.
struct Agreement {
  let folder: DataFolder
  let time: Timekeeper

  func reading<T: Sendable>(
    _ body: (RecordStore) async throws -> T
  ) async throws -> T {
    let store = try await RecordStore.openForReading(folder, RecordStore.Settings(time: time))
    do {
      let value = try await body(store)
      await store.close()
      return value
    } catch {
      await store.close()
      throw error
    }
  }

  /// The plan of `--dry-run`.
  func plan(_ job: Job, _ options: CrawlOptions) async throws -> Plan {
    guard folder.hasDatabase else {
      return try await Plan(job: job, options: options, store: nil, time: time)
    }
    return try await reading {
      try await Plan(job: job, options: options, store: $0, time: time)
    }
  }

  /// Whether a request asks about a single record: `/v1/things/k12`.
  private static func isQuestion(_ target: String) -> Bool {
    target.split(separator: "/").last?.first == "k"
  }

  /// If a run makes requests, it begins with the plan's first one; if nothing fails, it makes the first request of each
  /// planned list in order, and as many in all as the plan promises exactly.
  /// - Parameters:
  ///   - asked: the run's requests, with the windows that they name.
  ///   - isSmooth: no request failed, and the run finished.
  static func problems(
    between plan: Plan, and asked: [String], isSmooth: Bool
  ) -> [String] {
    let firsts = plan.lists.compactMap { $0.first?.target }
    var problems: [String] = []
    // Single records are only requested after a list was read.
    if let first = asked.first(where: { !isQuestion($0) }) {
      if let planned = firsts.first {
        if first != planned {
          problems.append("the plan begins with \(planned), the run with \(first)")
        }
      } else if !plan.parts.contains(where: \.isOpen) {
        // The parents of an open part are not known yet.
        problems.append("the plan asks nothing, and the run asked \(first)")
      }
    }
    guard isSmooth else { return problems }
    // In the plan's order, with any pages in between.
    var rest = asked[...]
    for planned in firsts {
      guard let at = rest.firstIndex(of: planned) else {
        problems.append("the plan asks \(planned), and the run did not, or not in this order")
        continue
      }
      rest = rest[at...]
    }
    let isExact = plan.parts.allSatisfy { !$0.isOpen } && plan.lists.allSatisfy(\.isExact)
    let count = plan.lists.reduce(0) { $0 + ($1.requests ?? 0) }
    if isExact, count != asked.count {
      problems.append("the plan says exactly \(count) requests, the run made \(asked.count)")
    }
    return problems
  }

  /// Whether a run finished without a failure, a pause or a limit.
  static func isSmooth(_ facts: RunFacts) -> Bool {
    facts.outcome.kinds.isSubset(of: [.asDeclared, .lessThanDeclared])
  }

  /// Compares what the reading commands say of each list with its last certificate.
  func problems() async throws -> [String] {
    let certificates = try lastCertificates()
    return try await reading { store in
      var problems: [String] = []
      let lists = try await store.overview().flatMap(\.lists)
      let trust = try await store.trustedLists()
      let proof = try await store.prove()
      let citations = try await store.citations()
      let trusted = Dictionary(trust.map { ($0.number, $0) }) { one, _ in one }
      if Set(lists.map(\.number)) != Set(trusted.keys) || trust.count != lists.count {
        problems.append("status and trawl_trust do not speak of the same lists")
      }
      for list in lists {
        guard let row = trusted[list.number] else { continue }
        if (list.verdict, list.why, list.rows) != (row.verdict, row.why, row.rows)
          || list.asOf != row.asOf.flatMap({ Instant(rfc3339: $0) })
        {
          problems.append("status says \(list), trawl_trust \(row)")
        }
        let cited = citations.first { $0.listNumbers.contains(list.number) }
        if cited == nil || (cited?.listNumbers.count == 1 && cited?.verdict != list.verdict) {
          problems.append(
            "prove --cite says \(cited?.verdict ?? "nothing") of \(list.listName), status "
              + list.verdict)
        }
        let proved = proof.certificates.filter { $0.listNumber == list.number }
        if let cited, proof.supports(cited) != (proof.holds || proved.allSatisfy(\.holds)) {
          problems.append("prove --cite quotes \(list.listName) against what prove says")
        }
      }
      for list in lists {
        guard let last = certificates[list.number] else { continue }
        if list.verdict != last.verdict || list.why != last.why {
          problems.append(
            "status says \(list.verdict) (\(list.why)) of \(list.listName), its certificate "
              + "\(last.verdict) (\(last.why))")
        }
        let proved = proof.certificates.filter { $0.listNumber == list.number }
        if proved.isEmpty || !proved.contains(where: { $0.verdict == last.verdict }) {
          problems.append("prove does not say \(last.verdict) of \(list.listName)")
        }
      }
      return problems
    }
  }

  /// The last certificates of lists with a single window, by the list's number.
  private func lastCertificates() throws -> [Int64: (verdict: String, why: String)] {
    let connection = try Connection(folder.databasePath, .readOnly)
    defer { connection.close() }
    let rows = try connection.rows(
      "SELECT u.list_number, CASE c.standing WHEN 'other request' THEN 'void' ELSE c.verdict END, c.why "
        + "FROM trawl_certificates c JOIN trawl_windows u USING (window) WHERE c.certificate = "
        + "(SELECT max(certificate) FROM trawl_certificates x WHERE x.window = u.window) "
        + "AND (SELECT count(*) FROM trawl_windows o WHERE o.list_number = u.list_number) = 1"
    ) { ($0.integer(0), (verdict: $0.text(1) ?? "", why: $0.text(2) ?? "")) }
    return Dictionary(rows) { one, _ in one }
  }
}
