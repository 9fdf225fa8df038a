internal import Base

/// Recognizes identical answers: an identical body yields the same page. Only the store knows
/// whether the rows still match.
struct KnownAnswers: Sendable {
  /// Covers everything except the answer that decides about the rows: the columns, the request.
  private let seed: UInt64
  /// Records depend on their position: the same answer elsewhere in the list is a different one.
  private let countsPlaces: Bool
  /// Whether pages of an earlier walk may be stored.
  let areStored: Bool
  /// The last answer was identical, so the next one probably is too.
  private let areExpected: Locked<Bool>

  /// Nil: the stream's rows depend on more than one answer.
  init?(_ unit: OpenUnit, areStored: Bool) {
    let plan = unit.plan
    guard let shape = plan.shape else { return nil }
    var digest = Digest64()
    digest.addField(shape)
    for part in [UInt64(bitPattern: unit.id), unit.prints.request, unit.prints.mapping] {
      withUnsafeBytes(of: part.littleEndian) { digest.add($0) }
    }
    // Besides the mapping's fingerprint, these decide about a page's rows and reports.
    for column in plan.stream.columns {
      digest.addField(column.name)
      digest.addField(column.matches ?? "")
    }
    digest.addField(plan.stream.newestFirst ?? "")
    for parameter in unit.parameters {
      digest.addField(parameter.name)
      digest.addField(parameter.value)
    }
    seed = digest.value
    countsPlaces = plan.countsPlaces
    self.areStored = areStored
    areExpected = Locked(areStored)
  }

  /// The fingerprint of request and answer; nil: the answer must be read.
  /// - Parameter before: how many records of the list come before the page.
  func print(of page: Page, at step: Step, before: Int) -> UInt64? {
    guard step.purpose == .page, let body = page.bodyDigest, page.damaged.isEmpty else {
      return nil
    }
    var digest = Digest64()
    digest.addField(step.target)
    for part in [seed, body, UInt64(countsPlaces ? before : 0)] {
      withUnsafeBytes(of: part.littleEndian) { digest.add($0) }
    }
    return digest.value
  }

  /// Whether the records of the next answer are probably not needed.
  var isNextExpected: Bool { areExpected.withLock { $0 } }

  func note(isKnown: Bool) { areExpected.withLock { $0 = isKnown } }
}
