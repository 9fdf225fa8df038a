import Base
import TestSupport
import Testing

/// Walks of the matrix, checked by a program that shares no code with the walker: it must accept their claims, but no
/// proof that they lack, and nothing from those that really miss a record.
@Suite("What the stored answers of a walk do not show, a second reader does not believe")
struct CheckedWalkTests {
  /// A claim about a walk, and whether it follows.
  private struct Asked {
    var claim: EvidenceFile.Claim
    var follows: Bool?
    var story: String
  }

  private struct Sample {
    var asked: [Int: Asked] = [:]
    var labelled = 0
    var walks = 0
    var written = 0
  }

  @Test(
    "one change under a walk, or one under each of two",
    arguments: MovingList.Style.allCases.filter {
      $0.rawValue.hasPrefix(ProofMatrixTests.only)
    })
  func walks(style: MovingList.Style) async throws {
    var sum = Sample()
    var (claims, shown) = (0, 0)
    // A file for each: all findings at once may be too long to read.
    for counted in MovingList.Count.all(for: style) {
      let (sample, wrong) = try await Self.checked(style, counted)
      for story in wrong {
        shown += 1
        if shown <= 10 { Issue.record("\(story)") }
      }
      claims += sample.asked.count
      sum.labelled += sample.labelled
      sum.walks += sample.walks
      sum.written += sample.written
    }
    print(
      "\(style.rawValue): \(sum.written) of \(sum.walks) walks, \(sum.labelled) of them lack a record, "
        + "\(claims) claims, \(shown) wrong")
    #expect(claims > (Torture.isWhole ? 300 : 200))
    // With an order, tokens of keys, or overlapping pages, one change seldom loses a record.
    let list = MovingList(style, .none, count: 0, size: 1)
    #expect(
      sum.labelled > 0 || list.order != nil
        || [.numberVaried, .numberFixed, .keyset].contains(style))
  }

  /// Also the claims that were believed and do not follow, or follow and were not.
  private static func checked(
    _ style: MovingList.Style, _ counted: MovingList.Count
  ) async throws -> (Sample, wrong: [String]) {
    let scratch = ScratchFolder(isInMemory: true)
    let file = try EvidenceFile(in: scratch)
    var sample = Sample()
    try add(style, counted, to: file, &sample)
    try file.close()
    let findings = try #require(
      try await IndependentChecker.findings(in: [file.path])[file.path])
    var found: [Int: [String]] = [:]
    for finding in findings {
      // The rows of this file have no seals.
      guard let certificate = finding.certificate else { continue }
      found[certificate, default: []].append(finding.what)
    }
    let rows = findings.filter { $0.certificate == nil }.map(\.what)
    #expect(rows.count == 1, "\(rows.prefix(5))")
    let wrong: [String] = sample.asked.sorted { $0.key < $1.key }.compactMap { number, asked in
      guard let follows = asked.follows, follows == (found[number] != nil) else { return nil }
      return
        "\(asked.claim.verdict) \(asked.claim.proofs), \(asked.claim.rule): \(asked.story): \(found[number] ?? ["believed"])"
    }
    return (sample, wrong)
  }

  private static func add(
    _ style: MovingList.Style, _ counted: MovingList.Count, to file: EvidenceFile,
    _ sample: inout Sample
  ) throws {
    var scripts = 0
    for size in MovingList.sizes(of: style, isWhole: Torture.isWhole) {
      for count in 0...size + (Torture.isWhole ? 3 : 2) {
        let list = MovingList(style, counted, count: count, size: size)
        let calm = try MatrixWalk.outcome(of: list, memory: WalkMemory(hasSeenMore: true))
        try add([calm], to: file, &sample)
        try add([calm, try MatrixWalk.outcome(after: calm)], to: file, &sample)
        for change in list.changes {
          for before in 2...calm.requests + 1 {
            scripts += 1
            // A factor spreads them, since the loops have their own lengths.
            guard Torture.isWhole || (scripts &* 40_503) >> 4 % 11 == 0 else { continue }
            let script = MatrixWalk.Script(changes: [(before, change)])
            let moved = try MatrixWalk.outcome(
              of: list, memory: WalkMemory(hasSeenMore: true), script)
            try add([moved], to: file, &sample)
            try add([calm, try MatrixWalk.outcome(after: calm, script)], to: file, &sample)
            try add([moved, try MatrixWalk.outcome(after: moved, script)], to: file, &sample)
            if before <= calm.requests {
              let pause = MatrixWalk.Script(
                changes: [(before, change)], pause: (before - 1, WalkBreak(pausedFor: .seconds(60)))
              )
              let paused = try MatrixWalk.outcome(
                of: list, memory: WalkMemory(hasSeenMore: true), pause)
              try add([paused], to: file, &sample)
            }
          }
        }
      }
    }
  }

  private static func add(
    _ nights: [MatrixWalk.Outcome], to file: EvidenceFile, _ sample: inout Sample
  ) throws {
    guard let night = nights.last else { return }
    // All walks that miss a record, and a sample of the others.
    sample.walks += 1
    guard Torture.isWhole || !night.missing.isEmpty || sample.walks % 12 == 0 else { return }
    sample.written += 1
    let own = night.certificate
    var asked = [
      Asked(
        claim: EvidenceFile.Claim(own), follows: own.verdict == .complete ? !night.isFalse : true,
        story: "")
    ]
    for proof in ProofKind.allCases {
      let lacks = !(proof == .twice ? night.missingSince : night.missing).isEmpty
      // Two equal walks may exist beside a stronger proof, which is then the only one named.
      let isHidden = proof == .twice && !own.proofs.isEmpty && !own.proofs.contains(.twice)
      asked.append(
        Asked(
          claim: EvidenceFile.Claim(proof, by: proof == .joined ? .lastCompleteRange : own.rule),
          follows: lacks ? false : isHidden ? nil : own.proofs.contains(proof), story: ""))
      guard lacks else { continue }
      for (index, rule) in StopRule.allCases.enumerated()
      where rule != own.rule && (Torture.isWhole || (index + sample.written) % 4 == 0) {
        asked.append(Asked(claim: EvidenceFile.Claim(proof, by: rule), follows: false, story: ""))
      }
    }
    if !night.missing.isEmpty { sample.labelled += 1 }
    let list = night.list
    for index in asked.indices {
      asked[index].story =
        "\(list.style) \(list.counted), by \(list.size), night \(nights.count), \(night.run.told), "
        + "\(own.claim) \(own.proofs), missing \(night.missing.sorted())"
    }
    for (number, one) in zip(try file.add(nights, claiming: asked.map(\.claim)), asked) {
      sample.asked[number] = one
    }
  }
}
