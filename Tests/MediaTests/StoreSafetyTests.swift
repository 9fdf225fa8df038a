import Glibc
import Base
@testable import Media
import TestSupport
import Testing

@Suite("Links and other traps in the store's folder")
struct StoreSafetyTests {
  private let bench = StoreBench()
  private let outside = ScratchFolder()

  private func link(_ target: String, at name: String) {
    precondition(symlink(target, "\(bench.path)/\(name)") == 0)
  }

  private var outsideIsEmpty: Bool { ScratchFolder.names(in: outside.path).isEmpty }

  @Test("a link in the place of a folder is refused with its name")
  func folderLink() async throws {
    let store = try bench.store()
    let image = try store.take(SampleImage.png(1))
    link(outside.path, at: "media/\(image.image.folderName)")
    let error = await #expect(throws: MediaError.self) { try await store.settle([image]) }
    #expect(error?.kind == .unsafe)
    #expect(error?.path == "media/\(image.image.folderName)")
    #expect(outsideIsEmpty)
    #expect(throws: MediaError.self) { try store.bytes(image.image.digest, .png, max: 1_000) }
  }

  @Test("a link in the place of media or its temporary folder is refused")
  func mediaLink() async throws {
    link(outside.path, at: "media")
    #expect(throws: MediaError.self) { try bench.store() }
    #expect(unlink("\(bench.path)/media") == 0)
    let store = try bench.store()
    link(outside.path, at: "media/.tmp")
    let large = SampleImage.png(1, padding: ImageDownload.heldBytesMax)
    #expect(throws: ImageFailure.self) { try store.take(large) }
    await #expect(throws: MediaError.self) { try await store.keep(SampleImage.plainPNG) }
    #expect(throws: MediaError.self) { try store.sweep() }
    #expect(outsideIsEmpty)
  }

  @Test("the data folder itself may be reached through a link")
  func dataLink() async throws {
    let link = ScratchFolder()
    #expect(symlink(bench.path, "\(link.path)/data") == 0)
    let store = try ContentStore(dataFolder: "\(link.path)/data", for: .writing)
    let image = try await store.keep(SampleImage.plainPNG).image
    #expect(bench.read(image.path) == SampleImage.plainPNG)
  }

  @Test("a link under a digest's name is never read and gives way")
  func fileLink() async throws {
    let store = try bench.store()
    let image = try await store.keep(SampleImage.png(1)).image
    let target = "\(outside.path)/same.png"
    #expect(rename("\(bench.path)/\(image.path)", target) == 0)
    link(target, at: image.path)
    #expect(throws: MediaError.self) { _ = try store.bytes(image.digest, .png, max: 1_000) }
    #expect(try await store.keep(SampleImage.png(1)).placement == .mended)
    #expect(bench.mode(of: image.path) == S_IFREG | 0o640)
    #expect(bench.mode(of: "media/.aside/\(image.fileName)").map { $0 & S_IFMT } == S_IFLNK)
  }

  @Test("a folder or a pipe under a digest's name gives way", arguments: [true, false])
  func oddEntries(isFolder: Bool) async throws {
    let store = try bench.store()
    let image = try await store.keep(SampleImage.png(1)).image
    let path = "\(bench.path)/\(image.path)"
    #expect(unlink(path) == 0)
    #expect((isFolder ? mkdir(path, 0o750) : mkfifo(path, 0o640)) == 0)
    #expect(try await store.keep(SampleImage.png(1)).placement == .mended)
    #expect(bench.read(image.path) == SampleImage.png(1))
  }

  @Test("a folder that is swapped for a link all the time never leads outside")
  func race() async throws {
    let store = try bench.store()
    // Images whose digests begin with the same byte, so that all go to the swapped folder.
    let first = try #require(SHA256Digest.of(SampleImage.png(0)))
    let bodies = (0..<8_000).map { SampleImage.png($0) }
      .filter { SHA256Digest.of($0)?.folder == first.folder }
    #expect(bodies.count > 10)
    let folder = "\(bench.path)/media/\(StoredImage.folderName(first.folder))"
    let (elsewhere, isDone) = (outside.path, Locked(false))
    let swapper = WorkQueue(threadsMax: 1)
    async let swaps = swapper.run { swapUntil(isDone, folder, elsewhere) }
    for turn in 0..<150 {
      // It may find the link, and then refuses.
      do { _ = try await store.keep(bodies[turn % bodies.count]) } catch is MediaError {}
    }
    isDone.withLock { $0 = true }
    #expect(await swaps > 0)
    #expect(outsideIsEmpty)
  }

  @Test("opening for reading makes and changes nothing")
  func reading() throws {
    #expect(throws: MediaError.self) { try ContentStore(dataFolder: bench.path, for: .reading) }
    #expect(bench.names(in: "") == [])
    #expect(mkdir("\(bench.path)/media", 0o750) == 0)
    let store = try ContentStore(dataFolder: bench.path, for: .reading)
    let digest = try #require(SHA256Digest.of(SampleImage.plainPNG))
    #expect(try store.bytes(digest, .png, max: 1_000) == nil)
    #expect(try store.sweep() == 0)
    #expect(bench.names(in: "media") == [])
  }

  @Test("a data folder that is not there is named")
  func missing() {
    let error = #expect(throws: MediaError.self) {
      try ContentStore(dataFolder: "\(bench.path)/none", for: .writing)
    }
    #expect(error?.kind == .missing)
    #expect(error?.description.contains("none: No such file or directory") == true)
  }
}

/// Swaps a folder for a link to elsewhere and back; at most a million times.
private func swapUntil(_ isDone: Locked<Bool>, _ folder: String, _ elsewhere: String) -> Int {
  for turn in 0..<1_000_000 {
    if isDone.withLock({ $0 }) { return turn }
    if rename(folder, "\(folder)-away") == 0 {
      _ = symlink(elsewhere, folder)
      _ = unlink(folder)
      // Fails when the store made the folder anew; then there is one to swap all the same.
      if rename("\(folder)-away", folder) != 0 { _ = rmdir("\(folder)-away") }
    } else {
      _ = symlink(elsewhere, folder)
      _ = unlink(folder)
    }
  }
  return 1_000_000
}
