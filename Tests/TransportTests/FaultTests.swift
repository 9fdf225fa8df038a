@testable import Base
import TestSupport
import Transport
import Testing

/// One way in which a server misbehaves, and the expected result.
struct Fault: Sendable, CustomTestStringConvertible {
  let name: String
  let kind: ExchangeFailure.Kind
  let cause: Cause
  let acts: [ScriptedServer.Act]

  init(_ name: String, _ kind: ExchangeFailure.Kind, _ acts: [ScriptedServer.Act]) {
    self.init(name, kind, .network, acts)
  }

  /// A head that goes on like this, and the close of the connection.
  init(_ name: String, _ kind: ExchangeFailure.Kind, head rest: String) {
    self.init(name, kind, [.text(Self.head + rest), .close])
  }

  init(
    _ name: String, _ kind: ExchangeFailure.Kind, _ cause: Cause, _ acts: [ScriptedServer.Act]
  ) {
    self.name = name
    self.kind = kind
    self.cause = cause
    self.acts = acts
  }

  var testDescription: String { name }

  static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

  static let connection: [Fault] = [
    Fault("a reset at once", .reset, [.reset]),
    Fault("a close at once", .cut, [.close]),
    Fault("a close within the status line", .cut, [.text("HTTP/1.1 2"), .close]),
    Fault("a close within the head", .cut, head: "X-Half: 1"),
    Fault("a close before the head's empty line", .cut, head: ""),
    Fault(
      "a reset within the body", .reset,
      [.text(head + "Content-Length: 1000\r\n\r\n" + x(100)), .reset]),
    Fault("a head that never comes", .stalled, [.hold]),
    Fault(
      "a body that stops coming", .stalled,
      [.text(head + "Content-Length: 1000\r\n\r\n" + x(100)), .hold]),
    Fault("no HTTP at all", .malformed, [.text("\u{0}\u{1}SSH-2.0-x\r\n"), .close]),
    Fault("the HTTP of 1991", .malformed, [.text("<html>hello</html>"), .close]),
  ]

  static let framing: [Fault] = [
    Fault("a body shorter than announced", .cut, head: "Content-Length: 1000\r\n\r\n" + x(100)),
    Fault("a body longer than announced", .malformed, head: "Content-Length: 10\r\n\r\n" + x(1000)),
    Fault("a cut chunk", .cut, head: "Transfer-Encoding: chunked\r\n\r\n64\r\n" + x(50)),
    Fault("no last chunk", .cut, head: "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
    Fault(
      "a chunk without a size", .malformed, head: "Transfer-Encoding: chunked\r\n\r\nZZ\r\nx\r\n"),
    Fault(
      "two different lengths", .malformed,
      head: "Content-Length: 2\r\nContent-Length: 5\r\n\r\nhello"),
    Fault(
      "two different lengths in one field", .malformed, head: "Content-Length: 5, 2\r\n\r\nhello"),
    Fault("a length that is no number", .malformed, head: "Content-Length: 5x\r\n\r\nhello"),
    Fault("a negative length", .malformed, head: "Content-Length: -5\r\n\r\nhello"),
    Fault(
      "a transfer encoding that was not requested", .malformed,
      head: "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    Fault(
      "a packing that was not requested", .malformed,
      head: "Content-Encoding: br\r\nContent-Length: 1\r\n\r\n\u{6}"),
    Fault(
      "bytes that only claim to be gzip", .malformed,
      head: "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"),
    Fault("a field name with a space", .malformed, head: "X Y: 1\r\nContent-Length: 0\r\n\r\n"),
    Fault("a field without a colon", .malformed, head: "nonsense\r\nContent-Length: 0\r\n\r\n"),
  ]

  static let size: [Fault] = [
    Fault("2 MB of head fields", .tooLarge, [.text(bigHead), .hold]),
    Fault("one field of 2 MB", .tooLarge, [.text(head + "X: " + x(2 << 20)), .hold]),
    Fault("an endless head", .tooLarge, [.text(head), .endless(Array("X: y\r\n".utf8))]),
    Fault(
      "an endless body", .tooLarge, [.text(head + "\r\n"), .endless([UInt8](x(65536).utf8))]),
    Fault(
      "an endless chunked body", .tooLarge,
      [
        .text(head + "Transfer-Encoding: chunked\r\n\r\n"),
        .endless(Array(("1000\r\n" + x(4096) + "\r\n").utf8)),
      ]),
    Fault(
      "an announced body beyond the cap", .tooLarge,
      [.text(head + "Content-Length: 9000000000\r\n\r\n" + x(100)), .hold]),
    Fault(
      "endless chunked trailers", .tooLarge,
      [
        .text(head + "Transfer-Encoding: chunked\r\n\r\n0\r\n"),
        .endless(Array("X: y\r\n".utf8)),
      ]),
  ]

  static let redirects: [Fault] =
    [Fault("a circle", .tooManyHops, .status, ScriptedServer.redirect("/loop"))]
    + [
      ("to a file", "file:///etc/passwd"), ("to gopher", "gopher://127.0.0.1:6379/_x"),
      ("to a script", "javascript:1"), ("with a user", "http://u:p@127.0.0.1/"),
      ("to port 0", "http://127.0.0.1:0/"),
    ].map { Fault($0, .refusedRedirect, .request, ScriptedServer.redirect($1)) }

  static let bigHead =
    "HTTP/1.1 200 OK\r\n" + (0..<2000).map { "x-\($0): \(x(1000))\r\n" }.joined() + "\r\n"

  static func x(_ count: Int) -> String { String(repeating: "x", count: count) }
}

@Suite("A misbehaving server", .prompt)
struct FaultTests {
  @Test(
    "ends in one failure of the right kind",
    arguments: Fault.connection + Fault.framing + Fault.size + Fault.redirects)
  func fails(fault: Fault) async throws {
    try await meet(fault.acts) { server, exchange in
      let limits = fault.kind == .stalled ? impatient : TransferLimits()
      let request = try Request(server.url(), limits: limits)
      let failure = try #require(await exchange.failure(request))
      #expect(failure.kind == fault.kind, "\(failure)")
      #expect(failure.cause == fault.cause)
      #expect(failure.address?.origin.port == server.port)
      #expect(failure.sentence.hasPrefix("http://127.0.0.1:"))
      #expect(failure.sentence.hasSuffix(".") && failure.sentence.utf8.count < 400)
      let hops = fault.kind == .tooManyHops ? limits.hopsMax + 1 : 1
      try await until("the call is read") { !server.calls.isEmpty }
      #expect(server.calls.count == hops)
    }
  }

  private static let dripping: [ScriptedServer.Act] = [
    .text(Fault.head + "Content-Length: 1000\r\n\r\n"),
    .drip(Fault.x(1000), pauseMilliseconds: 20),
  ]
  private static let drippingHead: [ScriptedServer.Act] = [
    .drip("HTTP/1.1 200 OK\r\n", pauseMilliseconds: 1), .drip(Fault.x(900), pauseMilliseconds: 20),
  ]

  @Test(
    "that is silent or drips is left when the time of the run or the total time is over",
    arguments: [([.hold], true), (dripping, true), (dripping, false), (drippingHead, false)])
  func timeIsOver(acts: [ScriptedServer.Act], isOfRun: Bool) async throws {
    try await meet(acts) { server, exchange in
      var limits = TransferLimits()
      if isOfRun { limits.runTimeLeft = .milliseconds(300) }
      if !isOfRun { limits.totalTimeout = .milliseconds(600) }
      let failure = await exchange.failure(try Request(server.url(), limits: limits))
      #expect(failure?.kind == .timedOut && failure?.cause == .network)
      #expect(failure?.sentence.contains("time of the run was over") == isOfRun)
    }
  }

  @Test("is asked once where a kept connection closes without an answer, never again by itself")
  func resend() async throws {
    try await meet { call in
      call.path == "/first" ? ScriptedServer.json("{}") : [.close]
    } _: { server, exchange in
      _ = try await exchange.send(Request(server.url("/first")))
      let failure = await exchange.failure(try Request(server.url("/second")))
      #expect(failure?.mayPass == true, "whoever counts requests may ask again")
      #expect(server.calls.map(\.path) == ["/first", "/second"])
    }
  }

  @Test("that closes each kept connection under a request costs two of them, and no more")
  func closings() async throws {
    let known = Locked<Set<Int>>([])
    try await meet { call in
      // The second request of a connection gets no answer.
      known.withLock { $0.insert(call.connection).inserted } ? ScriptedServer.json("{}") : [.close]
    } _: { server, exchange in
      var failures = 0
      let wanted = try Request(server.url())
      for _ in 0..<20 {
        do throws(ExchangeFailure) {
          _ = try await exchange.send(wanted)
        } catch {
          #expect(error.mayPass && error.wasSent)
          failures += 1
        }
      }
      #expect(failures == 2)
      #expect(server.calls.count == 20, "each send is one request there")
    }
  }

  @Test(
    "of no body is an answer of its own kind",
    arguments: [
      (202, Answer.Kind.accepted), (204, .noContent), (304, .notModified), (200, .content),
      (301, .failed(.status)), (404, .failed(.client)), (429, .failed(.client)),
      (500, .failed(.server)), (503, .failed(.server)),
    ])
  func statuses(status: Int, kind: Answer.Kind) async throws {
    let answer = try await answered(ScriptedServer.answer(status, ["Retry-After: 2"]))
    #expect(answer.status == status && answer.kind == kind && answer.isEndProven)
    #expect(answer.fields["retry-after"] == "2")
  }

  @Test("that ends a body by closing is believed, but the answer tells that nothing proves it")
  func unprovenEnd() async throws {
    let answer = try await answered([.text(Fault.head + "\r\n{\"a\":1"), .close])
    #expect(answer.bodyBytes == 6 && !answer.isEndProven)
  }

  @Test("may send stray bytes behind a status that has no body", arguments: [204, 304])
  func strayBytes(status: Int) async throws {
    let answer = try await answered([.text("HTTP/1.1 \(status) X\r\n\r\nstray"), .close])
    #expect(answer.status == status && answer.body.isEmpty && answer.isEndProven)
  }

  @Test("may send any bytes as a body")
  func anyBytes() async throws {
    let body = Array("{\"a\":\"x\u{0}\u{1B}[2J\"}".utf8) + [0xFF, 0xFE]
    #expect(try await answered(ScriptedServer.answer(body: body)).body == body)
  }

  @Test("may send interim heads, folded fields and trailers; only the head counts")
  func oddHeads() async throws {
    let text =
      "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nX-Fold: a\r\n  b\r\n"
      + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Trailer: t\r\n\r\n"
    let answer = try await answered([.text(text)])
    #expect(answer.body == Array("hi".utf8) && answer.isEndProven)
    #expect(answer.fields["x-fold"] == "a b")
    #expect(answer.fields["link"] == nil && answer.fields["x-trailer"] == nil)
  }

  @Test("that nobody listens for is unreachable, one without a name unresolved; both may pass")
  func nobody() async throws {
    let dead = DeadPort()
    try await withExchange { exchange in
      for (url, kind) in [
        ("\(dead.origin)/", .unreachable), ("http://no-such-host.invalid/", .unresolved),
      ] as [(String, ExchangeFailure.Kind)] {
        let failure = await exchange.failure(try Request(url))
        #expect(failure?.kind == kind && failure?.cause == .network)
        #expect(failure?.mayPass == true && failure?.wasSent == false)
      }
    }
  }
}
