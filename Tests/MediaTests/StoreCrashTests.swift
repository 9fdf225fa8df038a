import Glibc
import Base
@testable import Media
import TestSupport
import Testing

/// Each test kills a separate process.
@Suite("A run that dies")
struct StoreCrashTests {
  private static let pictures = 48

  @Test(
    "kill -9 while settling leaves no file whose bytes are not its name's",
    arguments: [
      (FaultPoint.Place.beforeMediaRename, 1), (.beforeMediaRename, 20), (.afterMediaRename, 1),
      (.afterMediaRename, 47),
    ])
  func killed(place: FaultPoint.Place, visit: Int) async throws {
    let bench = StoreBench()
    let (path, placeName) = (bench.path, place.rawValue)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, placeName = placeName as String, visit = visit as Int] in
      let fault = FaultPoint.killing(at: placeName, visit: visit)
      let store = try ContentStore(dataFolder: path, for: .writing, fault: fault)
      let group = try (0..<48).map { try store.take(SampleImage.png($0, padding: 3_000)) }
      _ = try await store.settle(group)
    }
    let left = bench.files()
    let named = left.filter { !$0.contains("/.tmp/") }
    #expect(left.count == Self.pictures)
    // The one that was to be renamed is not, and each that was, is.
    #expect(place == .afterMediaRename ? named.count >= visit : named.count < Self.pictures)
    for file in named {
      let digest = SHA256Digest.of(bench.read(file) ?? [])
      #expect(file.split(separator: "/").last?.hasPrefix(digest?.hex ?? "?") == true)
    }

    let store = try bench.store()
    #expect(try store.sweep() == left.count - named.count)
    #expect(bench.files() == named)
    let group = try (0..<48).map { try store.take(SampleImage.png($0, padding: 3_000)) }
    let settled = try await store.settle(group)
    #expect(settled.count { $0.placement == .known } == named.count)
    #expect(settled.count { $0.placement == .new } == Self.pictures - named.count)
    #expect(bench.files().count == Self.pictures)
  }

  @Test("a limit of the system on file sizes is told as full, and the store goes on")
  func sizeLimit() async throws {
    let bench = StoreBench()
    await #expect(processExitsWith: .success) { [path = bench.path as String] in
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 10_000, rlim_max: rlim_t.max)
      guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { _exit(2) }
      let store = try ContentStore(dataFolder: path, for: .writing)
      let image = try store.take(SampleImage.png(1, padding: 20_000))
      do throws(MediaError) {
        _ = try await store.settle([image])
        _exit(3)
      } catch {
        guard error.kind == .full, error.code == EFBIG else { _exit(4) }
      }
      _ = try await store.keep(SampleImage.png(2, padding: 5_000))
      _exit(0)
    }
    #expect(bench.files().count == 1)
    #expect(bench.names(in: "media/.tmp").count == 1)
    #expect(try bench.store().sweep() == 0)
    #expect(bench.names(in: "media/.tmp") == [])
  }
}
