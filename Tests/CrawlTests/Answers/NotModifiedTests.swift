import Base
import Crawl
import TestSupport
import Testing

/// Two lists of one table, in pages with validators; the server chooses the headers of a 304.
private final class TaggedLists: Sendable {
  enum Paging: CaseIterable, Sendable { case link, number, total, header }
  /// Which headers of a 200 a 304 repeats.
  enum Head: CaseIterable, Sendable { case same, none }
  enum Validator: CaseIterable, Sendable { case strong, weak, date }

  let paging: Paging
  let head: Head
  let validator: Validator
  /// The keys of each list, in order; the second has other values for the same records.
  let lists = Locked<[String: [Int]]>([:])
  /// By path: when a page with a `Last-Modified` was made.
  let made = Locked<[String: (body: String, at: Int64)]>([:])
  let time: VirtualTime
  let answers304 = Locked(0)
  private let size = 3

  init(_ paging: Paging, _ head: Head, _ validator: Validator, _ time: VirtualTime) {
    (self.paging, self.head, self.validator, self.time) = (paging, head, validator, time)
  }

  func job() throws -> Job {
    let pager: Pager =
      switch paging {
      case .link: .link
      case .header: .chain(NextPage(.header("X-Next")))
      case .number, .total: .numbers
      }
    var stream = try Base.Stream("things", "/lists/{u}", "id integer, v", by: pager)
    stream.size = PageSize(parameter: nil, value: size)
    stream.isConditional = true
    stream.marksVanished = true
    stream.membership = Membership("found", of: "u", key: "id")
    if paging == .total { stream.total = Total(field: "X-Total-Count", trust: .counted) }
    return try Job("tagged", stream, with: ["u": ["a", "b"]])
  }

  var exchange: ScriptedExchange {
    .answering { request, _ in self.answer(request) }
  }

  private func answer(_ request: Request) -> Answer {
    let list = request.lastPart
    let keys = lists.withLock { $0[list] ?? [] }
    let page = request.number("page") ?? 1
    let part = keys.dropFirst(max(0, page - 1) * size).prefix(size)
    let body = listing(part.map { #"{"id":\#($0),"v":"\#(list)"}"# })
    var fields: [HeaderField] = []
    let hasNext = keys.count > page * size
    let next = "\(Gallery.base)/lists/\(list)?page=\(page + 1)"
    switch paging {
    case .link: if hasNext { fields.append(HeaderField("Link", "<\(next)>; rel=\"next\"")) }
    case .header: if hasNext { fields.append(HeaderField("X-Next", next)) }
    case .total: fields.append(HeaderField("X-Total-Count", "\(keys.count)"))
    case .number: break
    }
    let now = time.now.seconds
    let changed = made.withLock { made in
      let place = "\(list) \(page)"
      if made[place]?.body != body { made[place] = (body, now) }
      return made[place]?.at ?? now
    }
    let tag = "\"\(Digest64.of(body.utf8))\""
    let date = HeaderField("Date", CivilTime(Instant(seconds: now)).httpDate)
    let stamp =
      switch validator {
      case .strong: HeaderField("ETag", tag)
      case .weak: HeaderField("ETag", "W/\(tag)")
      case .date: HeaderField("Last-Modified", CivilTime(Instant(seconds: changed)).httpDate)
      }
    let asked = request.fields.first { ["If-None-Match", "If-Modified-Since"].contains($0.name) }
    guard let asked, asked.value == stamp.value else {
      return .json(request, body, fields + [date, stamp])
    }
    answers304.withLock { $0 += 1 }
    return .whole(request, [], (head == .same ? fields : []) + [date, stamp], status: 304)
  }
}

@Suite("An answer that was not modified")
struct NotModifiedTests {
  private static let cases = TaggedLists.Paging.allCases.flatMap { paging in
    TaggedLists.Head.allCases.flatMap { head in
      TaggedLists.Validator.allCases.map { (paging, head, $0) }
    }
  }

  @Test(
    "is about its body alone, and only while its rows are as it left them", arguments: cases.indices
  )
  func nights(index: Int) async throws {
    let (paging, head, validator) = Self.cases[index]
    var random = SeededRandom(seed: UInt64(index) + 304)
    for _ in 0..<(Torture.isWhole ? 3 : 1) {
      let gallery = Gallery()
      let server = TaggedLists(paging, head, validator, gallery.time)
      let job = try server.job()
      var next = 1
      var lists = ["a": [Int](), "b": [Int]()]
      var proven = 0
      for night in 0..<9 {
        for name in ["a", "b"] {
          // Grown, shrunk by one, one from the other list, back to the former state, or unchanged.
          switch night == 0 ? 0 : random.next() % 6 {
          case 0:
            let count = Int(random.next() % 8)
            lists[name]? += Array(next..<(next + count))
            next += count
          case 1: if lists[name]?.isEmpty == false { lists[name]?.removeLast() }
          case 2:
            let other = lists[name == "a" ? "b" : "a"] ?? []
            if let one = other.first, lists[name]?.contains(one) == false {
              lists[name]?.append(one)
            }
          case 3: if lists[name]?.isEmpty == false { lists[name]?.removeFirst() }
          default: break
          }
        }
        let held = lists
        server.lists.withLock { $0 = held }
        let left = try await gallery.run(job, server.exchange, then: .day)
        for (list, unit) in zip(["a", "b"], left.facts.units)
        where unit.certificate.verdict == .complete {
          proven += 1
          let note: Comment =
            "night \(night): \(paging) \(head) \(validator) \(lists) \(unit.certificate.why)"
          let held = lists[list] ?? []
          let present = "FROM tagged_found WHERE u = '\(list)' AND vanished_at IS NULL"
          // A record that is missing in a walk without proof of that stays until the next.
          if unit.certificate.why.contains("the next walk decides") {
            let rows = try gallery.rows("SELECT id \(present)")
            #expect(Set(rows).isStrictSuperset(of: held.map(String.init)), note)
          } else {
            let places = try gallery.rows("SELECT position, id \(present) ORDER BY position")
            #expect(places == held.enumerated().map { "\($0 + 1)|\($1)" }, note)
          }
          // A record has the values of one of the lists that contain it.
          for row in try gallery.rows("SELECT id, v FROM tagged_things WHERE vanished_at IS NULL") {
            let parts = row.split(separator: "|")
            let holders = lists.filter { $0.value.contains(Int(parts[0]) ?? 0) }.keys
            // A record in neither list keeps its values.
            #expect(
              left.verdicts != [.complete, .complete] || holders.isEmpty
                || holders.contains(String(parts[1])), "\(row) \(note)")
          }
        }
        #expect(try await gallery.proves())
      }
      #expect(paging != .total || proven > 0)
      // 304s are useful nevertheless.
      #expect(head == .none || server.answers304.withLock { $0 } > 0)
    }
  }

  @Test("to a request that named no answer before is senseless, and asked again like all that is")
  func unconditional() async throws {
    let gallery = Gallery()
    let refusals = Locked(2)
    var stream = try Base.Stream("things", "/things", "id integer", by: .single)
    stream.hasOnePage = true
    let exchange = ScriptedExchange.answering { request, _ in
      let isSenseless = refusals.withLock { left in
        left -= 1
        return left >= 0
      }
      if isSenseless { return .whole(request, [], status: 304) }
      return .json(request, listing([#"{"id":1}"#]))
    }
    let left = try await gallery.run(Job("tagged", stream), exchange).facts.units.first?.certificate
    #expect(left?.claim == "complete", "\(left?.why ?? "")")
    #expect(exchange.asked.count == 3)
  }

  @Test(
    "that stands for other records than the page has is seen by the look at it, and believed no more"
  )
  func wrong() async throws {
    let gallery = Gallery()
    let keys = Locked(Array(1...8))
    var stream = try Base.Stream("things", "/things", "id integer", by: .numbers)
    stream.size = PageSize(parameter: nil, value: 3)
    (stream.isConditional, stream.marksVanished) = (true, true)
    let job = try Job("tagged", stream)
    let exchange = ScriptedExchange.answering { request, _ in
      let start = ((request.number("page") ?? 1) - 1) * 3
      let shown = keys.withLock { Array($0.dropFirst(max(0, start)).prefix(3)) }
      let tag = HeaderField("ETag", "\"of no page\"")
      if request.fields.contains(where: { $0.name == "If-None-Match" }) {
        return .whole(request, [], [tag], status: 304)
      }
      return .json(request, listing(shown.map { "{\"id\":\($0)}" }), [tag])
    }
    func conditional() -> Int {
      exchange.asked.count { $0.fields.contains { $0.name == "If-None-Match" } }
    }
    for _ in 0..<3 { _ = try await gallery.run(job, exchange, then: .day) }
    #expect(conditional() > 0)
    keys.withLock { $0.append(9) }
    let left = try await gallery.run(job, exchange, then: .day).facts.units.first?.certificate
    #expect(left?.claim == "incomplete (moved)", "\(left?.why ?? "")")
    #expect(left?.why.contains("its validators are wrong") == true, "\(left?.why ?? "")")
    #expect(try await gallery.proves())
    let before = conditional()
    for _ in 0..<2 { _ = try await gallery.run(job, exchange, then: .day) }
    #expect(conditional() == before)
    #expect(try gallery.rows("SELECT id FROM tagged_things WHERE vanished_at IS NULL").count == 9)
    #expect(try await gallery.proves())
  }
}
