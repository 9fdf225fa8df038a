import Testing

@testable import Base

@Suite("A time zone")
struct ZoneRulesTests {
  private static func instant(_ text: String) throws -> Instant {
    try #require(Instant(rfc3339: text))
  }

  @Test(
    "changes its offset at the very second",
    arguments: [
      ("America/Los_Angeles", "2026-03-08T10:00:00Z", -8, -7),
      ("America/Los_Angeles", "2026-11-01T09:00:00Z", -7, -8),
      ("Europe/Berlin", "2026-03-29T01:00:00Z", 1, 2),
      ("Europe/Berlin", "2026-10-25T01:00:00Z", 2, 1),
      ("America/Los_Angeles", "2099-03-08T10:00:00Z", -8, -7),
      ("Europe/Berlin", "2099-10-25T01:00:00Z", 2, 1),
      ("Australia/Sydney", "2080-04-06T16:00:00Z", 11, 10),
    ])
  func transitions(name: String, at: String, before: Int, after: Int) throws {
    let zone = try ZoneRules.load(name)
    let instant = try Self.instant(at)
    #expect(zone.offset(at: instant - .seconds(1)) == before * 3600)
    #expect(zone.offset(at: instant) == after * 3600)
  }

  @Test(
    "without changes keeps one offset for ever, and knows its own past: Seoul had half an hour less",
    arguments: [("1954-12", 510), ("1995-07", 540), ("2026-07", 540), ("2400-07", 540)])
  func seoul(month: String, minutes: Int) throws {
    let zone = try ZoneRules.load("Asia/Seoul")
    #expect(zone.offset(at: try Self.instant("\(month)-01T00:00:00Z")) == minutes * 60)
  }

  @Test(
    "gives one instant for each local time, the skipped and the doubled included",
    arguments: [
      ("2026-03-08T01:59:59", "2026-03-08T09:59:59Z"),
      ("2026-03-08T02:30:00", "2026-03-08T10:30:00Z"),
      ("2026-03-08T03:00:00", "2026-03-08T10:00:00Z"),
      ("2026-11-01T01:30:00", "2026-11-01T08:30:00Z"),
      ("2026-11-01T02:00:00", "2026-11-01T10:00:00Z"),
      ("2026-07-04T00:00:00", "2026-07-04T07:00:00Z"),
    ])
  func local(civil: String, expected: String) throws {
    let zone = try ZoneRules.load("America/Los_Angeles")
    let civil = CivilTime(try Self.instant(civil + "Z"))
    #expect(zone.instant(of: civil)?.description == expected)
  }

  @Test("shows a time that reads back to its instant, every 7 hours for 30 years")
  func roundTrip() throws {
    for name in ["America/Los_Angeles", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe"] {
      let zone = try ZoneRules.load(name)
      var wrong = 0
      for step in 0..<37_000 {
        let instant = Instant(seconds: 1_000_000_000 + Int64(step) * 7 * 3600)
        let back = zone.instant(of: zone.civil(at: instant))
        // The second pass of a repeated hour reads back as the first.
        if back != instant && back.map({ instant - $0 <= .seconds(3600) }) != true { wrong += 1 }
      }
      #expect(wrong == 0, "\(name)")
    }
  }

  @Test(
    "is asked for by a name that stays in its folder",
    arguments: [
      "", "/etc/passwd", "../passwd", "Europe/../../x", "Europe//Berlin", "Europe/", ".", "a b",
      "Europe/Berlin\0", "Europe/B\u{e9}rlin", String(repeating: "a", count: 65),
    ])
  func names(name: String) {
    #expect(!ZoneRules.isName(name))
    #expect(throws: ZoneProblem.self) { try ZoneRules.load(name) }
  }

  @Test("that does not exist is told, and so is a folder in its place")
  func missing() {
    for name in ["Europe/Atlantis", "Europe"] {
      let problem = #expect(throws: ZoneProblem.self) { try ZoneRules.load(name) }
      #expect(problem?.description.contains("no such zone") == true)
    }
  }

  @Test("is UTC without any file")
  func utc() throws {
    #expect(try ZoneRules.load("UTC") == .utc)
    #expect(ZoneRules.utc.offset(at: Instant(seconds: 0)) == 0)
  }

  /// A file with one part: offsets in hours, and (time, type) pairs.
  private static func part(
    version: UInt8, wide: Bool, offsets: [Int], changes: [(Int64, UInt8)]
  ) -> [UInt8] {
    let big32 = { (value: Int) in withUnsafeBytes(of: Int32(value).bigEndian) { Array($0) } }
    var bytes = Array("TZif".utf8) + [version == 0 ? 0 : version + 48]
    bytes += [UInt8](repeating: 0, count: 15)
    for count in [0, 0, 0, changes.count, offsets.count, 4] { bytes += big32(count) }
    for (time, _) in changes {
      bytes += wide ? withUnsafeBytes(of: time.bigEndian) { Array($0) } : big32(Int(time))
    }
    bytes += changes.map(\.1)
    for offset in offsets { bytes += big32(offset * 3600) + [0, 0] }
    return bytes + Array("XYZ\0".utf8)
  }

  @Test("is read from the first version of the format, which has no rule for the future")
  func versionOne() throws {
    let bytes = Self.part(
      version: 0, wide: false, offsets: [1, 2], changes: [(1000, 1), (2000, 0)])
    let zone = try ZoneRules(name: "Test", bytes: bytes)
    #expect(
      [999, 1000, 1999, 2000, 9_000_000_000].map { zone.offset(atSeconds: $0) / 3600 }
        == [1, 2, 2, 1, 1])
  }

  @Test("is read from the 64-bit part where there is one")
  func versionTwo() throws {
    let bytes =
      Self.part(version: 2, wide: false, offsets: [5], changes: [])
      + Self.part(version: 2, wide: true, offsets: [1, 2], changes: [(-9_000_000_000, 1)])
      + Array("\nABC-3\n".utf8)
    let zone = try ZoneRules(name: "Test", bytes: bytes)
    #expect(zone.offset(atSeconds: -9_000_000_001) == 3600)
    #expect(zone.offset(atSeconds: 0) == 3 * 3600, "the rule holds behind the last transition")
  }

  @Test("whose file is cut or changed anywhere is refused or read, and never traps")
  func damaged() {
    let whole =
      Self.part(version: 2, wide: false, offsets: [5], changes: [(7, 0)])
      + Self.part(version: 2, wide: true, offsets: [1, 2], changes: [(7, 1), (9, 0)])
      + Array("\nPST8PDT,M3.2.0,M11.1.0\n".utf8)
    for end in whole.indices {
      #expect(throws: ZoneProblem.self) { try ZoneRules(name: "T", bytes: Array(whole[..<end])) }
    }
    for index in whole.indices {
      for byte in [UInt8(0), 0x7F, 0xFF] {
        var bytes = whole
        bytes[index] = byte
        // Some changes still give a valid file, in which any instant must have an offset.
        if let zone = try? ZoneRules(name: "T", bytes: bytes) {
          _ = zone.offset(atSeconds: .max / 2000)
          _ = zone.offset(atSeconds: .min / 2000)
        }
      }
    }
  }
}

@Suite("The rule at the end of a zone file")
struct ZoneFooterTests {
  @Test(
    "is read in each form that the system's files use",
    arguments: [
      ("KST-9", 9 * 3600), ("<+0330>-3:30", 3 * 3600 + 1800), ("PST8PDT,M3.2.0,M11.1.0", -8 * 3600),
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", -2 * 3600), ("IST-1GMT0,M10.5.0,M3.5.0/1", 3600),
      ("XXX3:15:30", -(3 * 3600 + 930)),
    ])
  func forms(text: String, standard: Int) throws {
    #expect(try #require(ZoneFooter(text)).standard == standard)
  }

  @Test(
    "is refused when it is none",
    arguments: [
      "", "KST", "K-9", "PST8PDT", "PST8PDT,M3.2.0", "PST8PDT,M13.2.0,M11.1.0", "KST-9x",
      "PST8PDT,M3.6.0,M11.1.0", "PST8PDT,M3.2.0,M11.1.0,", "PST25", "<PST8", "KST-9:60",
      "PST8PDT,M3.2.0/168,M11.1.0", "PST8PDT,J60,J300", "PST8PDT,59,300",
    ])
  func refused(text: String) { #expect(ZoneFooter(text) == nil) }

  @Test("lasts over the turn of a year in the south")
  func south() throws {
    let sydney = try #require(ZoneFooter("AEST-10AEDT,M10.1.0,M4.1.0/3"))
    #expect(sydney.offset(at: 4_102_444_800) == 11 * 3600, "1 January 2100")
    #expect(sydney.offset(at: 4_118_083_200) == 10 * 3600, "1 July 2100")
  }
}
