internal import Glibc
internal import Base

/// The file of a recording: a line about the run, then one JSON line for each exchange and each sleep, ordered by their
/// ends. Bodies that are not text are files beside it.
final class RecordingFile: Sendable {
  static let name = "recording.jsonl"
  static let version = 1
  /// Bytes of a recording, bodies included. The rest is not kept, and that is reported.
  static let bytesMax = 4_000_000_000

  let folder: String
  private let descriptor: Int32
  private struct State {
    var number = 0
    var bytes = 0
    var problem: String?
  }
  private let state = Locked(State())

  /// Refuses a folder that already has a recording. Only the owner may read it: answers may be private.
  init(creating folder: String) throws(ExitReport) {
    self.folder = folder
    if let failed = FolderNames.make(folder) {
      throw ExitReport(.cannotCreate, "\(failed) cannot be made: \(SystemError.latest)")
    }
    let path = "\(folder)/\(Self.name)"
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw ExitReport(
        .cannotCreate,
        errno == EEXIST
          ? "\(folder) holds a recording already: give another folder"
          : "\(path) cannot be made: \(SystemError.latest)")
    }
  }

  deinit { close(descriptor) }

  /// Why the recording is incomplete; nil: it is not.
  var problem: String? { state.withLock { $0.problem } }

  /// The number of the next exchange, from 1.
  func nextNumber() -> Int {
    state.withLock {
      $0.number += 1
      return $0.number
    }
  }

  func append(_ line: JSONWriter) {
    var line = line
    line.newline()
    let bytes = line.bytes
    state.withLock { state in
      guard Self.hasRoom(for: bytes.count, &state) else { return }
      do throws(FileFailure) { try AtomicFile.write(bytes, to: descriptor) } catch {
        state.problem = "\(folder)/\(Self.name) cannot be written: \(error.words)"
      }
    }
  }

  /// Writes a body to a file of its own and returns its name.
  func keep(_ body: [UInt8], number: Int) -> String {
    let digits = String(number)
    let name = String(repeating: "0", count: max(0, 5 - digits.count)) + digits + ".body"
    state.withLock { state in
      guard Self.hasRoom(for: body.count, &state) else { return }
      let path = "\(folder)/\(name)"
      let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard file >= 0 else {
        state.problem = "\(path) cannot be written: \(SystemError.latest)"
        return
      }
      defer { close(file) }
      do throws(FileFailure) { try AtomicFile.write(body, to: file) } catch {
        state.problem = "\(path) cannot be written: \(error.words)"
      }
    }
    return name
  }

  private static func hasRoom(for count: Int, _ state: inout State) -> Bool {
    if state.problem != nil { return false }
    guard state.bytes + count <= bytesMax else {
      state.problem = "the recording ends at \(bytesMax >> 30) GB; the run went on without it"
      return false
    }
    state.bytes += count
    return true
  }
}
