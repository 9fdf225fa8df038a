import Base
import Crawl
@testable import SimulationKit
import Store
import TestSupport
import Testing

@Suite("A list that is asked conditionally")
struct ConditionalTests {
  private static let size = 3

  /// Its ETag covers only the body, as RFC 9110 allows, and a 304 may lack `Link`.
  private static func answer(
    _ request: Request, _ keys: [Int], _ time: VirtualTime, linksOn304: Bool
  ) -> Answer {
    let query = SimulatedServer.parameters(request.address)
    let page = query["page"].flatMap { Int($0) } ?? 1
    let shown = keys.dropFirst((page - 1) * size).prefix(size)
    let body =
      "[" + shown.map { #"{"id":\#($0),"name":"thing \#($0)"}"# }.joined(separator: ",") + "]"
    let tag = #""\#(Digest64.of(body.utf8))""#
    let isKnown = request.fields.contains { $0.name == "If-None-Match" && $0.value == tag }
    var fields = [HeaderField("ETag", tag)]
    if keys.count > page * size, !isKnown || linksOn304 {
      fields.append(
        HeaderField("Link", "<https://api.example/v1/things?page=\(page + 1)>; rel=\"next\""))
    }
    return .json(
      request, isKnown ? "" : body, fields, status: isKnown ? 304 : 200, at: time.now)
  }

  private static func job() throws -> Job {
    var stream = Base.Stream(
      name: "things", path: Template([.text("/things")]), pager: .link, records: try JSONPath("."),
      table: "things", key: ["id"],
      columns: [
        Column(name: "id", source: .paths([try JSONPath("id")]), kind: .integer),
        Column(name: "name", source: .paths([try JSONPath("name")])),
      ])
    stream.size = PageSize(parameter: "size", value: size)
    stream.isConditional = true
    return Job(
      name: "shop", about: "a shop", base: try WebAddress("https://api.example/v1"),
      streams: [stream], source: "a test")
  }

  @Test(
    "finds what was added behind a full last page, though a 304 would say that nothing changed",
    arguments: [false, true], [5, 6])
  func added(linksOn304: Bool, first: Int) async throws {
    let scratch = ScratchFolder(isInMemory: true)
    let time = VirtualTime(seed: 7)
    let job = try Self.job()
    let keys = Locked(Array(1...first))
    let exchange = ScriptedExchange { request, _ in
      .success(Self.answer(request, keys.withLock { $0 }, time, linksOn304: linksOn304))
    }
    // Unchanged, then grown by one, then by four, then unchanged again.
    var asked: [Int] = []
    let counts = [first, first, first + 1, first + 4, first + 4]
    for count in counts {
      keys.withLock { $0 = Array(1...count) }
      let before = exchange.asked.count
      let store = try await RecordStore.open(
        DataFolder(creating: scratch.path), RecordStore.Settings(time: time.timekeeper))
      let ledger = try await QuotaLedger.open(
        file: "\(scratch.path)/ledger.db", timekeeper: time.timekeeper)
      _ = try await store.adopt(job, origin: job.base.origin)
      let run = try await JobRun(
        RunParts(
          job: job, options: CrawlOptions(), exchange: exchange, time: time.timekeeper,
          store: store, ledger: ledger, content: nil, credential: nil, account: "nobody"))
      let facts = await run.execute()
      #expect(facts.outcome.kinds == [.asDeclared], "\(facts.outcome.sentence)")
      #expect(facts.units.first?.certificate.counts.received == count)
      #expect(facts.units.first?.certificate.verdict.isWhole == true)
      #expect(try await store.prove().holds)
      await store.close()
      await ledger.close()
      asked.append(exchange.asked.count - before)
      time.advance(by: .seconds(900))
    }
    // The list's pages, page 1 again, and the last page again if the last walk found one after page 2; if the last page
    // is full, a question or two about its last record. A 304 without the next address is requested again in full,
    // once.
    let more = linksOn304 ? 0 : 1
    #expect(asked == (first == 5 ? [3, 3 + more, 4, 5, 6] : [4, 4 + more, 4, 6, 6]))
  }
}
