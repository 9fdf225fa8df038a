import Glibc
internal import Base
internal import TestSupport

/// The machine of a year: a disk that can be full, a folder that is copied at the instant of a kill, and a home.
final class YearMachine: Sendable {
  private let disk: SmallDisk?
  private let scratch = ScratchFolder(isInMemory: true)
  private let number = Locked(0)
  let shell: CommandShell
  let alarm: YearAlarm

  init() {
    alarm = YearAlarm(scratch.path)
    // More than the program leaves free beside its pictures; none of it is allocated.
    disk = SmallDisk(bytes: 4 << 30)
    shell = CommandShell(home: "\(scratch.path)/home")
  }

  var folder: String { "\(disk?.path ?? scratch.path)/\(number.withLock { $0 })" }

  /// Leaves this much room, without allocating it.
  func leave(_ room: Int = 4 << 30) { disk?.resize(leaving: room) }

  /// Copies the current folder for the next process.
  func snapshot() {
    let next = "\(disk?.path ?? scratch.path)/\(number.withLock { $0 + 1 })"
    Self.copy(folder, to: next)
  }

  /// Drops what a killed process did after the snapshot.
  func moveOn() {
    let old = folder
    number.withLock { $0 += 1 }
    ScratchFolder.remove(old)
  }

  private static func copy(_ source: String, to target: String) {
    mkdir(target, 0o750)
    for name in ScratchFolder.names(in: source) {
      let (from, to) = ("\(source)/\(name)", "\(target)/\(name)")
      var facts = stat()
      guard lstat(from, &facts) == 0 else { continue }
      if facts.st_mode & S_IFMT == S_IFDIR {
        copy(from, to: to)
      } else {
        ArmedStop.copy(file: from, to: to)
      }
    }
  }
}
