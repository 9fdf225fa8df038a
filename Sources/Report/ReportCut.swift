internal import Base

/// What of a run's facts a stored report names, so that it has some 200 KB at most, however many lists
/// there were: those that need a look first, and the others by their sums.
struct ReportCut {
  /// Places of the lists and of the covered ranges that are named, in their order.
  let lists: [Int]
  let coverage: [Int]
  let waits: [WaitFacts]

  private static let listsMax = 100
  private static let listBytesMax = 90_000
  private static let coverageMax = 50
  private static let coverageBytesMax = 30_000
  private static let waitsMax = 100
  private static let sentenceBytesMax = 25_000

  init(_ facts: RunFacts) {
    lists = Self.fitting(Self.listsMax, Self.listBytesMax) {
      UnitFacts.worst($0, of: facts.units)
    } size: {
      JSONReport.write(facts.units[$0], to: &$1)
    }
    coverage = Self.fitting(Self.coverageMax, Self.coverageBytesMax) { most in
      let places = facts.coverage.indices.sorted {
        let (one, other) = (facts.coverage[$0].share, facts.coverage[$1].share)
        return one == other ? $0 < $1 : one < other
      }
      // cut: coverage_left_out says how many; trawl status shows them
      return places.prefix(most).sorted()
    } size: {
      JSONReport.write(facts.coverage[$0], to: &$1)
    }
    let all = facts.requests.waits
    let longest = all.indices.sorted { all[$0].duration > all[$1].duration }
    // cut: waits_left_out says how many, and how long
    waits = longest.prefix(Self.waitsMax).sorted().map { all[$0] }
  }

  /// As many as have room.
  private static func fitting(
    _ most: Int, _ bytes: Int, _ choose: (Int) -> [Int],
    size write: (Int, inout JSONWriter) -> Void
  ) -> [Int] {
    var most = most
    while true {
      let chosen = choose(most)
      var writer = JSONWriter(pretty: true)
      writer.array { out in
        for place in chosen { out.object { write(place, &$0) } }
      }
      if writer.bytes.count <= bytes || most <= 1 { return chosen }
      most /= 2
    }
  }

  /// The first sentences, how many more there were, and the last, which says where the story itself was cut.
  static func sentences(_ all: [String]) -> [String] {
    guard let last = all.last else { return [] }
    var room = sentenceBytesMax - last.utf8.count
    let shown = all.dropLast().prefix {
      room -= $0.utf8.count
      return room >= 0
    }
    let rest = all.count - 1 - shown.count
    return rest == 0
      ? all : shown + ["and \(Wording.number(rest)) more, which this report does not keep", last]
  }
}

extension RunFacts {
  /// Where lists are not named.
  func unnamed(_ count: Int) -> String {
    "\(Wording.count(count, "more list")) of \(Wording.number(listCount)): "
      + "trawl status \(job) --json names each, as it is now"
  }
}
