internal import Glibc
internal import Base
internal import Transport

/// The program's version, and those of its libraries.
enum Version {
  static let number = "0.1.0"

  /// This very build: another one of the same version may read the same bytes differently.
  static let build = build(at: FilePlace(path: "/proc/self/exe"))

  /// - Parameter place: the program's file; nil: unknown, then equal to no other build.
  static func build(at place: FilePlace?) -> String {
    guard let place else { return "\(number) \(getpid()) \(UInt64.random(in: .min ... .max))" }
    return "\(number) \(place.size) \(place.written)"
  }

  /// `trawl version`, and `--version` before any command.
  static func show(on console: Console) -> ExitStatus {
    console.print("trawl \(number)")
    console.print("SQLite \(SQLiteVersion.text)")
    // libcurl and its libraries.
    console.print("\(TransportVersion.text)")
    return .complete
  }
}
