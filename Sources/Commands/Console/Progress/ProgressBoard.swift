internal import Base

/// The progress of a run as a value: events in, lines out, without clock or output.
struct ProgressBoard: Sendable {
  enum Detail: Sendable {
    /// Warnings only.
    case quiet
    /// For logs: warnings, and waits long enough to cause wonder.
    case log
    case normal
    /// Also every page and wait.
    case verbose
  }

  /// A permanent line: in a log, or above the live block.
  struct Line: Sendable, Equatable {
    let text: ConsoleText
    let priority: Console.Priority
  }

  let detail: Detail
  /// Terminals show waits in the live block; logs need a line.
  let isLive: Bool
  /// With several jobs each line names its own.
  var isOfSeveral = false
  private(set) var units: [UnitProgress] = []
  private(set) var images: [ImageProgress] = []
  /// More units than a run reads at once; others are shown only at their end.
  private static let unitsMax = 1000
  let localTime: @Sendable (_ instant: Instant, _ now: Instant) -> String

  var isEmpty: Bool { units.isEmpty && images.isEmpty }

  /// Takes an event and returns permanent lines.
  mutating func receive(_ event: RunEvent, of job: String, at now: Instant) -> [Line] {
    switch event {
    case .runStarted(_, _, let note):
      return told(note.isEmpty ? "\(job, .bold)" : "\(job, .bold)   \(note)")
    case .unitStarted(let label):
      if index(label, job) == nil, units.count < Self.unitsMax {
        units.append(UnitProgress(job: job, label: label, at: now))
      }
      return []
    case .unitResumed(let label, let text):
      return told("  \(name(label.listName, job))   \(text)")
    case .pageStored(let label, let ordinal, let counts, let bytes):
      return store(label, job, ordinal, counts, bytes, now)
    case .totalKnown(let label, let records, let pages, let text):
      update(label, job) {
        $0.expectedRecords = records ?? $0.expectedRecords
        $0.expectedPages = pages ?? $0.expectedPages
      }
      return text.isEmpty ? [] : told("  \(name(label.listName, job))   \(text)")
    case .waiting(let label, let reason, let until):
      return wait(label, job, UnitProgress.Wait(reason: reason, until: until), now)
    case .waitEnded(let label):
      for index in units.indices where concerns(units[index], label, job) {
        units[index].goOn(at: now)
      }
      return []
    case .warning(let label, let text):
      let place = label.map { "\($0.listName): " } ?? ""
      return [Line(text: "\("warning:", .yellow) \(job): \(place)\(text)", priority: .warning)]
    case .unitConcluded(let facts):
      if let index = index(facts.label, job) { units.remove(at: index) }
      return conclude(facts, job, now)
    case .images(let tally):
      if !images.contains(where: { $0.job == job }) { images.append(ImageProgress(job: job)) }
      for index in images.indices where images[index].job == job {
        images[index].receive(tally, at: now)
      }
      return []
    case .runConcluded:
      // The command prints the report instead.
      units.removeAll { $0.job == job }
      images.removeAll { $0.job == job }
      return []
    }
  }

  private func told(_ text: ConsoleText) -> [Line] {
    isShort ? [] : [Line(text: text, priority: .info)]
  }

  private func name(_ list: String, _ job: String) -> String {
    isOfSeveral ? "\(job): \(list)" : list
  }

  private var isShort: Bool { detail == .quiet || detail == .log }

  /// Shorter waits are over before anybody sees them.
  static let waitToldInLog = Duration.seconds(5)

  private mutating func store(
    _ label: UnitLabel, _ job: String, _ ordinal: Int, _ counts: Counts, _ bytes: Int,
    _ now: Instant
  ) -> [Line] {
    update(label, job) { $0.store(ordinal: ordinal, counts: counts, bytes: bytes, at: now) }
    guard detail == .verbose else { return [] }
    let sums = "\(Wording.number(counts.received)) so far, \(Wording.number(counts.new)) new"
    let text: ConsoleText =
      "  \(name(label.listName, job))   page \(ordinal): \(sums), \(Wording.bytes(bytes))"
    return [Line(text: text, priority: .debug)]
  }

  private mutating func wait(
    _ label: UnitLabel?, _ job: String, _ wait: UnitProgress.Wait, _ now: Instant
  ) -> [Line] {
    for index in units.indices where concerns(units[index], label, job) {
      units[index].wait(wait)
    }
    if isLive, detail != .verbose { return [] }
    let isLong = wait.until - now >= Self.waitToldInLog
    if detail == .log, isLong {
      let text: ConsoleText = "\(job): \(label?.listName ?? "all lists"): \(words(for: wait, now))"
      return [Line(text: text, priority: .notice)]
    }
    return told("  \(label.map { name($0.listName, job) } ?? job)   \(words(for: wait, now))")
  }

  /// `waiting for quota search until 09:00 PDT (52 min)`.
  func words(for wait: UnitProgress.Wait, _ now: Instant, isInstantFirst: Bool = false) -> String {
    let left = wait.until - now
    let span = left > .zero ? " (\(Self.span(left)))" : ""
    let until = "until \(localTime(wait.until, now))\(span)"
    // Sentences come last.
    return isInstantFirst || wait.reason.hasSuffix(".")
      ? "waiting \(until) for \(wait.reason)" : "waiting for \(wait.reason) \(until)"
  }

  /// Rounded up to seconds.
  static func span(_ left: Duration) -> String {
    Wording.span(.seconds((left.milliseconds + 999) / 1000))
  }

  private func conclude(_ facts: UnitFacts, _ job: String, _ now: Instant) -> [Line] {
    let certificate = facts.certificate
    let isWorse = !facts.isAsDeclared && certificate.verdict != .paused
    if isShort, !isWorse { return [] }
    if isShort, !isLive {
      // Lines of a log must make sense alone.
      let line: ConsoleText =
        "\(job): \(facts.listName): \(certificate.claim): \(certificate.why)"
      return [Line(text: line, priority: .warning)]
    }
    let rows = DisplayWidth.fitted(Wording.number(facts.rows), to: 9, isRight: true)
    let verdict = DisplayWidth.fitted(certificate.verdict.rawValue, to: 10)
    let colour: ConsoleText.Style = facts.isAsDeclared ? .green : .yellow
    var text: ConsoleText =
      "  \(DisplayWidth.fitted(name(facts.listName, job), to: isOfSeveral ? 36 : 24))\(rows)   \(verdict, colour)   \(facts.why)"
    if certificate.verdict == .paused, let until = certificate.goesOnAt, until > now {
      text += "; resumes at \(localTime(until, now)) (in \(Self.span(until - now)))"
    }
    return [Line(text: text, priority: isWorse ? .warning : .notice)]
  }

  // MARK: Finding units

  private func index(_ label: UnitLabel, _ job: String) -> Int? {
    units.firstIndex { $0.job == job && $0.label.isSame(as: label) }
  }

  private func concerns(_ unit: UnitProgress, _ label: UnitLabel?, _ job: String) -> Bool {
    unit.job == job && (label.map(unit.label.isSame) ?? true)
  }

  private mutating func update(
    _ label: UnitLabel, _ job: String, _ change: (inout UnitProgress) -> Void
  ) {
    if let index = index(label, job) { change(&units[index]) }
  }
}

extension UnitFacts {
  var label: UnitLabel { UnitLabel(stream: stream, listName: listName) }
}

extension UnitLabel {
  /// Byte for byte: names that only look alike are different units.
  fileprivate func isSame(as other: UnitLabel) -> Bool {
    stream.utf8.elementsEqual(other.stream.utf8) && listName.utf8.elementsEqual(other.listName.utf8)
  }
}
