import Glibc
import TestSupport
import Testing

@Suite("Files that are taken away beneath a run", .prompt)
struct RemovedFileTests {
  private let home = Home()

  enum Taken: String, CaseIterable, Sendable {
    case database, databaseReplaced, folder, log, logReplaced, ledger, ledgerReplaced, lock

    /// Done while page 2 is requested, when page 1 is already stored.
    func take(_ home: Home) {
      let data = home.data
      switch self {
      case .database: unlink(home.database)
      case .databaseReplaced: Self.replace(home.database)
      case .folder: rename(data, data + "-elsewhere")
      case .log: unlink("\(home.database)-wal")
      case .logReplaced: Self.replace("\(home.database)-wal")
      case .ledger: unlink("\(data)/ledger.db")
      case .ledgerReplaced: Self.replace("\(data)/ledger.db")
      case .lock: unlink("\(data)/locks/shelf.lock")
      }
    }

    /// Like a restored backup: another file with the same name.
    private static func replace(_ path: String) {
      let other = open("\(path).other", O_WRONLY | O_CREAT | O_CLOEXEC, 0o640)
      close(other)
      rename("\(path).other", path)
    }

    /// The words of the message.
    var words: [String] {
      switch self {
      case .database: ["trawl.db: the database was moved or removed", "run again"]
      case .databaseReplaced: ["trawl.db: another file", "run again"]
      case .folder: ["the data folder was moved", "--data"]
      case .log, .logReplaced: ["trawl.db-wal", "removed or replaced", "trawl prove"]
      case .ledger, .ledgerReplaced: ["ledger.db", "run again"]
      case .lock: ["shelf.lock", "another run", "run again"]
      }
    }
  }

  private func job(_ server: AnswerServer) -> String {
    let pages = "by: \"token\", to: \"?after\", next: \"next\""
    return home.write(Shelf.job(base: server.origin, pages: pages), to: "shelf.json5")
  }

  private static func page(_ number: Int) -> AnswerServer.Reply {
    let next = number < 4 ? ", \"next\": \"p\(number + 1)\"" : ""
    return .json("{\"items\": [{\"id\": \(number), \"title\": \"t\"}]\(next)}")
  }

  private static func number(of call: AnswerServer.Call) -> Int {
    call.target.split(separator: "p").last.flatMap { Int($0) } ?? 1
  }

  @Test(
    "the run ends with 74 and says what was taken and what helps; the next one has all of it",
    arguments: Taken.allCases)
  func taken(what: Taken) async throws {
    let server = AnswerServer { call in
      let number = Self.number(of: call)
      if number == 2, !home.holds("\(home.data)-done") {
        home.makeFolder("\(home.data)-done")
        what.take(home)
      }
      return Self.page(number)
    }
    let job = job(server)
    let ended = await home.trawl("run", job, ends: 74)
    for word in what.words { #expect(ended.errors.holds(word), "\(word): \(ended.errors)") }
    #expect(!ended.errors.holds("complete"), "\(ended.errors)")
    // Each thing is said once, and the job is called as it was. A folder may be missed by one of its files first.
    #expect(what == .folder || !ended.errors.holds("; but"), "\(ended.errors)")
    let advice = ended.errors.split(separator: "\n").filter { $0.hasPrefix("A file could not") }
    #expect(advice.count == 1 && advice[0].hasSuffix(home.advice("trawl run \(job)")), "\(advice)")
    // It stops where it noticed: no further page is requested.
    #expect(server.calls.count <= 3, "\(server.calls.map(\.target))")

    switch what {
    case .folder: rename(home.data + "-elsewhere", home.data)
    // The new file is not ours: the user removes it.
    case .databaseReplaced: unlink(home.database)
    default: break
    }
    await home.trawl("run", job, ends: 0)
    #expect(
      try home.tables.texts("SELECT id FROM shelf_books ORDER BY id") == ["1", "2", "3", "4"])
    #expect(try home.tables.texts("PRAGMA integrity_check") == ["ok"])
    await home.trawl("prove", ends: 0)
  }

  @Test("a run whose report cannot be written still says how it ended")
  func reportRefused() async throws {
    let server = AnswerServer { call in
      let number = Self.number(of: call)
      if number == 2 { home.write("in the way", to: "\(home.data)/reports") }
      return Self.page(number)
    }
    let job = job(server)
    await home.trawl(
      "run", job, ends: 73, saying: "read to the end; unproven", "4 new",
      "the report cannot be written", home.advice("trawl run \(job)"))
  }
}
