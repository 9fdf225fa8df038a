import Base
import Glibc
import TestSupport
import Testing
import Transport

@testable import Bucket

@Suite("Files beside the database")
struct SideFileTests {
  @Test("go along: what is new, changed or removed on one machine is so on the next")
  func along() throws {
    let workers = Workers()
    let a = try workers.claim("a")
    func write(_ text: String, _ path: String, _ claim: Claim) throws {
      let full = "\(claim.settings.work)/\(path)"
      try CacheFile.makeFolder(AtomicFile.folder(of: full))
      try CacheFile.write(Array(text.utf8), to: full)
    }
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
    let workers = Workers()
    let a = try workers.claim("a")
    let report = "\(a.settings.work)/reports/job/1.json"
    try CacheFile.makeFolder(AtomicFile.folder(of: report))
    try CacheFile.write(Array("named".utf8), to: report)
    workers.time.advance(by: .seconds(61))
    // Nobody came.
    try a.putFiles()
    workers.time.advance(by: .seconds(61))
    let b = try workers.claim("b")
    try b.fetchFiles()
    CacheFile.remove("\(b.settings.work)/reports/job/1.json")
    try b.putFiles()
    try CacheFile.write(Array("named, too".utf8), to: report)
    for isRenewed in [true, false] {
      #expect(throws: BucketError.fenced(by: b.head.owner)) { try a.putFiles(isRenewed: isRenewed) }
    }
    #expect(workers.store.requests("PUT trawl/things/reports").count == 1)
    #expect(b.isLive)
  }

  @Test("that cannot be read are reported: the bucket's copies may name a forgotten record")
  func unreadable() throws {
    let workers = Workers()
    let a = try workers.claim("a")
    let reports = "\(a.settings.work)/reports"
    try CacheFile.makeFolder(reports)
    // Its first byte cannot be read.
    #expect(symlink("/proc/self/mem", "\(reports)/1.json") == 0)
    try CacheFile.write([1], to: "\(reports)/2.json")
    #expect(throws: BucketError.self) { try a.putFiles() }
    #expect(try workers.store.get("trawl/things/reports/2.json") != nil)
  }

  @Test("that cannot be seen now stay in the bucket")
  func unseen() throws {
    let workers = Workers()
    let a = try workers.claim("a")
    let folder = "\(a.settings.work)/reports/job"
    try CacheFile.makeFolder(folder)
    try CacheFile.write([1], to: "\(folder)/1.json")
    try a.putFiles()
    // A folder that leads to itself cannot be opened.
    #expect(rename(folder, "\(a.settings.work)/job") == 0 && symlink("job", folder) == 0)
    try a.putFiles()
    #expect(try workers.store.get("trawl/things/reports/job/1.json") != nil)
  }

  @Test("of a name that leads elsewhere are left where they are")
  func hostileNames() throws {
    let workers = Workers()
    for name in ["reports/../../x", "reports//x", "reports/.x", "alerts/a/../b"] {
      _ = try workers.store.put("trawl/things/\(name)", [1], type: "")
    }
    let a = try workers.claim("a")
    try a.fetchFiles()
    #expect(FolderNames.all(of: "\(a.settings.work)/reports").isEmpty)
    #expect(!CacheFile.isThere("\(workers.scratch.path)/x"))
  }
}
