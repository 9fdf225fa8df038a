internal import Base

/// What a stored report keeps of a run's facts, so that it has some 200 KB at most whatever the number of lists: lists
/// that need a look are named first, the others only counted.
enum ReportCut {
  private static let listsMax = 100
  private static let listBytesMax = 90_000
  private static let coverageMax = 50
  private static let coverageBytesMax = 30_000
  private static let waitsMax = 100
  private static let sentenceBytesMax = 25_000

  static func cut(_ all: RunFacts) -> RunFacts {
    var facts = all
    facts.units = fitting(listsMax, listBytesMax) {
      UnitFacts.worst($0, of: all.units).map { all.units[$0] }
    }
    if facts.units.count < all.listCount { facts.storedGroups = all.groups }
    facts.coverage = fitting(coverageMax, coverageBytesMax) { most in
      let places = all.coverage.indices.sorted { all.coverage[$0].share < all.coverage[$1].share }
      // cut: coverage_left_out says how many; trawl status shows them
      return places.prefix(most).sorted().map { all.coverage[$0] }
    }
    facts.unnamedCoverage += all.coverage.count - facts.coverage.count
    let waits = all.requests.waits
    let longest = waits.indices.sorted { waits[$0].duration > waits[$1].duration }
    // cut: waits_left_out says how many, and seconds_left_out how long
    facts.requests.waits = longest.prefix(waitsMax).sorted().map { waits[$0] }
    facts.requests.unnamedWaitCount += waits.count - facts.requests.waits.count
    facts.requests.unnamedWaits += all.requests.waited - facts.requests.waited
    facts.warnings = sentences(all.warnings)
    facts.story = sentences(all.story)
    return facts
  }

  /// As many as fit.
  private static func fitting<Shape: JSONShape>(
    _ most: Int, _ bytes: Int, _ choose: (Int) -> [Shape]
  ) -> [Shape] {
    var most = most
    while true {
      let chosen = choose(most)
      var writer = JSONWriter(pretty: true)
      chosen.write(to: &writer)
      if writer.bytes.count <= bytes || most <= 1 { return chosen }
      most /= 2
    }
  }

  /// The first sentences, how many follow, and the last, which says where the story itself was cut.
  static func sentences(_ all: [String]) -> [String] {
    guard let last = all.last else { return [] }
    let shown = HTMLPage.fitting(Array(all.dropLast()), bytes: sentenceBytesMax - last.utf8.count)
    let rest = all.count - 1 - shown.count
    return rest == 0
      ? all : shown + ["and \(Wording.number(rest)) more, which this report does not keep", last]
  }
}

extension RunFacts {
  /// A note on lists that are not named.
  func unnamed(_ count: Int) -> String {
    "\(Wording.count(count, "more list")) of \(Wording.number(listCount)): "
      + "trawl status \(job) --json names each, as it is now"
  }
}
