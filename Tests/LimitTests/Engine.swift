import Base
import Crawl
@testable import Jobs
import SandboxKit
import Store
import TestSupport
import Transport
import Synchronization
import Testing

/// The real engine, database, ledger and transport against a sandbox, all on one virtual clock.
final class Engine: Sendable {
  let scratch = ScratchFolder(isInMemory: true)
  let time: VirtualTime
  let sandbox: Sandbox
  let exchange: CurlExchange
  private let told = Mutex<[RunEvent]>([])
  /// Runs that are under way, and whether one has overlapped the other.
  private let underWay = Mutex(0)

  init(at start: Instant = Instant(seconds: 1_795_269_600), _ options: SandboxOptions) throws {
    time = VirtualTime(at: start)
    var options = options
    options.time = time.timekeeper
    sandbox = try Sandbox.start(options)
    exchange = try CurlExchange(
      TransportOptions(version: "tests"), timekeeper: time.timekeeper)
  }

  deinit { sandbox.stop() }

  var events: [RunEvent] { told.withLock { $0 } }

  /// A shipped job, aimed at the sandbox, without the quotas that are mere courtesy.
  func job(_ name: String) throws -> Job {
    var job = try JobLibrary(userFolder: nil, systemFolder: nil).job(name)
    job.base = try WebAddress(sandbox.endpoint(for: name))
    job.quotas.removeAll(where: \.isCourtesy)
    return job
  }

  /// One run. Ledgers are shared by all of this engine, databases by those of one folder.
  func run(
    _ job: Job, in folder: String = "data", key: String? = nil,
    _ change: (inout CrawlOptions) -> Void = { _ in },
    onEvent: @escaping @Sendable (RunEvent) -> Void = { _ in }
  ) async throws -> RunFacts {
    var options = CrawlOptions()
    options.allowsLoopback = true
    options.fetchesImages = false
    change(&options)
    let place = try DataFolder(creating: "\(scratch.path)/\(folder)")
    let store = try await RecordStore.open(
      place, RecordStore.Settings(time: time.timekeeper))
    let ledger = try await QuotaLedger.open(file: ledgerFile, timekeeper: time.timekeeper)
    let migrations = try await store.adopt(job, origin: job.base.origin)
    let credential = key.map {
      Credential(
        place: job.authentication?.place ?? .query(name: "key"), secret: Secret($0),
        origins: [job.base.origin])
    }
    told.withLock { $0 = [] }
    let run = try await JobRun(
      RunParts(
        job: job, options: options, exchange: exchange, time: time.timekeeper, store: store,
        ledger: ledger, content: nil, credential: credential, account: key ?? "no key",
        tell: { event in
          self.told.withLock { $0.append(event) }
          onEvent(event)
        }, migrations: migrations))
    let isAlone = underWay.withLock { count in
      count += 1
      return count == 1
    }
    let before = sandbox.requests().count
    let facts = await run.execute()
    let wasAlone = underWay.withLock { count in
      count -= 1
      return isAlone && count == 0
    }
    // Each request on the wire is one that the run has counted, and the other way round.
    if wasAlone {
      #expect(facts.requests.sent + facts.images.requests == sandbox.requests().count - before)
    }
    await store.close()
    await ledger.close()
    return facts
  }

  var ledgerFile: String { "\(scratch.path)/ledger.db" }

  func texts(_ sql: String, in folder: String = "data") throws -> [String] {
    try Database("\(scratch.path)/\(folder)/trawl.db").rows(sql, null: "")
  }
}

extension RunFacts {
  var kinds: Set<RunOutcome.Kind> { outcome.kinds }

  func certificate(of stream: String) -> Certificate? {
    units.last { $0.stream == stream }?.certificate
  }
}
