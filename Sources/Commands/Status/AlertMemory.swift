internal import Glibc
internal import Base
internal import Store

/// Which alerts were sent, and when, for all jobs of a data folder: a cause is reported once, however many jobs it
/// stops.
struct AlertMemory: Sendable, Equatable {
  struct Entry: Sendable, Equatable {
    /// The job that reported it; empty while a trouble that all jobs share is not reported yet.
    var job: String
    /// The trouble, with the host if it is a host's.
    var what: String
    var since: Instant
    var toldAt: Instant
  }

  var entries: [Entry] = []

  /// A day, less a timer's jitter.
  private static let again = Duration.seconds(23 * 3600)

  /// The alert that a job needs now.
  enum Decision: Sendable, Equatable {
    case silent
    /// The index of the trouble, and since when.
    case tells(Int, since: Instant)
    case recovered(after: Duration)
  }

  /// - Parameters:
  ///   - troubles: what needs a person now, worst first. One of them reports what all jobs share.
  ///   - wellAt: when the last run ended, if it succeeded and every list is as good as it was. It ends only alerts
  ///     that the job itself sent before: of others it shows nothing.
  mutating func decide(
    _ job: String, _ troubles: [Entry], wellAt: Instant?, at now: Instant
  ) -> Decision {
    for (index, trouble) in troubles.enumerated() {
      let isKnown = entries.contains {
        $0.what == trouble.what && (trouble.job.isEmpty || $0.job == job) && $0.toldAt <= now
          && now - $0.toldAt < Self.again
      }
      if isKnown { continue }
      var entry = trouble
      entry.job = job
      if let own = entries.firstIndex(where: { $0.job == job && $0.what == trouble.what }) {
        entry.since = min(entry.since, entries.remove(at: own).since)
      }
      entry.toldAt = now
      entries.append(entry)
      return .tells(index, since: entry.since)
    }
    guard troubles.isEmpty, let wellAt else { return .silent }
    let over = entries.filter { $0.job == job }
    if over.contains(where: { wellAt < $0.toldAt && $0.toldAt <= now }) { return .silent }
    guard let since = over.map(\.since).min() else { return .silent }
    entries.removeAll { $0.job == job }
    return .recovered(after: max(.zero, now - since))
  }
}

// MARK: storage

extension AlertMemory {
  private static let fields = JSONFields<Entry>([
    .value("job", \.job, unless: ""), .value("what", \.what, unless: ""),
    .value("since", \.since, unless: Instant(milliseconds: 0)),
    .value("told_at", \.toldAt, unless: Instant(milliseconds: 0)),
  ])

  /// Parses the file's text; unreadable entries are ignored: then the alerts are sent again.
  init(_ text: String) {
    let start = Instant(milliseconds: 0)
    let none = Entry(job: "", what: "", since: start, toldAt: start)
    entries = text.split(separator: "\n").compactMap { Self.fields.read(String($0), into: none) }
      .filter { !$0.job.isEmpty && min($0.since, $0.toldAt) >= start }
  }

  var text: String { entries.map { Self.fields.text($0) + "\n" }.joined() }
}

/// The file in the data folder, locked while an alert is decided. It is overwritten in place and never shrinks, so it
/// can be written on a full disk.
struct AlertFile: ~Copyable {
  private let lock: FileLock
  private var size = 0
  private(set) var memory = AlertMemory()

  private static let sizeMin = 4096
  private static let sizeMax = 1 << 20

  init(in folder: DataFolder) throws {
    let path = try folder.folder("alerts") + "/told"
    guard let lock = try FileLock(path, waiting: .seconds(10)) else {
      throw ExitReport(.cannotWrite, "\(path) is held by another process")
    }
    self.lock = lock
    let bytes = FileBytes.first(Self.sizeMax, from: lock.descriptor) ?? []
    size = bytes.count
    memory = AlertMemory(String(decoding: bytes, as: UTF8.self))
  }

  /// - Returns: whether it is saved. If not, the alert is sent again.
  mutating func keep(_ new: AlertMemory) -> Bool {
    if new == memory, size > 0 { return true }
    memory = new
    var bytes = Array(new.text.utf8)
    let padding = max(Self.sizeMin, size) - bytes.count
    bytes += [UInt8](repeating: UInt8(ascii: "\n"), count: max(0, padding))
    size = bytes.count
    let written = bytes.withUnsafeBytes { pwrite(lock.descriptor, $0.baseAddress, $0.count, 0) }
    return written == bytes.count
  }
}
