import Base
@testable import Crawl
import TestSupport
import Testing

@Suite("What the ledger has set aside, and has not synced yet")
struct AheadTests: LedgerBench {
  let folder = ScratchFolder()
  let time = VirtualTime()

  private func open(
    boot: String? = "one", _ faults: FaultPoint = .none, at path: String? = nil
  ) async throws -> QuotaLedger {
    try await QuotaLedger.open(
      file: path ?? self.path, timekeeper: time.timekeeper, faults: faults, boot: boot)
  }

  private func copy(to target: String) {
    for end in ["", "-wal"] { Golden.write(Golden.bytes(path + end) ?? [], to: target + end) }
  }

  /// After a power cut a disk has at least what the last sync wrote.
  @Test("counts as spent after a power cut, whenever it comes", arguments: 0..<30)
  func powerCut(seed: Int) async throws {
    var random = SeededRandom(seed: UInt64(seed))
    let allow = [3, 40, 1_000, 5_000][seed % 4]
    let ask = ask(allow: allow)
    let synced = "\(folder.path)/synced.db"
    let ledger = try await open(
      FaultPoint { place in
        if place == .afterLedgerSync { copy(to: synced) }
      })
    var granted = 0
    for _ in 0..<Int(1 + random.next() % 2_000) {
      guard case .granted(let reservation, _) = try await ledger.reserve([ask], job: "j") else {
        break
      }
      granted += 1
      if random.next() % 20 == 0 {
        try await ledger.release(reservation)
        granted -= 1
      }
      time.advance(by: .milliseconds(Int64(random.next() % 4)))
    }
    let after = try await open(boot: "two", at: synced)
    let left = try await after.left(in: ask)
    #expect(left.left + granted <= allow, "\(left.left) are left, and \(granted) were sent")
    // And it costs at most a quarter of the whole.
    #expect(left.left + granted + allow / 4 + granted / 10 + 2 >= allow)
    await after.close()
    await ledger.close()
  }

  @Test("counts for nothing where the process died and the machine did not")
  func killed() async throws {
    let ask = ask(allow: 100)
    let killed = try await open()
    for _ in 0..<10 { _ = try await killed.reserve([ask], job: "j") }
    let next = try await open()
    #expect(try await next.left(in: ask).left == 90)
    await next.close()
    await killed.close()
    let later = try await open(boot: "two")
    #expect(try await later.left(in: ask).left == 90, "what was given back at the end is not lost")
  }

  @Test("is forgotten once its stretch is over, though nobody gave it back")
  func old() async throws {
    let ask = ask(allow: 100)
    let killed = try await open()
    for _ in 0..<10 { _ = try await killed.reserve([ask], job: "j") }
    time.advance(by: .seconds(4 * 3600))
    let later = try await open(boot: "two")
    #expect(try await later.left(in: ask).left == 100)
    await later.close()
    await killed.close()
  }

  @Test(
    "is synced about once for each tenth of a second, and each time where nothing tells starts apart"
  )
  func syncs() async throws {
    let cases: [(String?, ClosedRange<Int>)] = [("one", 10...30), (nil, 2_000...2_000)]
    for (boot, expected) in cases {
      let syncs = Locked(0)
      let place = "\(folder.path)/\(boot ?? "none").db"
      let ledger = try await open(
        boot: boot, FaultPoint { if $0 == .afterLedgerSync { syncs.withLock { $0 += 1 } } },
        at: place)
      let ask = ask(allow: 100_000)
      for _ in 0..<2_000 {
        _ = try await ledger.reserve([ask], job: "j")
        time.advance(by: .milliseconds(1))
      }
      let count = syncs.withLock { $0 }
      #expect(expected.contains(count), "\(count) syncs in two seconds")
      await ledger.close()
    }
  }

  @Test("uses that lie close together are one row: what is summed does not grow with them")
  func rows() async throws {
    let ledger = try await open()
    let ask = ask(allow: 100_000)
    for _ in 0..<4_000 {
      _ = try await ledger.reserve([ask], job: "j")
      time.advance(by: .milliseconds(30))
    }
    #expect(try await ledger.left(in: ask).left == 96_000)
    // Two minutes, with one row for each 3.6 s.
    await ledger.close()
    let rows = try Database(path).rows("SELECT id FROM trawl_uses").count
    #expect((1...36).contains(rows), "\(rows)")
  }
}
