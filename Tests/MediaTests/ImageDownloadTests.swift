import Glibc
import Base
@testable import Media
import Testing

@Suite("Downloading an image")
struct ImageDownloadTests {
  private let bench = StoreBench()

  @Test("bytes are kept as sent, whatever the pieces", arguments: Sample.all)
  func pieces(sample: Sample) async throws {
    let store = try bench.store()
    for size in [1, 12, 13, 64, 16_384] {
      let finished = try store.take(sample.bytes, pieces: size)
      #expect(finished.image.digest == SHA256Digest.of(sample.bytes))
      #expect(finished.image.byteCount == sample.bytes.count)
      #expect(finished.image.kind == sample.facts.kind)
      let settled = try await store.settle([finished])
      #expect(bench.read(settled[0].image.path) == sample.bytes)
    }
    #expect(bench.files().count == 1)
  }

  private static let unsound: [[UInt8]] =
    ["", "<svg/>", "{}", "no"].map { Array($0.utf8) }
    + Sample.all.map { Array($0.bytes.dropLast()) }

  @Test("what is refused leaves no file, and neither does a cut image", arguments: unsound)
  func refused(bytes: [UInt8]) throws {
    let store = try bench.store()
    let failure = #expect(throws: ImageFailure.self) { try store.take(bytes, pieces: 1) }
    let isRefused = if case .refused? = failure { true } else { false }
    #expect(isRefused && bench.files() == [])
  }

  @Test("the cap holds to the byte, and the rest of the body is refused")
  func cap() throws {
    let store = try bench.store()
    let bytes = SampleImage.png(1, padding: ImageDownload.heldBytesMax)
    var limits = ImageLimits()
    limits.bytesMax = bytes.count
    #expect(try store.take(bytes, pieces: 100, limits: limits).image.byteCount == bytes.count)
    limits.bytesMax = bytes.count - 1
    let download = store.download(limits: limits)
    #expect(bytes.dropLast().withUnsafeBytes { download.receive($0) })
    #expect(bench.files().count == 1)
    #expect(!bytes.suffix(1).withUnsafeBytes { download.receive($0) })
    #expect(!bytes.withUnsafeBytes { download.receive($0) })
    #expect(bench.files() == [])
    #expect(throws: ImageFailure.refused(.tooManyBytes(max: limits.bytesMax))) {
      try download.finish()
    }
  }

  @Test("an announced length beyond the cap is refused before a byte is written")
  func announced() throws {
    let store = try bench.store()
    let fields = HeaderFields([HeaderField("content-length", "10000000000")])
    #expect(throws: ImageFailure.refused(.tooManyBytes(max: 20_000_000))) {
      try store.take(SampleImage.plainPNG, fields: fields)
    }
    let encoded = HeaderFields([
      HeaderField("Content-Length", "10000000000"), HeaderField("Content-Encoding", "gzip"),
    ])
    #expect(throws: Never.self) { try store.take(SampleImage.plainPNG, fields: encoded) }
  }

  @Test("a small image makes no file before it is settled")
  func held() async throws {
    let store = try bench.store()
    let image = try store.take(SampleImage.png(1, padding: 100_000))
    #expect(!image.isOpenFile)
    #expect(bench.files() == [])
    #expect(try await store.settle([image]).map(\.placement) == [.new])
    #expect(bench.files() == [image.image.path])
  }

  @Test("an image of any size is stored byte for byte", arguments: [-1, 0, 1, 70_000])
  func sizes(beyond: Int) async throws {
    let store = try bench.store()
    let frame = SampleImage.png(1, padding: 0).count
    let bytes = SampleImage.png(1, padding: ImageDownload.heldBytesMax - frame + beyond)
    #expect(bytes.count == ImageDownload.heldBytesMax + beyond)
    let image = try store.take(bytes, pieces: 10_000)
    #expect(image.isOpenFile == (beyond > 0))
    let settled = try await store.settle([image])
    #expect(bench.read(settled[0].image.path) == bytes)
    #expect(try await store.keep(bytes).placement == .known)
  }

  @Test("an unfinished file has no name in the store and goes with its download")
  func temporary() throws {
    let store = try bench.store()
    var download: ImageDownload? = store.download()
    let bytes = SampleImage.png(1, padding: ImageDownload.heldBytesMax)
    #expect(bytes.withUnsafeBytes { download?.receive($0) } == true)
    let files = bench.files()
    #expect(files.count == 1)
    #expect(files[0].hasPrefix("media/.tmp/"))
    #expect(bench.mode(of: files[0]).map { $0 & 0o7777 } == 0o640)
    download = nil
    #expect(bench.files() == [])
  }

  @Test(
    "a disk that takes no more is told as full and leaves no file",
    arguments: [ENOSPC, EDQUOT, EFBIG], [5_000, ImageDownload.heldBytesMax])
  func full(code: Int32, padding: Int) async throws {
    var calls = FileCalls.system
    let budget = Locked(1_000)
    calls.write = { fd, bytes, count in
      // Takes what fits, in halves, as a disk near its end does.
      let taken = budget.withLock { left in
        let taken = min(left, (count + 1) / 2)
        left -= taken
        return taken
      }
      guard taken > 0 else {
        errno = code
        return -1
      }
      return write(fd, bytes, taken)
    }
    let store = try bench.store(calls: calls)
    let small = try await store.keep(SampleImage.plainPNG).image.path
    var refusal: MediaError?
    do {
      let image = try store.take(SampleImage.png(1, padding: padding), pieces: 500)
      // A small image is not written before that.
      _ = try await store.settle([image])
    } catch ImageFailure.store(let error) {
      refusal = error
    } catch let error as MediaError {
      refusal = error
    }
    #expect(refusal?.kind == .full)
    #expect(refusal?.code == code)
    #expect(refusal?.action == "write")
    #expect(bench.files() == [small])
  }

  @Test("an interrupted write goes on")
  func interrupted() async throws {
    var calls = FileCalls.system
    let turn = Locked(0)
    calls.write = { fd, bytes, count in
      let isInterrupted = turn.withLock {
        $0 += 1
        return $0.isMultiple(of: 2)
      }
      if isInterrupted {
        errno = EINTR
        return -1
      }
      return write(fd, bytes, min(count, 7))
    }
    let store = try bench.store(calls: calls)
    let bytes = SampleImage.png(4, padding: 300)
    #expect(bench.read(try await store.keep(bytes).image.path) == bytes)
  }
}
