@testable import Base
@testable import Commands
import Testing

@Suite("The mark of this build")
struct VersionTests {
  private static func place(size: Int64, written: Int64) -> FilePlace {
    FilePlace(
      identity: FileIdentity(device: 1, inode: 2), size: size, written: written, changed: 3)
  }

  @Test("tells apart files of another size or time, and is the same wherever the file lies")
  func marks() {
    let places: [(Int64, Int64)] = [(1, 10), (2, 10), (1, 11), (11, 0), (1, 0), (1, 1_000_000_000)]
    let marks = places.map { Version.build(at: Self.place(size: $0, written: $1)) }
    #expect(Set(marks).count == marks.count, "\(marks)")
    let moved = FilePlace(
      identity: FileIdentity(device: 5, inode: 6), size: 1, written: 10, changed: 7)
    #expect(Version.build(at: moved) == marks[0])
    #expect(!marks.contains(Version.build(at: nil)))
    #expect(Version.build == Version.build(at: FilePlace(path: "/proc/self/exe")))
  }
}
