import Glibc
import Dispatch
import Base
import SandboxKit
import TestSupport
import Transport
import Testing

/// Counts bytes, but keeps none.
final class CountingSink: BodySink {
  struct Counts: Equatable {
    var begins = 0
    var bytes = 0
    var largestPiece = 0
  }

  let counts = Locked(Counts())
  private let refusesBeyond: Int

  init(refusesBeyond: Int = .max) { self.refusesBeyond = refusesBeyond }

  func begin(_ fields: HeaderFields) { counts.withLock { $0.begins += 1 } }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    counts.withLock {
      $0.bytes += bytes.count
      $0.largestPiece = max($0.largestPiece, bytes.count)
      return $0.bytes <= refusesBeyond
    }
  }
}

@Suite("The size of a body", .prompt)
struct SizeTests {
  static func endless(_ path: String) -> [ScriptedServer.Act] {
    switch path {
    case "/plain":
      return [.text(Fault.head + "\r\n"), .endless([UInt8](repeating: 120, count: 65536))]
    default:
      let part = GzipPacker.packed([UInt8](repeating: 0, count: 4 << 20))
      return [.text(Fault.head + "Content-Encoding: gzip\r\n\r\n"), .endless(part)]
    }
  }

  @Test(
    "is bounded by what it unpacks to, and comes in small pieces on the way",
    arguments: ["/plain", "/bomb"])
  func flat(path: String) async throws {
    try await meet {
      Self.endless($0.path)
    } _: { server, exchange in
      var request = try Request(server.url(path))
      request.limits.bodyBytesMax = 384 << 20
      request.limits.totalTimeout = .seconds(60)
      let sink = CountingSink()
      let failure = await exchange.failure(request, into: sink)
      #expect(failure?.kind == .tooLarge && failure?.mayPass == false)
      let counts = sink.counts.withLock { $0 }
      #expect(counts.begins == 1 && counts.bytes <= 384 << 20)
      #expect(counts.bytes > (384 << 20) - (128 << 10) && counts.largestPiece <= 64 << 10)
    }
  }

  @Test("stops at the cap in memory, too", arguments: ["/plain", "/bomb"])
  func inMemory(path: String) async throws {
    try await meet {
      Self.endless($0.path)
    } _: { server, exchange in
      let failure = await exchange.failure(try Request(server.url(path)))
      #expect(failure?.kind == .tooLarge && failure?.status == 200)
      #expect(failure?.sentence.contains("32.0 MB. Request smaller pages (`size`)") == true)
    }
  }

  @Test("counts as it is sent, too: one that unpacks to nothing for ever is stopped")
  func emptyBlocks() async throws {
    // An empty stored block, not the last one; it may begin at any byte.
    let blocks = Array(repeating: [0, 0, 0, 0xFF, 0xFF] as [UInt8], count: 10_000).flatMap { $0 }
    try await meet { _ in
      [
        .text(Fault.head + "Content-Encoding: gzip\r\n\r\n"),
        .send(Array(GzipPacker.packed([])[..<10])), .endless(blocks),
      ]
    } _: { server, exchange in
      var request = try Request(server.url())
      request.limits.bodyBytesMax = 1 << 20
      #expect(await exchange.failure(request)?.kind == .tooLarge)
    }
  }

  @Test("may be exactly the cap, packed or not")
  func exact() async throws {
    let body = [UInt8](repeating: 97, count: 1000)
    try await meet { call in
      call.path == "/packed"
        ? ScriptedServer.answer(
          200, ["Content-Encoding: gzip"], body: GzipPacker.packed(body, level: 0))
        : ScriptedServer.answer(body: body)
    } _: { server, exchange in
      for path in ["/plain", "/packed"] {
        var request = try Request(server.url(path))
        request.limits.bodyBytesMax = 1000
        let answer = try await exchange.follow(request)
        #expect(answer.body == body)
        request.limits.bodyBytesMax = 999
        #expect(await exchange.failure(request)?.kind == .tooLarge)
      }
    }
  }

  @Test("is the sink's business: it gets a 2xx body alone, and may refuse it")
  func sinks() async throws {
    try await meet { call in
      switch call.path {
      case "/redirect": ScriptedServer.answer(302, ["Location: /ok"], body: Array("gone".utf8))
      case "/ok": ScriptedServer.answer(body: Array("hello".utf8))
      default: ScriptedServer.answer(404, body: Array("not here".utf8))
      }
    } _: { server, exchange in
      let sink = CountingSink()
      let answer = try await exchange.follow(Request(server.url("/redirect")), into: sink)
      #expect(answer.body.isEmpty && answer.bodyBytes == 5)
      let once = CountingSink.Counts(begins: 1, bytes: 5, largestPiece: 5)
      #expect(sink.counts.withLock { $0 } == once)

      let other = CountingSink()
      let missing = try await exchange.follow(Request(server.url("/missing")), into: other)
      #expect(missing.body == Array("not here".utf8))
      #expect(other.counts.withLock { $0 } == CountingSink.Counts())

      let strict = CountingSink(refusesBeyond: 3)
      let failure = await exchange.failure(try Request(server.url("/ok")), into: strict)
      #expect(failure?.kind == .sinkRefused && failure?.cause == .store)
    }
  }

  /// Blocks its transfer until released.
  final class StuckSink: BodySink {
    let isReached = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)

    func begin(_ fields: HeaderFields) {}

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
      isReached.signal()
      mayGoOn.wait()
      return true
    }
  }

  @Test("that a disk takes slowly holds up no page")
  func slowDisk() async throws {
    try await meet(ScriptedServer.json("{}")) { server, exchange in
      let sink = StuckSink()
      let download = Task { try await exchange.send(Request(server.url("/image")), into: sink) }
      await withCheckedContinuation { reached in
        Detached.run {
          sink.isReached.wait()
          reached.resume()
        }
      }
      // It would never arrive on the thread that waits for the disk.
      let page = try await exchange.send(Request(server.url("/page")))
      #expect(page.status == 200)
      sink.mayGoOn.signal()
      #expect(try await download.value.bodyBytes == 2)
    }
  }

  @Test("of a redirect does not matter, even if it never ends")
  func redirectBody() async throws {
    try await meet { call in
      if call.path == "/ok" { return ScriptedServer.json("{}") }
      return [
        .text("HTTP/1.1 302 F\r\nLocation: /ok\r\n\r\n"),
        .endless([UInt8](repeating: 120, count: 4096)),
      ]
    } _: { server, exchange in
      let answer = try await exchange.follow(Request(server.url("/start")))
      #expect(answer.bodyBytes == 2 && answer.hops.count == 1)
    }
  }
}
