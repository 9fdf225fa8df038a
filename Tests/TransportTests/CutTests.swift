import Glibc
import Base
import SandboxKit
import TestSupport
import Transport
import Testing

/// How a body is sent, so that it can be truncated anywhere.
enum Sending: String, CaseIterable, Sendable {
  /// Plain, with its length.
  case plain
  /// Plain, in chunks.
  case chunked
  /// gzip, with its length.
  case gzip
  /// gzip in chunks.
  case gzipChunked
  /// gzip that was truncated behind the server, which then framed it correctly: the message is valid, and libcurl
  /// accepts it.
  case gzipCutBefore, gzipCutBeforeChunked
  /// gzip up to the end of the connection.
  case gzipUntilClose

  static let plainBody = Array((0..<300).map { "{\"id\":\($0)}" }.joined(separator: ",").utf8)
  static let packedBody = GzipPacker.packed(plainBody)

  var fullBody: [UInt8] {
    switch self {
    case .plain, .chunked: Self.plainBody
    default: Self.packedBody
    }
  }

  /// The whole answer, or its first `cut` bytes. Heads are truncated too, unless the frame around a truncated body is
  /// valid.
  func answer(cut: Int?) -> [UInt8] {
    var head = "HTTP/1.1 200 OK\r\n"
    if self != .plain, self != .chunked { head += "Content-Encoding: gzip\r\n" }
    let body = fullBody
    func whole(_ body: [UInt8], isChunked: Bool) -> [UInt8] {
      guard isChunked else {
        return Array((head + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
      }
      var bytes = Array((head + "Transfer-Encoding: chunked\r\n\r\n").utf8)
      for start in stride(from: 0, to: body.count, by: 100) {
        let piece = body[start..<min(start + 100, body.count)]
        bytes += Array((String(piece.count, radix: 16) + "\r\n").utf8) + piece + [13, 10]
      }
      return bytes + Array("0\r\n\r\n".utf8)
    }
    switch self {
    case .gzipCutBefore, .gzipCutBeforeChunked:
      let kept = Array(body[..<(cut ?? body.count)])
      return whole(kept, isChunked: self == .gzipCutBeforeChunked)
    case .gzipUntilClose:
      let all = Array((head + "\r\n").utf8) + body
      return Array(all[..<(cut ?? all.count)])
    case .plain, .gzip, .chunked, .gzipChunked:
      let all = whole(body, isChunked: self == .chunked || self == .gzipChunked)
      return Array(all[..<(cut ?? all.count)])
    }
  }

  /// One more than the greatest cut. After the last chunk's size and line end no part of the body can be missing, and
  /// libcurl does not wait for the last line feed.
  var cutEnd: Int {
    switch self {
    case .gzipCutBefore, .gzipCutBeforeChunked: fullBody.count
    case .chunked, .gzipChunked: answer(cut: nil).count - 1
    case .plain, .gzip, .gzipUntilClose: answer(cut: nil).count
    }
  }
}

@Suite("A body that was cut", .prompt)
struct CutTests {
  /// Cuts come from a fixed seed, so that failures can be repeated.
  @Test("is never taken for whole, wherever the cut is", arguments: Sending.allCases)
  func cuts(sending: Sending) async throws {
    var seed: UInt64 = 20_261_121
    let cuts = (0..<1000).map { _ in
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      // Without any byte of the body it is empty, not truncated, which the caller sees.
      return 1 + Int(seed >> 33) % (sending.cutEnd - 1)
    }
    try await meet { call in
      guard let cut = Int(call.path.dropFirst()) else {
        return [.send(sending.answer(cut: nil)), .close]
      }
      return [.send(sending.answer(cut: cut)), .close]
    } _: { server, exchange in
      let answer = try await exchange.send(Request(server.url("/whole")))
      #expect(answer.bodyBytes == Sending.plainBody.count && answer.isEndProven)
      var accepted: [Int] = []
      for cut in cuts {
        do {
          _ = try await exchange.send(Request(server.url("/\(cut)")))
          accepted.append(cut)
        } catch {
          #expect((error as? ExchangeFailure)?.kind == .cut, "\(sending) at \(cut): \(error)")
        }
      }
      #expect(accepted.isEmpty, "of \(cuts.count) cuts")
    }
  }

  @Test("is told from a packed body with a wrong check sum or length, or with something behind it")
  func damaged() async throws {
    let whole = GzipPacker.packed(Array("{\"a\":1}".utf8))
    var wrongSum = whole
    wrongSum[whole.count - 8] ^= 1
    var wrongLength = whole
    wrongLength[whole.count - 1] ^= 1
    let bodies = [wrongSum, wrongLength, whole + [0], whole + Array("more".utf8)]
    try await meet { call in
      let index = Int(call.path.dropFirst()) ?? 0
      return ScriptedServer.answer(200, ["Content-Encoding: gzip"], body: bodies[index])
    } _: { server, exchange in
      for index in bodies.indices {
        let failure = await exchange.failure(try Request(server.url("/\(index)")))
        let kinds: [ExchangeFailure.Kind] = [.malformed, .cut]
        #expect(failure.map { kinds.contains($0.kind) } == true, "body \(index)")
      }
    }
  }

  @Test("in two packed parts is one body")
  func members() async throws {
    let body = GzipPacker.packed(Array("{\"a\":".utf8)) + GzipPacker.packed(Array("1}".utf8))
    let answer = try await answered(
      ScriptedServer.answer(200, ["Content-Encoding: x-gzip"], body: body))
    #expect(String(decoding: answer.body, as: UTF8.self) == "{\"a\":1}")
    #expect(answer.isEndProven && answer.bodyBytes == 7)
  }

  @Test("to nothing, but announced so, is empty")
  func empty() async throws {
    let answer = try await answered(ScriptedServer.answer(200, ["Content-Encoding: gzip"]))
    #expect(answer.body.isEmpty && answer.isEndProven)
  }
}
