internal import Base
internal import Crawl

/// Requests what a run would request first: what was read of each stream, and what was not.
struct PageOneCheck: Sendable {
  let context: CommandContext
  /// The job as the user named it.
  let word: String
  let job: Job

  func findings() async -> [Finding] {
    do {
      let selection = try JobSelection(word, context)
      let asked = Wording.count(job.streams.count, "stream")
      context.console.tell(
        "\(job.name): requesting page 1 of its \(asked), one request each (more for several values or parents, a window, or a list of one page); --offline sends none"
      )
      let page = try await PageOne.look(selection, context, isCheck: true)
      page.tellCount(on: context.console)
      return findings(page)
    } catch {
      return [.problem("page 1", "\(error)", ExitReport(error)?.status ?? .unreachable)]
    }
  }

  private func findings(_ page: PageOne) -> [Finding] {
    var findings = page.looks.flatMap { look in
      let columns = page.facts.columns.filter { $0.stream == look.stream.name }
      let clash = look.clash.map { clash in
        Finding.problem(
          "page 1", "\(look.listName): \(clash)",
          cure: "name columns that identify a record under key: one that came would be lost")
      }
      return [finding(look, ending: page.status)] + (clash.map { [$0] } ?? [])
        + columns.map { .note("column", $0.sentence) }
        + unread(page.facts.units, besides: look)
        + (look.slips + (look.taken?.missing ?? [])).map {
          .note("page 1", "\(look.listName): \($0)")
        }
    }
    if ![.complete, .less, .paused, .failed].contains(page.status),
      !findings.contains(where: { $0.status == page.status })
    {
      findings.append(.problem("endpoint", page.facts.outcome.sentence, page.status))
    } else if let health = job.health {
      findings.insert(.fine("health", "\(job.address(of: health)) answers well"), at: 0)
    }
    if let answer = page.firstAnswer { findings.append(EndpointCheck.clock(answer)) }
    return findings
  }

  /// One stream: `followers of octocat: 30 records, HTTP 200 in 12 ms`.
  private func finding(_ look: Look, ending: ExitStatus) -> Finding {
    let subject = "page 1"
    let name = look.listName
    let why = look.note.map { ": \($0)" } ?? ""
    switch look.verdict {
    case .failed?, .absent?:
      let isKnown = [.secret, .unreachable, .configuration].contains(ending)
      return .problem(
        subject, "\(name) was not read\(answer(look))\(why)", isKnown ? ending : .found)
    case nil: return .note(subject, "\(name) \(look.note ?? Look.notRequested)")
    case .paused? where look.pages == 0:
      return .note(subject, "\(name) was not requested\(why)")
    default: break
    }
    let counts = look.counts
    if counts.received == 0 {
      return .note(
        subject, "\(name): no record\(answer(look))\(why)",
        cure:
          "an empty list, or values that name nothing"
          + "\(look.stream.window == nil ? "" : ", or a window that the API understands otherwise"): trawl try \(ShellWord.quoted(word)) shows what was asked"
      )
    }
    let records = Wording.count(counts.received, "record")
    guard counts.rejected > 0, let first = look.rejects.first else {
      let text = "\(name): \(records)\(answer(look))\(why)"
      return look.note == nil ? .fine(subject, text) : .note(subject, text)
    }
    let verb = counts.rejected == 1 ? "does" : "do"
    let misfit = "\(first.path): "
    let text =
      "\(name): \(Wording.number(counts.rejected)) of \(records) \(verb) not fit: "
      + (first.reason.hasPrefix(misfit) ? "" : misfit) + first.reason
    let cure = "trawl try \(ShellWord.quoted(word)) shows them"
    return counts.rejected == counts.received
      ? .problem(subject, text, cure: cure) : .note(subject, text, cure: cure)
  }

  /// Failed lists of a stream that was requested for several of its values.
  private func unread(_ units: [UnitFacts], besides look: Look) -> [Finding] {
    units.filter { $0.stream.utf8.elementsEqual(look.stream.name.utf8) }
      .filter { $0.listName != look.listName }
      .filter { [.failed, .absent].contains($0.certificate.verdict) }
      .map { .note("page 1", "\($0.listName) was not read: \($0.certificate.why)") }
  }

  private func answer(_ look: Look) -> String {
    look.status.map { " (HTTP \($0), \(Wording.bytes(look.bytes)))" } ?? ""
  }
}
