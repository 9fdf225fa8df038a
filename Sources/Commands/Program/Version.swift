internal import Glibc
internal import Base
internal import Transport

/// What this program calls itself, and what it runs with.
enum Version {
  static let number = "0.1.0"

  /// This very build: another one of the same number may read the same bytes otherwise.
  static let build = build(at: FilePlace(path: "/proc/self/exe"))

  /// - Parameter place: of the program's file; nil: it is unknown, and none is the same as another.
  static func build(at place: FilePlace?) -> String {
    guard let place else { return "\(number) \(getpid()) \(FilePlace.now)" }
    return "\(number) \(place.size) \(place.written)"
  }

  /// `SQLite 3.40.1`, then libcurl with what it rests on.
  static var libraries: [String] { ["SQLite \(SQLiteVersion.text)", TransportVersion.text] }
}
