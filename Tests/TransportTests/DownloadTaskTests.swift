import Glibc
import Base
import TestSupport
import Transport
import Testing

@Suite("Tasks of downloads", .prompt)
struct DownloadTaskTests {
  /// Remembers the thread on which its bytes arrive.
  private final class ThreadSink: BodySink {
    let thread = Locked<pthread_t?>(nil)

    func begin(_ fields: HeaderFields) {}

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
      thread.withLock { $0 = pthread_self() }
      return true
    }
  }

  private static var here: pthread_t { pthread_self() }

  @Test("run on the thread that the bytes come by, before a request and behind it")
  func thread() async throws {
    try await meet(ScriptedServer.json("{}")) { server, exchange in
      let request = try Request(server.url())
      let sink = ThreadSink()
      let threads = try await withTaskExecutorPreference(exchange.downloadExecutor) {
        let before = Self.here
        _ = try await exchange.send(request, into: sink)
        return [before, Self.here]
      }
      let own = try #require(sink.thread.withLock { $0 })
      #expect(threads == [own, own])
    }
  }

  @Test("make many requests, one out of the other and side by side")
  func many() async throws {
    try await meet(ScriptedServer.json("{}")) { server, exchange in
      let request = try Request(server.url())
      let answered = await withTaskExecutorPreference(exchange.downloadExecutor) {
        await withTaskGroup(of: Int.self) { group in
          for _ in 0..<20 {
            group.addTask {
              var answered = 0
              for _ in 0..<10 {
                if (try? await exchange.send(request, into: ThreadSink())) != nil {
                  answered += 1
                }
              }
              return answered
            }
          }
          return await group.reduce(0, +)
        }
      }
      #expect(answered == 200)
    }
  }

  /// When nothing is left to do the loop sleeps: a post at that moment must wake it, and what it posts itself while it
  /// starts an impossible request must keep it awake. Each failure would cost a second of sleep.
  @Test("are never slept over, whoever posts them and whenever", .timeLimit(.minutes(10)))
  func awake() async throws {
    // The run has no time left, so it ends at once.
    var limits = TransferLimits()
    limits.runTimeLeft = .zero
    let refused = Request(
      try WebAddress("http://10.0.0.1/"), rule: AddressRule(), limits: limits)
    try await withExchange { exchange in
      let rounds = await withTaskGroup(of: Int.self) { group in
        for task in 0..<8 {
          group.addTask {
            var rounds = 0
            for _ in 0..<2_000 {
              rounds += await withTaskExecutorPreference(exchange.downloadExecutor) {
                guard task % 2 == 0 else { return 1 }
                return (try? await exchange.send(refused, into: ThreadSink())) == nil ? 1 : 0
              }
            }
            return rounds
          }
        }
        return await group.reduce(0, +)
      }
      #expect(rounds == 16_000)
      // Without others that would wake the loop.
      let alone = await withTaskExecutorPreference(exchange.downloadExecutor) {
        var rounds = 0
        for _ in 0..<2_000 {
          if (try? await exchange.send(refused, into: ThreadSink())) == nil { rounds += 1 }
        }
        return rounds
      }
      #expect(alone == 2_000)
    }
  }

  @Test("go on elsewhere when the exchange has ended, whenever that is", arguments: 0..<20)
  func ended(turn: Int) async throws {
    let exchange = try CurlExchange(options())
    let (words, speaker) = AsyncStream.makeStream(of: Int.self)
    let task = Task(executorPreference: exchange.downloadExecutor) {
      var sum = 0
      for await word in words { sum += word }
      return sum
    }
    async let end: Void = exchange.close()
    for word in 0..<100 { speaker.yield(word) }
    await end
    speaker.yield(50)
    speaker.finish()
    #expect(await task.value == 5_000)
  }
}
