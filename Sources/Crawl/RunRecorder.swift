internal import Base
internal import Store
internal import Synchronization

/// Collects the facts of a run as it proceeds, from any task.
final class RunRecorder: Sendable {
  private let facts: Locked<RunFacts>
  private let hasAnswer = Atomic(false)
  private let pages = Atomic(0)
  /// Requests that succeeded after failing.
  private let recoveries = Atomic(0)
  /// Sentences that came after the story was full.
  private let untold = Atomic(0)
  /// Warnings that came after the report's list was full.
  private let unlisted = Atomic(0)
  /// Streams already checked for members without a column.
  private let looked = Locked(Set<String>())
  /// Streams with a list read in this run.
  private let read = Locked(Set<String>())
  let event: @Sendable (RunEvent) -> Void
  static let storyMax = 5_000
  static let warningsMax = 500

  init(_ facts: RunFacts, tell: @escaping @Sendable (RunEvent) -> Void) {
    self.facts = Locked(facts)
    event = tell
  }

  /// The facts so far; a truncated story says so in its last sentence.
  func snapshot() -> RunFacts {
    var copy = facts.withLock { $0 }
    let rest = untold.load(ordering: .relaxed)
    if rest > 0 {
      copy.story.append(
        "The story ends here, not the run: \(rest) more sentences were left out, since a report "
          + "keeps \(Self.storyMax).")
    }
    let others = unlisted.load(ordering: .relaxed)
    if others > 0 {
      copy.warnings.append(
        "\(Wording.count(others, "more warning was", "more warnings were")) left out, since a report "
          + "keeps \(Self.warningsMax)")
    }
    return copy
  }

  func change(_ body: @Sendable (inout RunFacts) -> Void) { facts.withLock { body(&$0) } }

  /// A decision in one sentence, for `--explain`.
  func story(_ sentence: String) {
    facts.withLock { facts in
      if facts.story.count < Self.storyMax {
        facts.story.append(sentence)
      } else {
        untold.add(1, ordering: .relaxed)
      }
    }
  }

  func warn(_ text: String, about label: UnitLabel? = nil) {
    let line = label.map { "\($0.listName): \(text)" } ?? text
    let isNews = facts.withLock { facts in
      if facts.warnings.contains(line) { return false }
      if facts.warnings.count < Self.warningsMax {
        facts.warnings.append(line)
      } else {
        unlisted.add(1, ordering: .relaxed)
      }
      return true
    }
    if isNews { event(.warning(label, text: text)) }
  }

  /// Nothing of a stream was read, and why.
  func rests(_ sentence: String) {
    facts.withLock { $0.resting.append(sentence) }
    story(sentence + ".")
  }

  /// Whether a list of the stream has ended.
  func hasList(of stream: String) -> Bool {
    facts.withLock { $0.units.contains { $0.stream == stream } }
  }

  func ended(_ unit: UnitFacts) {
    facts.withLock { $0.units.append(unit) }
    if unit.counts != Counts() { read.withLock { _ = $0.insert(unit.stream) } }
  }

  func hasRead(_ stream: String) -> Bool { read.withLock { $0.contains(stream) } }

  /// True once for each stream.
  func isFirstLook(at stream: String) -> Bool { looked.withLock { $0.insert(stream).inserted } }

  func sent(_ mark: RequestMark, bytes: Int) {
    if mark.status > 0 { hasAnswer.store(true, ordering: .relaxed) }
    facts.withLock { facts in
      facts.requests.sent += 1
      facts.requests.bytes += bytes
      if mark.status == 304 { facts.requests.notModified += 1 }
      if facts.requests.timeline.count < RequestFacts.timelineMax {
        facts.requests.timeline.append(mark)
      }
    }
  }

  /// A page was committed. Of one read only to compare, new and changed records count too.
  @discardableResult
  func stored(_ receipt: PageReceipt) -> Counts {
    pages.add(1, ordering: .relaxed)
    let page = receipt.summary
    let counts = page.purpose.isCounted ? page.counts : page.counts.written
    facts.withLock { facts in
      facts.stored += counts
      // Downloads are counted elsewhere.
      facts.images.wanted += receipt.images.wanted
      facts.images.fromMemory += receipt.images.memory
      facts.images.fromDisk += receipt.images.disk
    }
    return counts
  }

  func retried(_ cause: Cause) { facts.withLock { $0.requests.retries[cause, default: 0] += 1 } }

  /// Records a wait. Pacing may wait before every page: beyond the most that are listed, the last wait grows. A wait of
  /// several lists is one wait.
  /// - Returns: whether it differs from the wait before.
  func waited(_ wait: WaitFacts) -> Bool {
    facts.withLock { facts in
      let last = facts.requests.waits.count - 1
      if last >= 0, facts.requests.waits[last].grow(with: wait) { return false }
      if last + 1 < RequestFacts.waitsMax {
        facts.requests.waits.append(wait)
      } else {
        facts.requests.waits[last].duration += wait.duration
      }
      return true
    }
  }

  /// Some answer came in this run, whatever its status.
  var hasAnswered: Bool { hasAnswer.load(ordering: .relaxed) }

  /// Pages read so far, over all lists.
  var pagesStored: Int { pages.load(ordering: .relaxed) }

  func noteRecovery() { recoveries.add(1, ordering: .relaxed) }

  /// Few failures pass by themselves in this run, so one that stays is not bad luck.
  var isSound: Bool { recoveries.load(ordering: .relaxed) * 10 <= pagesStored }

  /// The mean time of a request so far.
  var meanRequest: Duration {
    facts.withLock { facts in
      let marks = facts.requests.timeline
      guard !marks.isEmpty else { return .zero }
      return marks.reduce(.zero) { $0 + $1.duration } / marks.count
    }
  }
}

extension WaitFacts {
  /// Merges another wait for the same reason that overlaps this one; false: it does not.
  fileprivate mutating func grow(with other: WaitFacts) -> Bool {
    let (end, otherEnd) = (startedAt + duration, other.startedAt + other.duration)
    guard reason == other.reason, other.startedAt < end, startedAt < otherEnd else { return false }
    startedAt = min(startedAt, other.startedAt)
    duration = max(end, otherEnd) - startedAt
    return true
  }
}
