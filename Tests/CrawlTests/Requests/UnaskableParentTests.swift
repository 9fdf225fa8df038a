import Base
@testable import Crawl
import Store
import TestSupport
import Testing

/// What an API's own data may provide as a parent's value.
@Suite("A parent of which no request can be made")
struct UnaskableParentTests {
  enum Place: String, CaseIterable { case path, query, header, body }

  static let values = [
    "", ".", "..", "a\nb", "a\u{0}b", String(repeating: "x", count: 1_200), "\u{202E}x", "%2e%2e",
    "a/b",
  ]

  /// - Parameter batch: 0: a paged list for each.
  private func job(_ place: Place, batch: Int) throws -> Job {
    var parents = try Base.Stream("parents", "/parents", "id, name", by: .single)
    parents.hasOnePage = true
    var things = try Base.Stream(
      "things", place == .path ? "/of/{name}/all" : "/of", "id",
      by: batch == 0 ? .tokens() : .single)
    let item = QueryItem("n", Template([.hole("name")]))
    if place == .query { things.query = [item] }
    if place == .header { things.fieldTexts = [item] }
    if place == .body { things.body = .form([item]) }
    things.hasOnePage = true
    things.parent = ParentFeed(
      stream: "parents", column: "name", when: .all, batch: max(1, batch))
    return try Job("odd", parents, things)
  }

  private func exchange(_ names: [String]) -> ScriptedExchange {
    .json { request, number in
      guard request.lastPart == "parents" else { return listing([#"{"id":"of \#(number)"}"#]) }
      return listing(
        names.enumerated().map { number, name in
          var writer = JSONWriter()
          writer.object { record in
            record.member("id", "\(number)")
            record.member("name", name)
          }
          return String(decoding: writer.bytes, as: UTF8.self)
        })
    }
  }

  @Test(
    "is left out and told once, whatever its value is, and the others are read",
    arguments: Place.allCases, Torture.isWhole ? [0, 1, 3] : [0, 3])
  func leftOut(place: Place, batch: Int) async throws {
    for value in Self.values {
      let gallery = Gallery()
      let job = try job(place, batch: batch)
      let first = exchange(["a", value, "z"])
      let left = try await gallery.run(job, first)
      let told = "\(place) \(batch) \(value.prefix(9).debugDescription): \(left.facts.outcome)"
      #expect(left.facts.outcome.kinds.isSubset(of: [.asDeclared, .lessThanDeclared]), "\(told)")
      #expect(try await gallery.proves(), "\(told)")
      let things = try gallery.rows("SELECT id FROM odd_things").count
      let isAsked = left.facts.outcome.kinds == [.asDeclared]
      #expect(things > 0 && first.asked.count == 1 + things, "\(told)")
      #expect(batch > 0 || isAsked == (things == 3), "\(told)")
      if !isAsked {
        #expect(things == 2, "\(told)")
        let warnings = left.facts.warnings
        #expect(warnings.contains { $0.contains("no request can be made") }, "\(told)")
      }
      // Nothing new is reported, and the plan knows it too.
      let plan = try await gallery.plan(job)
      let second = exchange(["a", value, "z"])
      let again = try await gallery.run(job, second)
      #expect(again.facts.outcome.kinds == [.asDeclared], "\(told)")
      if batch < 2 || plan.lists.allSatisfy(\.isExact) {
        let planned = plan.lists.reduce(0) { $0 + ($1.requests ?? 0) }
        #expect(second.asked.count == planned, "\(told)")
      }
    }
  }

  @Test(
    "is nothing that the API lacks: single answers without it are complete in no night",
    arguments: [1, 3])
  func single(batch: Int) async throws {
    let gallery = Gallery()
    let job = try job(.header, batch: batch)
    for night in 0..<3 {
      let others = (0..<night).map { "a\($0)" }
      let exchange = exchange(["b\nc", "d\ne"] + others)
      let left = try await gallery.run(job, exchange)
      let things = try #require(left.facts.units.first { $0.stream == "things" })
      #expect(things.certificate.claim == "limited (out of reach)", "\(night)")
      #expect(things.certificate.why.contains("no request can be made for 2 values"))
      #expect(!things.certificate.why.contains("not there"))
      #expect(batch > 1 || exchange.asked.count == 1 + night)
      // Reported once, and it does not age.
      let isNews: Set<RunOutcome.Kind> = night == 0 ? [.lessThanDeclared] : [.asDeclared]
      #expect(left.facts.outcome.kinds == isNews, "\(night): \(left.facts.outcome)")
      #expect(try await gallery.proves())
      let lists = try await gallery.store { try await $0.overview().flatMap(\.lists) }
      let course = try #require(lists.first { $0.stream == "things" }?.course)
      #expect(gallery.time.now - course.goodAt < .seconds(3600), "\(night)")
      gallery.time.advance(by: .day)
    }
  }

  @Test("is told with each reason, and counted by no plan")
  func reasons() async throws {
    let (gallery, job) = (Gallery(), try job(.path, batch: 1))
    let left = try await gallery.run(job, exchange(["a", ".", ""]))
    #expect(try await gallery.plan(job).lists.map(\.requests) == [1, 1])
    let why = try #require(left.facts.units.first { $0.stream == "things" }).certificate.why
    for reason in ["for 2 values", "\".\" can be no part of the path", "\"name\" is empty"] {
      #expect(why.contains(reason), "\(why)")
    }
  }

  @Test("makes the stream not absent when only what the API lacks is requested again")
  func besideAbsent() async throws {
    let gallery = Gallery()
    var job = try job(.header, batch: 1)
    job.streams[1].parent?.when = .new
    let exchange = ScriptedExchange.answering { request, _ in
      if request.lastPart == "parents" {
        let names = ["b\\nc", "lost", "there"]
        let parents = names.enumerated().map { #"{"id":"\#($0)","name":"\#($1)"}"# }
        return .json(request, listing(parents))
      }
      guard request.fields.contains(where: { $0.value == "there" }) else {
        return .json(request, "{}", status: 404)
      }
      return .json(request, listing([#"{"id":"1"}"#]))
    }
    for (night, asked) in [2, 3].enumerated() {
      let left = try await gallery.run(job, exchange)
      let things = try #require(left.facts.units.first { $0.stream == "things" })
      #expect(things.certificate.claim == "limited (out of reach)", "\(night)")
      #expect(exchange.asked.count { $0.lastPart != "parents" } == asked)
      #expect(try await gallery.proves())
      gallery.time.advance(by: .seconds(2 * 86_400))
    }
  }

  @Test("is no excuse for a job or a setting with which no parent could be asked")
  func jobsOwn() async throws {
    let gallery = Gallery()
    var job = try job(.path, batch: 0)
    job.streams[1].path = Template([.text("/of/"), .hole("name"), .text("/"), .hole("shop")])
    job.parameters = [Parameter(name: "shop", defaults: [".."])]
    let left = try await gallery.run(job, exchange(["a", "z"]))
    #expect(left.facts.outcome.kinds == [.configuration])
  }
}
