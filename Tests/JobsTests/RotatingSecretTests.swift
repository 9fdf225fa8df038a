import Glibc
import Base
@testable import Jobs
import TestSupport
import Testing

@Suite("A secret that rotates, and a process that is killed while it keeps the next one")
struct RotatingSecretTests {
  private let scratch = ScratchFolder()
  private static let bond = KeyBond(Origin(scheme: "https", host: "api.example.com", port: 443))

  /// A folder with the old secret in place (or elsewhere), as a killed process left it.
  private static func keeper(_ folder: String, isElsewhere: Bool) -> RotatingSecret {
    let first = Secret("old-secret")
    return RotatingSecret(
      folder: KeyFolder(path: folder), hole: "refresh", name: "shop-refresh", bond: bond,
      first: first,
      follows: isElsewhere ? RotatingSecret.digest(of: first) : nil)
  }

  private static func value(_ keeper: RotatingSecret) throws -> String {
    try #require(try keeper.takeTurn()).secret.value.reveal()
  }

  @Test(
    "goes on with the next one from the moment at which that is on the disk, and never with a part of it",
    arguments: [false, true], [false, true])
  func killed(isElsewhere: Bool, wasSent: Bool) throws {
    let whole: [UInt8]
    do {
      let keeper = Self.keeper("\(scratch.path)/whole", isElsewhere: isElsewhere)
      try keeper.takeTurn()?.keep(Secret("new-secret"))
      whole = Array(try #require(Golden.read(keeper.place)).utf8)
    }
    for count in 0...whole.count {
      let folder = "\(scratch.path)/\(count)"
      let keeper = Self.keeper(folder, isElsewhere: isElsewhere)
      if !isElsewhere {
        try KeyFolder(path: folder).keep("old-secret", named: keeper.name, for: Self.bond)
      }
      let turn = try #require(try keeper.takeTurn())
      if wasSent { try turn.begin() }
      _ = consume turn
      // A draft as written by the next writer, cut at each byte.
      let draft = try AtomicFile(
        keeper.place, draft: "\(folder)/.\(keeper.name)\(AtomicFile.ending)", mode: 0o600)
      try draft.write(Array(whole[..<count]))
      let left = "\(folder)/left"
      #expect(link(draft.draft, left) == 0)
      try draft.place(as: "\(folder)/gone")
      #expect(rename(left, draft.draft) == 0)
      let isKept = wasSent && count == whole.count
      #expect(try Self.value(keeper) == (isKept ? "new-secret" : "old-secret"), "\(count) bytes")
      // It stays like this.
      #expect(try Self.value(keeper) == (isKept ? "new-secret" : "old-secret"), "\(count) bytes")
    }
  }

  @Test(
    "has room on the disk for the next one from before it is sent",
    .enabled(if: SmallDisk.isPossible, "this process may not mount"))
  func room() throws {
    let disk = try #require(SmallDisk(bytes: 1 << 20))
    let keeper = Self.keeper("\(disk.path)/keys", isElsewhere: false)
    let turn = try #require(try keeper.takeTurn())
    try turn.begin()
    disk.fill(leaving: 0)
    try turn.keep(Secret("new-secret"))
    _ = consume turn
    #expect(try Self.value(keeper) == "new-secret")
  }

  @Test("may be as long as an access token")
  func long() throws {
    let keeper = Self.keeper(scratch.path, isElsewhere: false)
    let next = String(repeating: "k", count: Secret.bytesMax)
    try keeper.takeTurn()?.keep(Secret(next))
    #expect(try Self.value(keeper) == next)
  }

  @Test("leaves a draft alone that is another's")
  func others() throws {
    let keeper = Self.keeper(scratch.path, isElsewhere: true)
    let turn = try #require(try keeper.takeTurn())
    try turn.begin()
    _ = consume turn
    for text in [
      "new-secret\norigin https://evil.example\n", "new-secret\norigin https://api.example.com\n",
      "new-secret\norigin https://api.example.com\nfollows 1234\n", "new-secret\n", "",
    ] {
      let draft = try AtomicFile("\(scratch.path)/.\(keeper.name)\(AtomicFile.ending)")
      try draft.write(Array(text.utf8))
      try draft.place()
      #expect(try Self.value(keeper) == "old-secret", "\(text)")
    }
  }
}
