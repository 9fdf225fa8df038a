internal import Glibc
internal import SQLite
internal import Transport

/// What this program calls itself, and what it runs with.
enum Version {
  static let number = "0.1.0"

  /// This very build: another one of the same number may read the same bytes otherwise.
  static let build: String = {
    var facts = stat()
    guard stat("/proc/self/exe", &facts) == 0 else {
      // Nobody knows: none is the same as another.
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      return "\(number) \(getpid()) \(now.tv_sec).\(now.tv_nsec)"
    }
    return "\(number) \(facts.st_size) \(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec)"
  }()

  static let userAgent = "trawl/\(number) (mirrors paged web APIs into SQLite)"

  /// `SQLite 3.40.1`, then libcurl with what it rests on.
  static var libraries: [String] { ["SQLite \(SQLiteVersion.text)", TransportVersion.text] }
}
