import Base
import Crawl
import TestSupport
import Testing

@Suite("Header fields of a stream")
struct StreamFieldTests {
  @Test("take the place of the job's fields of the same name, and leave the others")
  func replaced() async throws {
    let gallery = Gallery()
    var job = try gallery.job()
    job.fields = [
      HeaderField("Accept", "text/one"), HeaderField("X-Version", "1"),
      HeaderField("X-Other", "stays"),
    ]
    job.streams[0].fields = [HeaderField("accept", "text/two"), HeaderField("X-Version", "2")]
    let exchange = ScriptedExchange.json { _, _ in #"{"items":[{"id":1,"url":"u"}]}"# }
    _ = try await gallery.run(job, exchange) { $0.fetchesImages = false }
    let first = try #require(exchange.asked.first)
    func sent(_ name: String) -> [String] {
      first.fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
    }
    #expect(sent("Accept") == ["text/two"])
    #expect(sent("X-Version") == ["2"])
    #expect(sent("X-Other") == ["stays"])
  }
}
