internal import Base

/// Recognizes identical answers: an identical body yields the same page.
/// Whether the rows still do, only the store knows.
struct KnownAnswers: Sendable {
  /// Over all but the answer that decides on the rows: the columns, the request.
  private let seed: UInt64
  /// Records say where they stand: the same answer elsewhere in the list is another one.
  private let countsPlaces: Bool
  /// Pages of an earlier walk may be stored.
  let areStored: Bool
  /// The answer before was one of them: so is the next one, as a rule.
  private let areExpected: Locked<Bool>

  /// Nil: the rows of the stream hang on more than one answer.
  init?(_ unit: OpenUnit, areStored: Bool) {
    let plan = unit.plan
    guard let shape = plan.shape else { return nil }
    var digest = Digest64()
    digest.addField(shape)
    for part in [UInt64(bitPattern: unit.id), unit.prints.request, unit.prints.mapping] {
      withUnsafeBytes(of: part.littleEndian) { digest.add($0) }
    }
    // What decides on rows and on what is told of a page, and is no part of the mapping's print.
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

  /// Of what was requested and what came; nil: it must be read.
  /// - Parameter before: how many records stand before the page.
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

  /// Whether the records of the next answer are hardly needed.
  var isNextExpected: Bool { areExpected.withLock { $0 } }

  func note(isKnown: Bool) { areExpected.withLock { $0 = isKnown } }
}
