import Glibc
import Base
@testable import Media
import Testing

@Suite("Verifying the store")
struct VerifyTests {
  private let bench = StoreBench()
  private static let later = Instant(seconds: 4_000_000_000)

  private func findings(
    _ store: ContentStore, _ images: [StoredImage], sample: StoreSample = .all,
    strayBefore: Instant = later
  ) throws -> [MediaFinding] {
    try (UInt8.min...UInt8.max).flatMap {
      try store.check(folder: $0, expecting: images, sample: sample, strayBefore: strayBefore)
        .findings
    }
  }

  private func filled(_ count: Int) async throws -> (ContentStore, [StoredImage]) {
    let store = try bench.store()
    let group = try (0..<count).map { try store.take(SampleImage.png($0, padding: 200)) }
    return (store, try await store.settle(group).map(\.image))
  }

  @Test("a store in order has no findings")
  func clean() async throws {
    let (store, images) = try await filled(40)
    #expect(try findings(store, images) == [])
  }

  @Test("each harm is found under its name and mended", arguments: MediaFinding.Kind.allCases)
  func harms(kind: MediaFinding.Kind) async throws {
    let (store, images) = try await filled(12)
    let victim = images[5]
    let notes = "media/\(victim.folderName)/notes.txt"
    let path = "\(bench.path)/\(victim.path)"
    var expected = images
    switch kind {
    case .missing: #expect(unlink(path) == 0)
    case .empty: bench.write([], to: victim.path)
    case .wrong: #expect(truncate(path, 50) == 0)
    case .stray: expected.remove(at: 5)
    case .foreign: bench.write([1], to: notes)
    }
    let found = try findings(store, expected)
    #expect(found.map(\.kind) == [kind])
    #expect(found.first?.path == (kind == .foreign ? notes : victim.path))
    #expect(found.first?.image == ([.stray, .foreign].contains(kind) ? nil : victim))
    for finding in found { try store.mend(finding) }
    // What was set aside is missing now, to be fetched again; a stray is no longer seen.
    let rest = try findings(store, expected)
    switch kind {
    case .missing, .empty, .wrong: #expect(rest.map(\.kind) == [.missing])
    case .stray, .foreign: #expect(rest == [])
    }
    _ = try await store.keep(SampleImage.png(5, padding: 200))
    #expect(try findings(store, images) == [])
  }

  @Test("every single bit that flips in a file is found")
  func bits() async throws {
    let (store, images) = try await filled(1)
    let image = images[0]
    let bytes = try #require(bench.read(image.path))
    for bit in stride(from: 0, to: bytes.count * 8, by: 7) {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      bench.write(flipped, to: image.path)
      let check = try store.check(
        folder: image.digest.folder, expecting: images, strayBefore: Self.later)
      #expect(check.findings.map(\.kind) == [.wrong])
      #expect(check.bytesRead == bytes.count)
    }
  }

  @Test("the parts of a sample read every file exactly once", arguments: [1, 2, 7])
  func samples(count: Int) async throws {
    let (store, images) = try await filled(60)
    var read: [SHA256Digest: Int] = [:]
    for part in 1...count {
      let sample = StoreSample(part: part, of: count)
      var files = 0
      for byte in UInt8.min...UInt8.max {
        files += try store.check(
          folder: byte, expecting: images, sample: sample, strayBefore: Self.later
        ).filesRead
      }
      let held = images.filter { sample.holds($0.digest) }
      #expect(files == held.count)
      for image in held { read[image.digest, default: 0] += 1 }
    }
    #expect(read.count == 60)
    #expect(read.values.allSatisfy { $0 == 1 })
  }

  @Test("files with odd names are not ours, and are moved under exactly that name")
  func oddNames() async throws {
    let (store, images) = try await filled(1)
    let folder = "\(bench.path)/media/\(images[0].folderName)"
    let raw: [CChar] = Array("\(folder)/odd".utf8CString.dropLast()) + [-1, -2, 0]
    let fd = open(raw, O_CREAT | O_WRONLY | O_CLOEXEC, 0o640)
    #expect(fd >= 0)
    close(fd)
    bench.write([1], to: "media/\(images[0].folderName)/\(images[0].digest.hex).jpg")
    let found = try findings(store, images)
    #expect(Set(found.map(\.kind)) == [.foreign, .stray])
    for finding in found { try store.mend(finding) }
    #expect(try findings(store, images) == [])
    #expect(bench.names(in: "media/.aside").count == 2)
  }

  @Test("a young file without a row is no stray: its run may be about to write one")
  func youngStray() async throws {
    let (store, images) = try await filled(1)
    bench.age(images[0].path, to: 2_000_000)
    #expect(try findings(store, [], strayBefore: Instant(seconds: 2_000_000)) == [])
    #expect(try findings(store, [], strayBefore: Instant(seconds: 2_000_001)).count == 1)
  }

  @Test("a link in the place of a folder is found and mended")
  func folders() async throws {
    let (store, images) = try await filled(1)
    let folder = "media/\(images[0].folderName)"
    #expect(rename("\(bench.path)/\(folder)", "\(bench.path)/away") == 0)
    #expect(symlink("\(bench.path)/away", "\(bench.path)/\(folder)") == 0)
    let linked = try findings(store, images)
    #expect(linked.map(\.kind) == [.wrong, .missing])
    try store.mend(linked[0])
    #expect(try await store.keep(SampleImage.png(0, padding: 200)).placement == .new)
    #expect(try findings(store, images) == [])
  }
}
