internal import Glibc
internal import Base

/// A file that appears complete or not at all, behind a link too; pipes and `/dev/stdout` are written directly.
final class ResultFile {
  private let path: String
  /// Nil: the path itself is written.
  private let file: AtomicFile?
  private let descriptor: Int32
  private var isClosed = false

  init(_ path: String) throws(ExitReport) {
    self.path = path
    var facts = stat()
    let isThere = stat(path, &facts) == 0
    if isThere, facts.st_mode & S_IFMT == S_IFDIR {
      throw ExitReport(.cannotCreate, "\(path) is a folder: name a file in it")
    }
    if isThere, facts.st_mode & S_IFMT != S_IFREG {
      file = nil
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        throw ExitReport(.cannotCreate, "\(path) cannot be written: \(SystemError.latest)")
      }
    } else {
      guard isThere || lstat(path, &facts) != 0 else {
        throw ExitReport(
          .cannotCreate, "\(path) is a link that leads to no file: name the file itself")
      }
      // The umask decides who may read it, as for any program's output.
      let file: AtomicFile
      let place = FolderNames.resolved(path) ?? path
      do { file = try AtomicFile(place, mode: 0o666 & ~FileRights.mask) } catch {
        throw ExitReport(error, on: path)
      }
      (self.file, descriptor) = (file, file.descriptor)
    }
  }

  deinit { if file == nil { close(descriptor) } }

  func append(_ bytes: [UInt8]) throws(ExitReport) {
    if isClosed { return }
    do { try AtomicFile.write(bytes, to: descriptor) } catch {
      // A pipe that its reader has closed is no error: head. Its next reader gets no rest.
      guard error.code == EPIPE else { throw ExitReport(error, on: path) }
      isClosed = true
    }
  }

  func keep() throws(ExitReport) {
    do { try file?.place() } catch { throw ExitReport(error, on: path) }
  }
}
