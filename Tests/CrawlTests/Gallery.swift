import Base
import Crawl
@testable import Media
import Store
import TestSupport
import Glibc

/// A job whose records have pictures, run by the real engine with a real database and folder; the test supplies the
/// network.
final class Gallery: Sendable {
  static let base = "https://api.example/v1"

  let scratch: ScratchFolder
  let time = VirtualTime()
  let path: String

  init(in folder: String? = nil) {
    scratch = ScratchFolder()
    path = folder ?? "\(scratch.path)/data"
  }

  // MARK: the job

  /// Pages of records `{"id": 1, "url": "…"}`, as many as the script answers.
  func job(
    base: String = Gallery.base, media: MediaSettings = MediaSettings(), identity: [String] = [],
    hasPictures: Bool = true
  ) throws -> Job {
    var stream = try Base.Stream("pictures", "/pictures", "id integer, url")
    if hasPictures {
      stream.media = [MediaRole(name: "picture", column: "url", identity: identity)]
    }
    var job = try Job("gallery", stream)
    (job.base, job.home) = (try WebAddress(base), try WebAddress(base).origin)
    job.media = media
    return job
  }

  // MARK: one run

  struct Left: Sendable {
    var facts: RunFacts
    var images: ImageTally { facts.images }
    var verdicts: [Verdict] { facts.units.map(\.certificate.verdict) }
  }

  /// - Parameter pause: passes after the run.
  func run(
    _ job: Job, _ exchange: any Exchange, time other: Timekeeper? = nil,
    account: String = "nobody", faults: FaultPoint = .none, travelling: TravellingLedger? = nil,
    then pause: Duration = .zero, _ change: (inout CrawlOptions) -> Void = { _ in },
    tell: @escaping @Sendable (RunEvent) -> Void = { _ in },
    lapse: @escaping @Sendable () -> String? = { nil }
  ) async throws -> Left {
    let time = other ?? time.timekeeper
    let folder = try DataFolder(creating: path)
    let store = try await RecordStore.open(folder, RecordStore.Settings(time: time, faults: faults))
    let ledger = try await QuotaLedger.open(
      file: "\(path)/ledger.db", timekeeper: time, travelling: travelling)
    let migrations = try await store.adopt(job, origin: job.base.origin)
    var options = CrawlOptions()
    change(&options)
    let content = try ContentStore(dataFolder: path, for: .writing)
    var parts = RunParts(
      job: job, options: options, exchange: exchange, time: time, store: store,
      ledger: ledger, content: content, credential: nil, account: account, tell: tell,
      migrations: migrations)
    parts.lapse = lapse
    let facts = try await JobRun(parts).execute()
    await store.close()
    await ledger.close()
    self.time.advance(by: pause)
    return Left(facts: facts)
  }

  /// A backfill of a range, of all streams or of these.
  @discardableResult
  func backfill(
    _ job: Job, _ exchange: any Exchange, _ range: TimeWindow, of streams: [String] = [],
    faults: FaultPoint = .none
  ) async throws -> Left {
    try await run(job, exchange, faults: faults) {
      ($0.command, $0.window, $0.streams) = ("backfill", range, streams)
    }
  }

  // MARK: what it left

  /// Its database between two runs.
  func store<Result>(_ body: (RecordStore) async throws -> Result) async throws -> Result {
    let store = try await RecordStore.open(
      DataFolder(creating: path), RecordStore.Settings(time: time.timekeeper))
    let result = try await body(store)
    await store.close()
    return result
  }

  func proves() async throws -> Bool { try await store { try await $0.prove().holds } }

  func rows(_ sql: String) throws -> [String] {
    try Database("\(path)/trawl.db").rows(sql)
  }

  func change(_ sql: String) throws { try Database("\(path)/trawl.db").change(sql) }

  /// The paths of all image files in the data folder, including `.tmp`.
  func files() -> [String] {
    ScratchFolder.files(in: "\(path)/media").map { "media/\($0)" }.sorted()
  }

  /// Each file is named by its bytes, each row has its file, and none is unfinished.
  func isSound() throws -> Bool {
    let named = files()
    let store = try ContentStore(dataFolder: path, for: .reading)
    let isRight = try named.allSatisfy { file in
      let name = file.split(separator: "/").last ?? ""
      guard let digest = SHA256Digest(hex: name.prefix(64)) else { return false }
      return try ImageKind.allCases.contains { kind in
        try SHA256Digest.of(store.bytes(digest, kind, max: 1 << 26) ?? []) == digest
      }
    }
    let rows = try Set(rows("SELECT path FROM trawl_media"))
    return isRight && rows.isSubset(of: Set(named)) && !named.contains { $0.contains(".tmp") }
  }
}

extension ScriptedExchange {
  /// The pictures that were requested.
  var pictures: [String] {
    asked.map(\.address).filter { $0.path.hasSuffix(".gif") }.map(\.description)
  }
}

/// The answers for a list and its pictures, by the request's path.
struct Album: Sendable {
  /// URLs by page.
  var pages: [[String]]

  static func url(_ number: Int) -> String { "https://img.example/\(number).gif" }

  func page(_ request: Request) -> Answer? {
    guard request.lastPart == "pictures" else { return nil }
    let number = request.number("token") ?? 0
    let before = pages[..<number].reduce(0) { $0 + $1.count }
    let items = pages[number].enumerated().map { #"{"id":\#(before + $0),"url":"\#($1)"}"# }
    return .json(request, listing(items, next: number + 1 < pages.count ? "\(number + 1)" : nil))
  }

  /// - Parameter answer: for each picture.
  func exchange(
    _ answer: @escaping @Sendable (Request) -> Answer = { Album.picture($0) }
  ) -> ScriptedExchange {
    .answering { request, _ in page(request) ?? answer(request) }
  }

  /// The number in the URL determines the bytes.
  static func picture(
    _ request: Request, _ fields: [HeaderField] = [], padding: Int = 40
  ) -> Answer {
    let number = Int(request.lastPart.prefix { $0.isNumber }) ?? 0
    return .whole(request, Picture.gif(number, padding: padding), fields)
  }
}
