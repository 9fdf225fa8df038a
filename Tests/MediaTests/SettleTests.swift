import Glibc
import Base
@testable import Media
import Testing

@Suite("Settling a group")
struct SettleTests {
  private let bench = StoreBench()

  @Test("every file lies under its digest, with its mode, in folders with theirs")
  func layout() async throws {
    let store = try bench.store()
    let bodies = Sample.all.map(\.bytes)
    let settled = try await store.settle(try bodies.map { try store.take($0) })
    for (body, image) in zip(bodies, settled) {
      let hex = try #require(SHA256Digest.of(body)).hex
      #expect(image.image.path == "media/\(hex.prefix(2))/\(hex).\(image.image.kind.fileExtension)")
      #expect(image.placement == .new)
      #expect(bench.read(image.image.path) == body)
      #expect(bench.mode(of: image.image.path) == S_IFREG | 0o640)
      #expect(bench.mode(of: "media/\(hex.prefix(2))").map { $0 & 0o777 } == 0o750)
    }
    #expect(bench.files().count == bodies.count)
    #expect(bench.names(in: "media/.tmp").count == 1)
  }

  @Test("equal contents are one file, in one group, in two and in two runs")
  func once() async throws {
    let store = try bench.store()
    let bytes = SampleImage.png(1)
    let both = try await store.settle(try [store.take(bytes), store.take(bytes)])
    #expect(both.map(\.placement) == [.new, .known], "the first of the group is the new one")
    #expect(try await store.keep(bytes).placement == .known)
    let other = try bench.store()
    #expect(try await other.keep(bytes).placement == .known)
    #expect(bench.files() == [both[0].image.path])
  }

  @Test("a large group with many equal contents ends whole", arguments: [false, true])
  func large(canSyncAll: Bool) async throws {
    let store = try bench.store(canSyncAll: canSyncAll)
    let group = try (0..<300).map { try store.take(SampleImage.png($0 % 260)) }
    let settled = try await store.settle(group)
    #expect(settled.count == 300)
    #expect(settled.count { $0.placement == .new } == 260)
    #expect(settled.prefix(260).allSatisfy { $0.placement == .new })
    #expect(settled.map(\.image) == group.map(\.image))
    #expect(bench.files().count == 260)
    for image in settled {
      let bytes = try #require(bench.read(image.image.path))
      #expect(SHA256Digest.of(bytes) == image.image.digest)
    }
  }

  @Test("each file is synced before its rename and each folder after it, once")
  func order() async throws {
    let log = Locked<[Step]>([])
    var calls = FileCalls.system
    calls.sync = { fd in
      var facts = stat()
      guard fstat(fd, &facts) == 0 else { return -1 }
      let isFolder = facts.st_mode & S_IFMT == S_IFDIR
      let done = fsync(fd)
      log.withLock { $0.append(isFolder ? .folder(facts.st_ino) : .file(facts.st_ino)) }
      return done
    }
    calls.rename = { from, old, to, new in
      var (file, folder) = (stat(), stat())
      guard fstatat(from, old, &file, 0) == 0, fstat(to, &folder) == 0 else { return -1 }
      log.withLock { $0.append(.rename(file.st_ino, into: folder.st_ino)) }
      return FileCalls.system.rename(from, old, to, new)
    }
    let fault = FaultPoint { place in
      log.withLock { $0.append(place == .beforeMediaRename ? .before : .after) }
    }
    let store = try bench.store(fault: fault, calls: calls, canSyncAll: false)
    let group = try (0..<60).map { try store.take(SampleImage.png($0)) }
    _ = try await store.settle(group)
    let steps = log.withLock { $0 }
    #expect(steps.count { $0 == .before } == 60)
    #expect(steps.count { $0 == .after } == 60)
    var renames = 0
    for (at, step) in steps.enumerated() {
      guard case .rename(let file, let folder) = step else { continue }
      renames += 1
      #expect(steps[..<at].count { $0 == .file(file) } == 1)
      #expect(steps[..<at].contains(.before))
      #expect(steps[at...].contains(.after))
      // Opening the store may have synced a folder; after the renames each is synced once.
      #expect(steps[at...].count { $0 == .folder(folder) } == 1)
    }
    #expect(renames == 60)
    let last = try #require(steps.lastIndex { if case .rename = $0 { true } else { false } })
    #expect(steps[last...].count { if case .folder = $0 { true } else { false } } > 1)
  }

  @Test("where all can be synced at once, it is done before the first rename and after the last")
  func orderOfAll() async throws {
    let log = Locked<[Step]>([])
    var calls = FileCalls.system
    calls.write = { fd, bytes, count in
      log.withLock { $0.append(.write) }
      return write(fd, bytes, count)
    }
    calls.syncAll = { fd in
      log.withLock { $0.append(.all) }
      return FileCalls.system.syncAll(fd)
    }
    calls.rename = { from, old, to, new in
      log.withLock { $0.append(.before) }
      return FileCalls.system.rename(from, old, to, new)
    }
    let store = try bench.store(calls: calls, canSyncAll: true)
    let known = try await store.settle((0..<3).map { try store.take(SampleImage.png($0)) })
    #expect(known.allSatisfy { $0.placement == .new })
    #expect(!log.withLock { $0 }.contains(.all), "few are synced one by one")
    log.withLock { $0 = [] }
    let settled = try await store.settle((0..<60).map { try store.take(SampleImage.png($0)) })
    #expect(
      settled.map(\.placement) == known.map { _ in .known } + Array(repeating: .new, count: 57))
    var expected = Array(repeating: Step.write, count: 57) + [.all]
    expected += Array(repeating: .before, count: 57) + [.all]
    #expect(log.withLock { $0 } == expected)
    log.withLock { $0 = [] }
    _ = try await store.settle((0..<60).map { try store.take(SampleImage.png($0)) })
    // Another process may have given the names, and not synced them yet.
    #expect(log.withLock { $0 } == [.all])
  }

  @Test("where a sync of all has waited long for others, the rest is synced by file")
  func crowded() async throws {
    let (time, wholes, singles) = (Locked(Duration.zero), Locked(0), Locked(0))
    let slow = Locked(Duration.milliseconds(1_900))
    var calls = FileCalls.system
    calls.elapsed = { time.withLock { $0 } }
    calls.syncAll = { fd in
      wholes.withLock { $0 += 1 }
      time.withLock { $0 += slow.withLock { $0 } }
      return FileCalls.system.syncAll(fd)
    }
    calls.sync = { fd in
      singles.withLock { $0 += 1 }
      return fsync(fd)
    }
    let store = try bench.store(calls: calls, canSyncAll: true)
    func settle(_ numbers: Range<Int>) async throws {
      _ = try await store.settle(numbers.map { try store.take(SampleImage.png($0)) })
    }
    try await settle(0..<20)
    try await settle(20..<40)
    #expect(wholes.withLock { $0 } == 4)
    slow.withLock { $0 = .milliseconds(2_100) }
    try await settle(40..<60)
    #expect(wholes.withLock { $0 } == 6, "the group that met it is ended as it was begun")
    #expect(
      singles.withLock { $0 } == 1 + 6, "the data folder, and the folder's own behind each of all")
    try await settle(60..<80)
    #expect(wholes.withLock { $0 } == 6)
    #expect(singles.withLock { $0 } > 1 + 26)
    #expect(bench.files().count == 80)
  }

  private enum Step: Equatable, Sendable {
    case file(UInt), folder(UInt), rename(UInt, into: UInt), before, after, write, all
  }

  /// Settles a group that must fail; then the store keeps failing for that reason, and syncs no more.
  private func failure(of store: ContentStore, _ syncs: Locked<Int>) async throws -> MediaError {
    let group = try (0..<40).map { try store.take(SampleImage.png($0)) }
    let thrown = await #expect(throws: MediaError.self) { try await store.settle(group) }
    let error = try #require(thrown)
    let soFar = syncs.withLock { $0 }
    #expect(await #expect(throws: MediaError.self) { try await store.settle(group) } == error)
    #expect(throws: ImageFailure.store(error)) { try store.take(SampleImage.png(99)) }
    #expect(syncs.withLock { $0 } == soFar)
    return error
  }

  @Test(
    "a failed sync of all acknowledges none of the group and is never tried again, nor where its folder alone tells",
    arguments: 1...2, [false, true])
  func failedSyncOfAll(failing: Int, isSilent: Bool) async throws {
    let syncs = Locked(0)
    var calls = FileCalls.system
    calls.syncAll = { fd in
      let number = syncs.withLock {
        $0 += 1
        return $0
      }
      guard number == failing, !isSilent else { return FileCalls.system.syncAll(fd) }
      errno = EIO
      return -1
    }
    calls.sync = { fd in
      guard isSilent, syncs.withLock({ $0 }) == failing else { return fsync(fd) }
      errno = EIO
      return -1
    }
    let error = try await failure(of: bench.store(calls: calls, canSyncAll: true), syncs)
    #expect(error.kind == .io && error.code == EIO)
    #expect(isSilent || error.action == "syncfs")
    #expect(syncs.withLock { $0 } == failing)
    #expect(bench.files(under: "media/.tmp") == [])
    #expect(bench.files().count == (failing == 1 ? 0 : 40), "whole files that have their name stay")
    let next = try bench.store()
    let again = try await next.settle((0..<40).map { try next.take(SampleImage.png($0)) })
    #expect(again.count { $0.placement == .known } == (failing == 1 ? 0 : 40))
  }

  @Test("a failed sync of a file acknowledges none of the group and is never tried again")
  func failedSync() async throws {
    let syncs = Locked(0)
    var calls = FileCalls.system
    calls.sync = { fd in
      var facts = stat()
      guard fstat(fd, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return fsync(fd) }
      let number = syncs.withLock {
        $0 += 1
        return $0
      }
      guard number == 5 else { return fsync(fd) }
      errno = EIO
      return -1
    }
    let error = try await failure(of: bench.store(calls: calls, canSyncAll: false), syncs)
    #expect(error.kind == .io && error.action == "fsync" && error.code == EIO)
    // Nothing unfinished stays, and what has a name is whole.
    for file in bench.files() {
      #expect(!file.contains(".tmp"))
      let digest = SHA256Digest.of(bench.read(file) ?? [])
      #expect(file.contains(digest?.hex ?? "?"))
    }
    // The next run works again.
    let next = try bench.store()
    let group = try (0..<40).map { try next.take(SampleImage.png($0)) }
    #expect(try await next.settle(group).count == 40)
  }

  @Test("a failed sync of a folder acknowledges none of the group")
  func failedFolderSync() async throws {
    var calls = FileCalls.system
    let isArmed = Locked(false)
    calls.sync = { fd in
      var facts = stat()
      let isFolder = fstat(fd, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
      guard isFolder, isArmed.withLock({ $0 }) else { return fsync(fd) }
      errno = ENOSPC
      return -1
    }
    let store = try bench.store(calls: calls)
    isArmed.withLock { $0 = true }
    let error = await #expect(throws: MediaError.self) { try await store.keep(SampleImage.png(1)) }
    #expect(error?.kind == .full)
    #expect(error?.action == "fsync")
  }

  @Test(
    "a damaged copy under the name is set aside and replaced", arguments: ["flip", "empty"],
    [1, ImageDownload.heldBytesMax])
  func mended(damage: String, padding: Int) async throws {
    let store = try bench.store()
    let bytes = SampleImage.png(7, padding: padding)
    let image = try await store.keep(bytes).image
    var wrong = damage == "empty" ? [] : bytes
    if damage == "flip" { wrong[50] ^= 1 }
    bench.write(wrong, to: image.path)
    #expect(try await store.keep(bytes).placement == .mended)
    #expect(bench.read(image.path) == bytes)
    #expect(bench.read("media/.aside/\(image.fileName)") == wrong)
    bench.write(wrong, to: image.path)
    #expect(try await store.keep(bytes).placement == .mended)
    #expect(bench.names(in: "media/.aside").count == 2)
    #expect(bench.files(under: "media/.tmp") == [])
  }

  @Test("an empty group is settled at once")
  func empty() async throws {
    #expect(try await bench.store().settle([]) == [])
  }
}
