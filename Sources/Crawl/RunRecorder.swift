internal import Base
internal import Store
internal import Synchronization

/// Gathers the facts of a run while it goes on, from whichever task they come.
final class RunRecorder: Sendable {
  private let facts: Locked<RunFacts>
  private let hasAnswer = Atomic(false)
  private let pages = Atomic(0)
  /// Requests that were answered after they had failed.
  private let recoveries = Atomic(0)
  /// Sentences that came when the story was full.
  private let untold = Atomic(0)
  /// Warnings that came when the report's list of them was full.
  private let unlisted = Atomic(0)
  /// Streams whose records were looked at for members that no column takes.
  private let looked = Locked(Set<String>())
  /// Streams of which a list was read in this run.
  private let read = Locked(Set<String>())
  private let tell: @Sendable (RunEvent) -> Void
  static let storyMax = 5_000
  static let warningsMax = 500

  init(_ facts: RunFacts, tell: @escaping @Sendable (RunEvent) -> Void) {
    self.facts = Locked(facts)
    self.tell = tell
  }

  /// The facts so far; a story that was cut says so in its last sentence.
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
        "\(others) more warnings were left out, since a report keeps \(Self.warningsMax)")
    }
    return copy
  }

  func change(_ body: @Sendable (inout RunFacts) -> Void) { facts.withLock { body(&$0) } }

  func event(_ event: RunEvent) { tell(event) }

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
    if isNews { tell(.warning(label, text: text)) }
  }

  /// Nothing of a stream was read, and why.
  func rests(_ sentence: String) {
    facts.withLock { $0.resting.append(sentence) }
    story(sentence + ".")
  }

  /// Whether some list of a stream has come to an end.
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

  /// A page is committed. Of one that is only compared, what is new or changed counts, too.
  @discardableResult
  func stored(_ receipt: PageReceipt) -> Counts {
    pages.add(1, ordering: .relaxed)
    let page = receipt.summary
    let counts = page.purpose.isCounted ? page.counts : page.counts.written
    facts.withLock { $0.stored += counts }
    found(receipt.images)
    return counts
  }

  /// Images by the first two tiers; the third is counted where it is asked.
  private func found(_ images: ImageWants) {
    guard images.wanted > 0 else { return }
    facts.withLock {
      $0.images.wanted += images.wanted
      $0.images.fromMemory += images.memory
      $0.images.fromDisk += images.disk
    }
  }

  func retried(_ cause: Cause) { facts.withLock { $0.requests.retries[cause, default: 0] += 1 } }

  /// Pacing may wait before every page of a long walk: beyond the most that are reported one by
  /// one, the last of them grows. What several lists wait for together is one wait.
  /// - Returns: whether it is another wait than the one before it.
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

  /// Some answer has come in this run, whatever its status.
  var hasAnswered: Bool { hasAnswer.load(ordering: .relaxed) }

  /// Pages that were read so far, of all lists.
  var pagesStored: Int { pages.load(ordering: .relaxed) }

  func noteRecovery() { recoveries.add(1, ordering: .relaxed) }

  /// Failures that pass by themselves are few in this run: then one that stays is not bad luck.
  var isSound: Bool { recoveries.load(ordering: .relaxed) * 10 <= pagesStored }

  /// How long a request took so far, on the average.
  var meanRequest: Duration {
    facts.withLock { facts in
      let marks = facts.requests.timeline
      guard !marks.isEmpty else { return .zero }
      return marks.reduce(.zero) { $0 + $1.duration } / marks.count
    }
  }
}

extension WaitFacts {
  /// Takes in another wait for the same that began before this one ended; false: it is not of the same.
  fileprivate mutating func grow(with other: WaitFacts) -> Bool {
    let (end, otherEnd) = (startedAt + duration, other.startedAt + other.duration)
    guard reason == other.reason, other.startedAt < end, startedAt < otherEnd else { return false }
    startedAt = min(startedAt, other.startedAt)
    duration = max(end, otherEnd) - startedAt
    return true
  }
}
