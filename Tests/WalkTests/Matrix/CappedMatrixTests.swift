import Base
@testable import Walk
import Testing

/// Small lists, caps, page sizes, totals and ways of paging, over three nights.
@Suite("A list that the API ends at a cap")
struct CappedMatrixTests {
  enum Paging: CaseIterable { case number, offset, token }
  /// What the API makes of a page that passes its cap.
  enum Past: CaseIterable { case cut, empty, refused }
  /// Whether it goes by the size of a request, has the job's, or a smaller one.
  enum Sizes: CaseIterable { case asked, own, smaller }

  struct Capped {
    var paging: Paging
    var past: Past
    var sizes: Sizes
    var count: Int
    var cap: Int
    var size: Int
    var total: Int?

    var reachable: Set<Int> { Set(0..<min(count, cap)) }
    /// All that the API would give can be asked for.
    var isOpen: Bool { sizes == .asked || sizes == .own && past == .cut }

    func answer(_ step: Step) -> Reply {
      let asked = size(of: step)
      let begin: Int
      switch step.cursor.whole {
      case .number(let page), .sized(let page, _): begin = (page - 1) * asked
      case .offset(let offset): begin = offset
      case .token(let token): begin = Int(token) ?? 0
      default: begin = 0
      }
      let end = min(begin + asked, count, cap)
      var page = ScriptPage(begin < end ? Array(begin..<end) : [], total: total)
      if paging == .token {
        if end < min(count, cap) { page.next = .token("\(end)") }
      } else if begin + asked > cap {
        if past == .refused { return .trouble(.init(.refused, "too far", status: 400)) }
        if past == .empty { page.keys = [] }
      }
      return .page(page)
    }

    private func size(of step: Step) -> Int {
      switch sizes {
      case .own: return size
      case .smaller: return size - 1
      case .asked: break
      }
      let asked = step.address.query?.split(separator: "&").first { $0.hasPrefix("size=") }
      return asked.flatMap { Int($0.dropFirst(5)) } ?? size
    }
  }

  /// Whether the total stops at the cap, too.
  static let totals: [(Total.Trust?, Bool)] = [
    (nil, false), (.estimate, false), (.estimate, true), (.steady, false), (.steady, true),
    (.counted, false), (.counted, true),
  ]

  @Test(
    "is never complete while records are missing, and has all that the API gives",
    arguments: totals)
  func matrix(trust: Total.Trust?, isCut: Bool) throws {
    for paging in Paging.allCases {
      for past in Past.allCases {
        for sizes in Sizes.allCases {
          // Only numbers differ, by what the API makes of sizes.
          guard paging == .number || sizes == .asked && (paging == .offset || past == .cut) else {
            continue
          }
          for (cap, size) in [(3, 2), (4, 3), (7, 3), (8, 3), (8, 4), (11, 5), (9, 3), (12, 5)] {
            // A total of a shorter list stops nowhere.
            let longer = [cap + 1, cap + size, 3 * cap]
            for count in isCut ? longer : [1, size, cap - 2, cap - 1, cap] + longer {
              var list = Capped(
                paging: paging, past: past, sizes: sizes, count: count, cap: cap, size: size)
              if trust != nil { list.total = isCut ? min(count, cap) : count }
              try Self.check(list, trust)
            }
          }
        }
      }
    }
  }

  @Test("is asked for a page of another size once, where the API has its own")
  func ownSize() throws {
    let list = Capped(
      paging: .number, past: .cut, sizes: .own, count: 1_000, cap: 250, size: 100, total: 1_000)
    let stream = try FakeJob.stream(
      FakeJob.number, size: 100, total: .counted, cap: Cap(at: 250, doubt: 250, expected: nil))
    var memory = WalkMemory()
    for requests in [6, 3] {
      var walker = Walker(try FakeJob.builder(stream), memory: memory)
      var run = WalkRun()
      try run.drive(&walker, { list.answer($0) })
      #expect(run.requests.count == requests, "\(run.requests)")
      #expect(run.seen.union(run.known) == list.reachable)
      memory.sizesHold = walker.sizesHold ?? memory.sizesHold
    }
  }

  private static func check(_ list: Capped, _ trust: Total.Trust?) throws {
    let pager: Pager =
      switch list.paging {
      case .number: FakeJob.number
      case .offset: FakeJob.offset
      case .token: try FakeJob.token()
      }
    let stream = try FakeJob.stream(
      pager, size: list.size, total: trust,
      cap: Cap(at: list.cap, doubt: list.cap, expected: nil))
    var limits = Walker.Limits()
    limits.variedFrom = 3
    var memory = WalkMemory()
    for night in 1...3 {
      var walker = Walker(try FakeJob.builder(stream), memory: memory, limits: limits)
      var run = WalkRun()
      try run.drive(&walker, { list.answer($0) })
      let certificate = try #require(run.certificate)
      let stored = run.seen.union(run.known)
      let what = "\(list), night \(night): \(certificate.claim), \(certificate.why)"
      #expect(certificate.verdict != .complete || stored.count == list.count, "\(what)")
      if list.isOpen { #expect(stored == list.reachable, "\(what)") }
      if list.sizes == .asked, list.past != .refused, trust == .counted, list.count < list.cap {
        #expect(certificate.verdict == .complete, "\(what)")
      }
      #expect(run.isDerived(certificate), "\(what)")
      memory.isPatternOld = certificate.pattern != nil && certificate.pattern == memory.pattern
      memory.pattern = certificate.pattern
      memory.hasSeenMore = walker.signOfMore ?? memory.hasSeenMore
      memory.sizesHold = walker.sizesHold ?? memory.sizesHold
    }
  }
}
