import Base
import Walk
import Testing

@Suite("What is said of a proof before the first request")
struct ProofOutlookTests {
  // Such small pages do not vary, because of the cost.
  @Test(
    "is what a list at rest gets on its second night, or on its third",
    arguments: ProofMatrixTests.truthful.filter { ![.numberVaried, .numberFixed].contains($0.0) })
  func holds(style: MovingList.Style, counted: MovingList.Count) throws {
    for count in [3, 5, 7] {
      let size = MovingList.sizes(of: style, isWhole: false).upperBound
      let list = MovingList(style, counted, count: count, size: size)
      let outlook = ProofOutlook(of: try list.stream())
      let first = try MatrixWalk.outcome(of: list, memory: WalkMemory())
      let second = try MatrixWalk.outcome(of: list, memory: first.memory)
      let proof = try #require(outlook.proof)
      let third = try MatrixWalk.outcome(of: list, memory: second.memory)
      let proofs =
        second.certificate.proofs.isEmpty ? third.certificate.proofs : second.certificate.proofs
      // `twice` is predicted if nothing stronger is possible, but a stronger proof may come about.
      #expect(proofs.contains(proof) || proof == .twice && !proofs.isEmpty, "\(proofs)")
    }
  }

  @Test(
    "names what takes it away where pages begin behind a time that records may share",
    arguments: [MovingList.Style.afterTime, .afterRising])
  func ties(style: MovingList.Style) throws {
    let stream = try MovingList(style, .none, count: 3, size: 2).stream()
    let says = ProofOutlook(of: stream).text.contains("records that share a page's last value")
    #expect(says == (style == .afterTime))
  }

  @Test(
    "says how often the list is read twice for it, where its job says so",
    arguments: [(1, "a day"), (7, "a week"), (3, "in 3 days")])
  func often(days: Int, said: String) throws {
    var stream = try MovingList(.token, .none, count: 3, size: 2).stream()
    stream.provesEvery = .seconds(days * 86_400)
    let text = ProofOutlook(of: stream).text
    #expect(text.hasSuffix("; once \(said) it is read twice in one run, for its pages again"))
  }

  @Test("is that only another night proves pages behind a value that records may share")
  func sharedValue() throws {
    var stream = try MovingList(.afterTime, .none, count: 3, size: 2).stream()
    stream.order = ListOrder("at", .rising, by: .time)
    stream.more = []
    let outlook = ProofOutlook(of: stream)
    #expect(outlook.proof == .twice)
    #expect(outlook.text.hasPrefix("complete on the second night: no flag shows the end (more)"))
  }

  @Test("is that there is none, where none can come about")
  func none() throws {
    var stream = try MovingList(.token, .none, count: 3, size: 2).stream()
    stream.isSearch = true
    #expect(ProofOutlook(of: stream).proof == nil)
    stream.readsFeed = true
    #expect(ProofOutlook(of: stream).text == "no proof: a feed shows its newest entries alone")
    (stream.isSearch, stream.readsFeed) = (false, false)
    stream.pager = .single
    #expect(ProofOutlook(of: stream).proof == nil)
    var counted = stream
    counted.total = try MovingList(.token, .counted, count: 3, size: 2).stream().total
    #expect(ProofOutlook(of: counted).proof == .oneAnswer)
    stream.hasOnePage = true
    #expect(ProofOutlook(of: stream).proof == .oneAnswer)
  }
}
