import Glibc
import Base
@testable import Media
import TestSupport
import Testing

@Suite("Looking up, sweeping and removing")
struct StoreUpkeepTests {
  private let bench = StoreBench()

  @Test("what is stored is found, read and opened by its digest")
  func lookup() async throws {
    let store = try bench.store()
    let image = try await store.keep(SampleImage.movingGIF).image
    #expect(try store.bytes(image.digest, .png, max: 1_000) == nil)
    #expect(try store.bytes(image.digest, .gif, max: 1_000) == SampleImage.movingGIF)
    #expect(try store.bytes(image.digest, .gif, max: 10) == nil)
    let other = try #require(SHA256Digest(hex: String(repeating: "a", count: 64)))
    #expect(try store.bytes(other, .gif, max: 1_000) == nil)
  }

  @Test("free space is told")
  func space() throws {
    #expect(try bench.store().freeBytes() > 0)
  }

  @Test("only files untouched since the given time are removed")
  func delete() async throws {
    let store = try bench.store()
    let (old, young) = (
      try await store.keep(SampleImage.png(1)).image, try await store.keep(SampleImage.png(2)).image
    )
    bench.age(old.path, to: 1_000_000)
    let limit = Instant(seconds: 1_000_001)
    #expect(
      try store.delete([old, young], unlessTouchedSince: limit)
        == .init(deleted: 1, bytes: old.byteCount, kept: 1))
    #expect(try store.delete([old], unlessTouchedSince: limit) == .init())
    #expect(bench.files() == [young.path])
  }

  @Test(
    "what is copied onto another disk has its bytes and name there, and what is damaged is named",
    .enabled(if: SmallDisk.isPossible, "this process may not mount"))
  func otherDisk() async throws {
    let disk = try #require(SmallDisk(bytes: 4 << 20))
    let (source, copy) = (try bench.store(), try ContentStore(dataFolder: disk.path, for: .writing))
    let (whole, damaged) = (
      try await source.keep(SampleImage.png(1)).image,
      try await source.keep(SampleImage.png(2)).image
    )
    bench.write([1], to: damaged.path)
    var copies = ImageCopies()
    for image in [whole, damaged, whole] {
      copies += try await copy.bring(folder: image.digest.folder, of: [image], from: source)
    }
    var expected = ImageCopies()
    (expected.copied, expected.bytes, expected.present) = (1, whole.byteCount, 1)
    expected.missing = [damaged.path]
    #expect(copies == expected)
    #expect(try copy.bytes(whole.digest, whole.kind, max: 1_000) == SampleImage.png(1))
    #expect(ScratchFolder.files(in: "\(disk.path)/media").map { "media/\($0)" } == [whole.path])
  }

  @Test("a file that a download finds again is never removed beside it")
  func deleteRace() async throws {
    let (run, collection) = (try bench.store(), try bench.store())
    let limit = Instant(seconds: 1_000_001)
    for turn in 0..<60 {
      let bytes = SampleImage.png(turn)
      let image = try await run.keep(bytes).image
      bench.age(image.path, to: 1_000_000)
      async let found = run.keep(bytes)
      async let deletion = collection.perform { (store) throws(MediaError) in
        try store.delete([image], unlessTouchedSince: limit)
      }
      let (placement, deleted) = (try await found.placement, try await deletion.deleted)
      #expect((placement == .new) == (deleted == 1))
      #expect(bench.read(image.path) == bytes)
    }
  }

  @Test("a sweep takes what the dead left and nothing of the living")
  func sweep() throws {
    let living = try bench.store()
    let finished = try living.take(SampleImage.png(1, padding: ImageDownload.heldBytesMax))
    let inUse = bench.files()
    #expect(inUse.count == 1)
    // A process that is gone holds no lock, whatever its number.
    for name in ["\(getpid())-77", "1-0"] {
      #expect(mkdir("\(bench.path)/media/.tmp/\(name)", 0o750) == 0)
      bench.write([1, 2, 3], to: "media/.tmp/\(name)/1")
      bench.write([4], to: "media/.tmp/\(name)/2")
    }
    // Not named by us: left alone.
    #expect(mkdir("\(bench.path)/media/.tmp/notes", 0o750) == 0)
    bench.write([1], to: "media/.tmp/notes/1")
    let next = try bench.store()
    #expect(try next.sweep() == 4)
    #expect(try next.sweep() == 0)
    #expect(bench.files() == (inUse + ["media/.tmp/notes/1"]).sorted())
    #expect(finished.image.kind == .png)
  }

  @Test("a store that ends leaves no temporary folder")
  func ending() async throws {
    do {
      let store = try bench.store()
      _ = try await store.keep(SampleImage.plainPNG)
      #expect(bench.names(in: "media/.tmp").count == 1)
    }
    // The last to release it may be the thread that has just written for it.
    try await until("the folder is removed") { bench.names(in: "media/.tmp").isEmpty }
  }
}

@Suite("A shared place for images")
struct ImageKeeperTests {
  /// Has one image, which comes cut short so many times.
  private final class Place: ImageKeeper {
    let bytes: [UInt8]
    let cuts: Locked<Int>
    let removals = Locked(0)

    init(_ bytes: [UInt8], cuts: Int) { (self.bytes, self.cuts) = (bytes, Locked(cuts)) }

    func paths(inFolder name: String) throws(ImageKeeperProblem) -> Set<String> { [] }
    func keep(_ path: String, _ bytes: [UInt8], mediaType: String) throws(ImageKeeperProblem) {}
    func remove(_ path: String) throws(ImageKeeperProblem) { removals.withLock { $0 += 1 } }

    func fetch(_ path: String) throws(ImageKeeperProblem) -> [UInt8]? {
      cuts.withLock { $0 -= 1 }
      return cuts.withLock { $0 } < 0 ? bytes : Array(bytes.dropLast())
    }
  }

  @Test(
    "loses no image that came cut short, but one that is damaged there",
    arguments: [(1, false), (2, false), (3, true)])
  func cutShort(cuts: Int, isDamaged: Bool) throws {
    let bytes = SampleImage.plainPNG
    let (bench, place) = (StoreBench(), Place(bytes, cuts: cuts))
    let store = try ContentStore(dataFolder: bench.path, for: .writing, keeper: place)
    let image = StoredImage(
      digest: try #require(SHA256Digest.of(bytes)), byteCount: bytes.count, kind: .png, width: 7,
      height: 5)
    #expect(try store.fetch(image) == (isDamaged ? nil : bytes))
    #expect(place.removals.withLock { $0 } == (isDamaged ? 1 : 0))
  }
}
