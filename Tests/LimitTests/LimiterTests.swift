import Base
import Crawl
import Store
import TestSupport
import Transport
import Testing

@Suite("Against nginx's own limiter")
struct LimiterTests {
  /// The rate that a walk reaches is measured by `make bench`; here only what the limiter refused.
  @Test(
    "a walk is told to wait five times at most, and has every page",
    .enabled(if: NginxProcess.program != nil, "nginx is not here: make deps unpacks it"))
  func walk() async throws {
    let pages = Torture.isOn ? 1000 : 150
    let server = try LimiterServer.start(pages: pages, rate: 50, burst: 10)
    var job = try WaitTests.job()
    job.base = try WebAddress("http://127.0.0.1:\(server.ports[0])")
    job.streams[0].path = Template([.text("/list")])
    job.quotas = [Quota(name: "all", allow: 50, window: .rolling(.seconds(1)), burst: 10)]
    let exchange = try CurlExchange(TransportOptions(version: "tests"))
    // The limiter is another program: its time is the machine's.
    let facts = try await WaitTests.walk(exchange, .live, job: job) {
      ($0.allowsLoopback, $0.isOneAtATime) = (true, false)
    }
    await exchange.close()
    await server.stop()
    #expect(facts.kinds == [.asDeclared], "\(facts.outcome)")
    #expect(facts.units.first?.certificate.distinctKeys == pages)
    let refused = facts.requests.timeline.filter { $0.status == 429 }.count
    #expect(refused <= 5, "\(refused) answers of 429")
  }
}
