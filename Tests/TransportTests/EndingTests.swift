import Glibc
import Base
import TestSupport
@testable import Transport
import Testing

@Suite("Every request ends once", .prompt)
struct EndingTests {
  @Test("when its task is cancelled while it waits for the answer")
  func cancelledWaiting() async throws {
    try await meet([.hold]) { server, exchange in
      let wanted = try Request(server.url())
      let task = Task { await exchange.failure(wanted) }
      try await until("the call is read") { !server.calls.isEmpty }
      task.cancel()
      let failure = await task.value
      #expect(failure?.kind == .cancelled && failure?.mayPass == false)
      #expect(failure?.wasSent == true)
      try await expectGivenBack(exchange.census)
    }
  }

  @Test("when its task is cancelled before it is sent, while it waits for its turn")
  func cancelledEarly() async throws {
    try await meet(
      [.hold], options: { _ in options { $0.connectionsPerHostMax = 1 } }
    ) { server, exchange in
      let wanted = try Request(server.url())
      let first = Task { await exchange.failure(wanted) }
      try await until("the call is read") { !server.calls.isEmpty }
      let queued = (0..<20).map { _ in Task { await exchange.failure(wanted) } }
      for task in queued { task.cancel() }
      for task in queued {
        let failure = await task.value
        #expect(failure?.kind == .cancelled && failure?.wasSent == false)
      }
      #expect(server.connections == 1)
      first.cancel()
      _ = await first.value
    }
  }

  @Test("when the exchange is closed, and nothing is taken afterwards")
  func closed() async throws {
    try await meet([.hold]) { server, exchange in
      let wanted = try Request(server.url())
      let tasks = (0..<20).map { _ in Task { await exchange.failure(wanted) } }
      try await until("six calls are read") { server.calls.count >= 6 }
      await exchange.close()
      for task in tasks {
        let failure = await task.value
        #expect(failure?.kind == .closed)
      }
      let late = await exchange.failure(wanted)
      #expect(late?.kind == .closed && late?.wasSent == false)
      await exchange.close()
    }
  }

  @Test("when answers, cancellations and the closing race each other")
  func race() async throws {
    let server = serve { $0.path == "/hold" ? [.hold] : ScriptedServer.json("{}") }
    for round in 0..<20 {
      try await withExchange { exchange in
        let kinds = await withTaskGroup(of: String.self) { group in
          for index in 0..<40 {
            let path = index % 3 == 0 ? "/hold" : "/"
            guard let wanted = try? Request(server.url(path)) else { continue }
            group.addTask {
              let task = Task {
                do throws(ExchangeFailure) {
                  return "\(try await exchange.send(wanted).status)"
                } catch {
                  return error.kind.rawValue
                }
              }
              for _ in 0..<(index * (round % 5)) { await Task.yield() }
              if index % 2 == 0 { task.cancel() }
              return await task.value
            }
          }
          group.addTask {
            for _ in 0..<(round * 20) { await Task.yield() }
            await exchange.close()
            return "closed"
          }
          return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(kinds.count == 41)
        #expect(kinds.allSatisfy { ["200", "cancelled", "closed"].contains($0) })
      }
    }
  }

  @Test("when the exchange itself goes away without a close, and its connections with it")
  func dropped() async throws {
    let server = serve(ScriptedServer.json("{}"))
    let census: Locked<Int>
    do {
      let exchange = try CurlExchange(options())
      census = exchange.census
      _ = try await exchange.send(Request(server.url()))
      #expect(server.openConnections == 1)
    }
    try await until("its connection is closed") { server.openConnections == 0 }
    try await expectGivenBack(census)
  }

  @Test("with 2,000 requests over at most 8 connections")
  func many() async throws {
    let server = serve { ScriptedServer.json("{\"n\":\"\($0.path)\"}") }
    let settings = options { ($0.connectionsMax, $0.connectionsPerHostMax) = (8, 8) }
    try await withExchange(settings) { exchange in
      let whole = await withTaskGroup(of: Bool.self) { group in
        for index in 0..<2000 {
          group.addTask {
            guard let request = try? Request(server.url("/\(index)")) else { return false }
            let answer = try? await exchange.send(request)
            return answer?.body == Array("{\"n\":\"/\(index)\"}".utf8)
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(whole == 2000 && server.calls.count == 2000)
      #expect(server.connections <= 8)
    }
  }

  @Test("with 200 at once for a server that can hardly take one")
  func tinyBacklog() async throws {
    let server = serve(backlog: 1) { _ in ScriptedServer.json("{}") + [.close] }
    try await withExchange { exchange in
      var limits = TransferLimits()
      limits.totalTimeout = .seconds(60)
      let wanted = limits
      let ended = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<200 {
          group.addTask {
            guard let request = try? Request(server.url(), limits: wanted) else { return false }
            // A kept connection may close during a request, which is then repeated by hand.
            while true {
              do throws(ExchangeFailure) {
                _ = try await exchange.send(request)
                return true
              } catch {
                if !error.mayPass { return false }
              }
            }
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(ended == 200)
    }
  }

  @Test("and a host that hangs does not hold up another")
  func fairness() async throws {
    let slow = serve([.hold])
    try await meet(ScriptedServer.json("{}")) { fast, exchange in
      let wanted = try Request(slow.url())
      let stuck = (0..<50).map { _ in Task { await exchange.failure(wanted) } }
      try await until("six calls are read") { slow.calls.count >= 6 }
      let answer = try await exchange.send(Request(fast.url()))
      #expect(answer.status == 200)
      #expect(slow.connections == 6)
      for task in stuck { task.cancel() }
      for task in stuck { _ = await task.value }
    }
  }

  @Test("and a used connection that has died is replaced without a word")
  func deadConnection() async throws {
    try await meet { call in
      ScriptedServer.json("{}") + (call.path == "/last" ? [.close] : [])
    } _: { server, exchange in
      for path in ["/a", "/last", "/b", "/c"] {
        let answer = try await exchange.send(Request(server.url(path)))
        #expect(answer.status == 200)
        guard path == "/last" else { continue }
        try await until("the server has closed") { server.openConnections == 0 }
      }
      #expect(server.calls.map(\.path) == ["/a", "/last", "/b", "/c"])
    }
  }
}
