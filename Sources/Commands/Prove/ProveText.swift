internal import Base
internal import Store

/// The proof for people.
struct ProveText {
  let context: CommandContext

  func print(_ proof: Proof, at path: String) {
    let console = context.console
    console.print("\("database", .bold)  \(path)")
    for job in jobs(of: proof) {
      console.print("")
      console.print("\(job, .bold)")
      var rows = AlignedRows(rightAligned: [1, 3, 4])
      rows.add(
        ["list", "rows", "verdict", "keys", "pages", "as of", "proof"].map {
          ConsoleText($0, .dim)
        })
      for list in lists(of: job, proof) {
        rows.add(cells(list, verdict: proof.verdicts[list[0].listNumber]))
      }
      console.print(rows)
      for gone in proof.forgotten where gone.job == job {
        console.print(
          "\(gone.table): \(Wording.count(gone.records, "record")) forgotten\(gone.records == 1 ? "" : ", the last") at \(context.clock(gone.lastAt))"
        )
      }
    }
    console.print("")
    for finding in proof.findings { console.print(Self.text(finding)) }
    let more = proof.findingCount - proof.findings.count
    if more > 0 { console.print("… and \(Wording.number(more)) more") }
    console.print(summary(proof))
    if proof.findingCount > 0 {
      let jobs = jobs(of: proof)
      let job = jobs.count == 1 ? jobs[0] : "JOB"
      console.tell(
        "a backup mends it: trawl restore FILE --replace; or compare it with the API: trawl run \(job) --refill; or read all anew: trawl reset records \(job), then trawl run \(job)"
      )
    }
  }

  static func text(_ finding: ProofFinding) -> ConsoleText {
    var text: ConsoleText = "\(finding.table, .red)"
    if let key = finding.key { text += " \(key)" }
    text += ": \(finding.what)"
    return text
  }

  /// The line to put under a chart.
  static func line(_ citation: Citation, rows: Int, digest: String) -> ConsoleText {
    let asOf = citation.asOf.isEmpty ? "never" : citation.asOf
    var held = "\(Wording.count(rows, "row")), \(citation.claim)"
    if let walked = citation.walked, walked < rows {
      held =
        "\(Wording.count(rows, "row")) of several walks, the last of which brought "
        + "\(Wording.number(walked)) and is \(citation.claim)"
    }
    return
      "\(citation.listName) (\(citation.table)): \(held), as of \(asOf), \(Wording.count(citation.pages, "page")), from \(citation.origin), sha256 \(digest)"
  }

  /// Why a list with unmarked rows of earlier walks is not cited.
  static func withheld(_ citation: Citation) -> ConsoleText {
    var text: ConsoleText = "\(citation.listName) is not cited: "
    text += "\(Wording.count(citation.withheld, "row")) of earlier walks did not come, and are not "
    text += "marked as gone; if they are: trawl run \(citation.job) --accept-vanish "
    text += "\(citation.withheld)"
    return text
  }

  private func jobs(of proof: Proof) -> [String] { proof.certificates.map(\.job).eachOnce }

  /// The certificates of each list: the newest of each window, and the last complete one.
  private func lists(of job: String, _ proof: Proof) -> [[ProvedCertificate]] {
    var lists: [[ProvedCertificate]] = []
    for one in proof.certificates where one.job == job {
      if lists.last?.last?.listNumber == one.listNumber {
        lists[lists.count - 1].append(one)
      } else {
        lists.append([one])
      }
    }
    return lists
  }

  /// - Parameter verdict: the one that `trawl status` shows.
  private func cells(_ list: [ProvedCertificate], verdict: String?) -> [ConsoleText] {
    let newest = list.max { $0.issuedAt < $1.issuedAt } ?? list[0]
    let broken = list.filter { !$0.holds }.count
    let verdict = verdict ?? newest.verdict
    let shown = list.allSatisfy(\.windowFrom.isEmpty) ? [newest] : list
    return [
      ConsoleText(newest.listName), ConsoleText(Wording.number(newest.rows)),
      ConsoleText(verdict, StatusText.style(verdict)),
      ConsoleText(Wording.number(shown.reduce(0) { $0 + $1.keys })),
      ConsoleText(Wording.number(shown.reduce(0) { $0 + $1.pages })),
      ConsoleText(clock(newest.issuedAt)),
      broken == 0
        ? ConsoleText("holds", .green)
        : ConsoleText("\(broken) of \(list.count) \(Self.verb(broken)) not hold", .red),
    ]
  }

  private func clock(_ stored: String) -> String {
    Instant(rfc3339: stored).map { context.clock($0) } ?? stored
  }

  private static func verb(_ count: Int) -> String { count == 1 ? "does" : "do" }

  private func summary(_ proof: Proof) -> ConsoleText {
    let what = Self.extent(of: proof)
    if proof.holds {
      return "\(what): all as they were stored, and every claim holds; \(Self.derived(proof))"
    }
    return "\(what): \(Self.shortfall(of: proof))"
  }

  /// How the verdicts were checked.
  static func derived(_ proof: Proof) -> String {
    let derived = "\(Wording.count(proof.derivedCount, "verdict")) derived again"
    guard proof.recordedCount > 0 else { return derived }
    let reasons = Set(proof.certificates.compactMap(\.asRecorded)).sorted()
    return
      "\(derived), \(Wording.number(proof.recordedCount)) as recorded (\(reasons.joined(separator: "; ")))"
  }

  /// How many findings, and verdicts that do not hold.
  static func shortfall(of proof: Proof) -> String {
    let findings = Wording.count(proof.findingCount, "finding")
    let broken = proof.certificates.count { !$0.holds }
    if broken == 0 { return "\(findings), each verdict holds" }
    return "\(findings), \(broken) of "
      + "\(Wording.count(proof.certificates.count, "verdict")) \(verb(broken)) not hold"
  }

  /// What was read again.
  static func extent(of proof: Proof) -> String {
    var parts = [
      "\(Wording.count(proof.rows, "row")) of \(Wording.count(proof.tables.count, "table"))",
      // Includes looks, which are no pages of the list.
      Wording.count(proof.pages, "stored answer"),
      Wording.count(proof.certificates.count, "verdict"),
    ]
    if proof.intervals > 0 {
      parts.append(Wording.count(proof.intervals, "covered stretch", "covered stretches"))
    }
    return parts.joined(separator: ", ")
  }
}
