import Base
import Glibc
import TestSupport
import Testing
import Transport

@testable import Bucket

@Suite("Files beside the database")
struct SideFileTests {
  private let workers = Workers()

  private func write(_ text: String, _ path: String, _ claim: Claim) throws {
    let full = "\(claim.settings.work)/\(path)"
    try CacheFile.makeFolder(AtomicFile.folder(of: full))
    try CacheFile.write(Array(text.utf8), to: full)
  }

  @Test("go along: what is new, changed or removed on one machine is so on the next")
  func along() throws {
    let a = try workers.claim("a")
    func read(_ path: String, _ claim: Claim) -> String? {
      FileBytes.first(100, of: "\(claim.settings.work)/\(path)").map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    try write("first", "reports/job/1.json", a)
    try write("told", "alerts/told", a)
    try write("draft", "reports/job/2.json.partial", a)
    try a.putFiles()
    let puts = workers.store.requests("PUT trawl/things/reports").count
    try a.putFiles()
    #expect(puts == 1 && workers.store.requests("PUT trawl/things/reports").count == 1)
    try a.leave()
    let b = try workers.claim("b")
    try b.fetchFiles()
    #expect(read("reports/job/1.json", b) == "first" && read("alerts/told", b) == "told")
    #expect(read("reports/job/2.json.partial", b) == nil)
    try write("told again", "alerts/told", b)
    CacheFile.remove("\(b.settings.work)/reports/job/1.json")
    try b.putFiles()
    try b.leave()
    let again = try workers.claim("a")
    try again.fetchFiles()
    #expect(read("reports/job/1.json", again) == nil && read("alerts/told", again) == "told again")
  }

  @Test("are not put by a machine that lost the folder: it would bring back what was removed there")
  func lost() throws {
    let a = try workers.claim("a")
    try write("named", "reports/job/1.json", a)
    workers.time.advance(by: .seconds(61))
    // Nobody came.
    try a.putFiles()
    workers.time.advance(by: .seconds(61))
    let b = try workers.claim("b")
    try b.fetchFiles()
    CacheFile.remove("\(b.settings.work)/reports/job/1.json")
    try b.putFiles()
    try write("named, too", "reports/job/1.json", a)
    for isRenewed in [true, false] {
      #expect(throws: BucketError.fenced(by: b.head.owner)) { try a.putFiles(isRenewed: isRenewed) }
    }
    #expect(workers.store.requests("PUT trawl/things/reports").count == 1)
    #expect(b.isLive)
  }

  @Test("that cannot be read are reported: the bucket's copies may name a forgotten record")
  func unreadable() throws {
    let a = try workers.claim("a")
    try write("whole", "reports/2.json", a)
    // Its first byte cannot be read.
    #expect(symlink("/proc/self/mem", "\(a.settings.work)/reports/1.json") == 0)
    #expect(throws: BucketError.self) { try a.putFiles() }
    #expect(try workers.store.get("trawl/things/reports/2.json") != nil)
  }

  @Test("that cannot be seen now stay in the bucket")
  func unseen() throws {
    let a = try workers.claim("a")
    try write("whole", "reports/job/1.json", a)
    try a.putFiles()
    let folder = "\(a.settings.work)/reports/job"
    // A folder that leads to itself cannot be opened.
    #expect(rename(folder, "\(a.settings.work)/job") == 0 && symlink("job", folder) == 0)
    try a.putFiles()
    #expect(try workers.store.get("trawl/things/reports/job/1.json") != nil)
  }

  @Test("of a name that leads elsewhere are left where they are")
  func hostileNames() throws {
    let hostile = ["reports/../../x", "reports//x", "reports/.x", "alerts/a/../b"]
    for name in hostile + ["reports/good.json"] {
      _ = try workers.store.put("trawl/things/\(name)", [1], type: "")
    }
    let a = try workers.claim("a")
    let before = ScratchFolder.files(in: workers.scratch.path)
    try a.fetchFiles()
    let written = Set(ScratchFolder.files(in: workers.scratch.path)).subtracting(before)
    #expect(written.subtracting(["a/notes/files"]) == ["a/work/reports/good.json"])
  }
}
