import Base
import Commands
import Glibc
import TestSupport
import Testing

/// A small API whose records come, change and go, and a data folder that is run against it every night, with a user's
/// forgetting, backups, restores and kills.
private final class ForgettingMonth: Sendable {
  static let retainDays = 10
  private static let pageSize = 8

  struct Model: Sendable {
    var world: [String: Int] = [:]
    /// The last night on which each record came.
    var seen: [String: Int] = [:]
    var forgotten: Set<String> = []
    /// The same two when the backup was made.
    var backup: (seen: [String: Int], forgotten: Set<String>)?
    var named = 0
    /// Forgotten at the time of the backup, let return, and forgotten again by the restore.
    var shownSince: Set<String> = []
  }

  let scratch = ScratchFolder()
  let time = VirtualTime()
  let model = Locked(Model())
  private let random: Locked<SeededRandom>
  private let folder = Locked(0)
  private let forgottenByRuns = Locked(0)

  var data: String { "\(scratch.path)/data-\(folder.withLock { $0 })" }
  var database: String { "\(data)/trawl.db" }
  private var backup: String { "\(scratch.path)/backup.db" }
  private var job: String { "\(scratch.path)/box.json5" }
  var countedByRuns: Int { forgottenByRuns.withLock { $0 } }

  init(seed: UInt64) throws {
    random = Locked(SeededRandom(seed: seed))
    let text = """
      {
        base: "https://api.example", retain: "\(Self.retainDays)d",
        streams: {
          things: {
            get: "/things", pages: { by: "number", to: "?page", size: "?limit=\(Self.pageSize)" },
            total: "total counted", records: "things", columns: ["id", "title"],
            list: "listed", vanish: "mark", inserts: true, items: { title: "title" },
          },
          details: {
            for: { each: "things.id", when: "stale 4d", batch: 5 }, get: "/details",
            query: { ids: "{id}" }, records: "details", into: "things", key: ["id"],
            columns: ["id", "body"],
          },
        },
      }
      """
    Golden.write(text, to: job)
  }

  func draw(_ count: Int) -> Int { random.withLock { Int($0.next() % UInt64(count)) } }

  // MARK: the API

  private var exchange: ScriptedExchange {
    ScriptedExchange { [self] request, _ in
      let world = model.withLock { $0.world }
      let body: String
      if request.address.path.hasSuffix("details") {
        let ids = (request["ids"] ?? "").split(separator: ",").map(String.init)
        let found = ids.filter { world[$0] != nil }
        let records = found.map { #"{"id":"\#($0)","body":"what \#($0) is about"}"# }
        body = #"{"details":[\#(records.joined(separator: ","))]}"#
      } else {
        let ids = world.keys.sorted()
        let first = ((request.number("page") ?? 1) - 1) * Self.pageSize
        let records = ids.dropFirst(first).prefix(Self.pageSize).map {
          #"{"id":"\#($0)","title":"\#($0) in version \#(world[$0] ?? 0)"}"#
        }
        body = #"{"total":\#(ids.count),"things":[\#(records.joined(separator: ","))]}"#
      }
      return .success(
        .json(request, body, [HeaderField("Content-Type", "application/json")], at: time.now))
    }
  }

  func change() {
    model.withLock { model in
      let isFirst = model.world.isEmpty
      for _ in 0..<(isFirst ? 40 : draw(5)) {
        model.named += 1
        model.world["thing-\(model.named)-\(draw(9_000) + 1_000)"] = 1
      }
      if isFirst { return }
      for id in model.world.keys.sorted() {
        switch draw(24) {
        case 0: model.world[id] = nil
        case 1...3: model.world[id, default: 0] += 1
        default: continue
        }
      }
    }
  }

  // MARK: commands

  @discardableResult
  func trawl(_ words: [String], faults: FaultPoint = .none) async -> (code: Int32, told: String) {
    let path = "\(scratch.path)/told"
    let file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(file) }
    let code = await Program.perform(
      words + ["--data", data], environment: ["HOME": scratch.path], output: file, errors: file,
      StandIns(exchange: exchange, time: time.timekeeper, faults: faults))
    return (code, String(decoding: FileBytes.first(1_000_000, of: path) ?? [], as: UTF8.self))
  }

  /// What kill -9 leaves at a visit of a place: a copy of the folder, with which the test continues.
  private func killing(at place: FaultPoint.Place, visit: Int) -> (FaultPoint, Locked<Bool>) {
    let (visits, isKilled) = (Locked(0), Locked(false))
    let (source, target) = (data, "\(scratch.path)/data-\(folder.withLock { $0 } + 1)")
    let fault = FaultPoint { reached in
      guard reached == place,
        visits.withLock({
          $0 += 1; return $0
        }) == visit
      else { return }
      let copy = popen("cp -a '\(source)' '\(target)'", "r")
      if let copy, pclose(copy) == 0 { isKilled.withLock { $0 = true } }
    }
    return (fault, isKilled)
  }

  /// Runs a command that may be killed; if so, runs it once more.
  func perform(
    _ words: [String], killedAt places: [FaultPoint.Place], ends codes: [Int32]
  ) async {
    if draw(3) == 0, !places.isEmpty {
      let (fault, isKilled) = killing(at: places[draw(places.count)], visit: 1 + draw(3))
      let ended = await trawl(words, faults: fault)
      guard isKilled.withLock({ $0 }) else {
        return #expect(codes.contains(ended.code), "\(words): \(ended)")
      }
      folder.withLock { $0 += 1 }
    }
    let ended = await trawl(words)
    #expect(codes.contains(ended.code), "\(words): \(ended)")
  }

  func run(night: Int) async {
    await perform(
      ["run", job],
      killedAt: [
        .beforePageCommit, .afterPageCommit, .beforeCertificate, .afterCertificate,
        .beforeForgetting, .afterForgetting, .afterWiping, .beforeReport,
      ], ends: [0, 3])
    let report = await trawl(["report", "box", "--json"])
    // Not JSON: the run has no report.
    if let document = try? JSONDocument.read(Array(report.told.utf8)) {
      forgottenByRuns.withLock { $0 += Int(document.root["forgotten"]?.integer ?? 0) }
    }
    model.withLock { model in
      for id in model.world.keys where !model.forgotten.contains(id) { model.seen[id] = night }
    }
  }

  func forget(_ ids: [String]) async {
    guard !ids.isEmpty else { return }
    // Repeated after a kill behind its transaction, it finds nothing left to forget.
    await perform(
      ["forget", "box_things"] + ids,
      killedAt: [.beforeForgetting, .afterForgetting, .afterWiping], ends: [0, 3])
    model.withLock { model in
      for id in ids {
        model.forgotten.insert(id)
        model.shownSince.remove(id)
        model.seen[id] = nil
      }
    }
  }

  func letReturn(_ id: String) async {
    let ended = await trawl(["forget", "--undo", "box_things", id])
    #expect(ended.code == 0, "\(ended)")
    model.withLock { _ = $0.forgotten.remove(id) }
  }

  func makeBackup() async {
    let ended = await trawl(["backup", backup])
    #expect(ended.code == 0, "\(ended)")
    model.withLock { $0.backup = ($0.seen, $0.forgotten) }
  }

  func restore() async {
    guard let kept = model.withLock({ $0.backup }) else { return }
    // Records let return since the backup may stay in files outside of it.
    model.withLock { $0.shownSince.formUnion(kept.forgotten.subtracting($0.forgotten)) }
    let ended = await trawl(["restore", backup, "--replace"])
    #expect(ended.code == 0, "\(ended)")
    // The replaced database is a copy, which its owner removes.
    for name in FolderNames.all(of: data) where name.hasPrefix("trawl.db.before-") {
      unlink("\(data)/\(name)")
    }
    model.withLock { model in
      model.forgotten.formUnion(kept.forgotten)
      model.seen = kept.seen.filter { !model.forgotten.contains($0.key) }
    }
  }

  // MARK: expectations

  /// The stored records: all that were seen within the time, none that is forgotten.
  func expectPlanned(night: Int) async throws {
    let model = model.withLock { $0 }
    let here = Set(try Database(database).rows("SELECT id FROM box_things"))
    let must = model.seen.filter { night - $0.value < Self.retainDays }.map(\.key)
    let may = model.seen.filter { night - $0.value <= Self.retainDays }.map(\.key)
    #expect(here.isSuperset(of: must), "night \(night): \(Set(must).subtracting(here)) is gone")
    #expect(here.isSubset(of: may), "night \(night): \(here.subtracting(may)) is still there")
    let proved = await trawl(["prove"])
    #expect(proved.code == 0, "night \(night): \(proved.told)")
    let findings = try await IndependentChecker.findings(in: [database])[database]
    #expect(findings?.map(\.what) == [], "night \(night)")
    let gone = model.forgotten.union(model.seen.keys).subtracting(here)
      .subtracting(model.shownSince)
      .filter { model.world[$0] == nil || model.forgotten.contains($0) }
    let words = gone.map { "-e '\($0)'" }.joined(separator: " ")
    guard !gone.isEmpty, let found = popen("cd '\(data)' && grep -raoFw \(words) . | head -3", "r")
    else { return }
    var line = [CChar](repeating: 0, count: 200)
    let isFound = fgets(&line, 200, found) != nil
    pclose(found)
    #expect(
      !isFound,
      "night \(night): \(String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)) is in a file"
    )
  }
}

@Suite("A month of nights with forgetting")
struct ForgettingMonthTests {
  @Test(
    "ends as planned: what is forgotten stays away without a byte, and each night proves",
    arguments: Torture.seeds(plain: 1, long: 12))
  func month(seed: UInt64) async throws {
    let month = try ForgettingMonth(seed: seed)
    for night in 1...(Torture.isOn ? 31 : 16) {
      month.change()
      await month.run(night: night)
      let model = month.model.withLock { $0 }
      let here = model.seen.filter { $0.value == night }.keys.sorted()
      switch month.draw(6) {
      case 0, 1:
        let drawn: Set = [here[month.draw(here.count)], here[month.draw(here.count)]]
        await month.forget(drawn.sorted())
      case 2: await month.makeBackup()
      case 3:
        await month.restore()
        await month.run(night: night)
      case 4: if let id = model.forgotten.sorted().first { await month.letReturn(id) }
      default: break
      }
      try await month.expectPlanned(night: night)
      month.time.advance(by: .seconds(86_400))
    }
    #expect(month.countedByRuns > 0)
  }
}
