public import Base

/// An image that is to be fetched, or to be checked for a change.
public struct ImageDue: Sendable, Equatable {
  /// The URL itself, or what the job says identifies it.
  public var identity: String
  public var url: String
  /// For messages: the record's table and key.
  public var title: String
  /// The stored file.
  public var digest: String?
  public var etag: String?
  public var lastModified: String?
}

/// A file of the content store, as the database remembers it.
public struct StoredImageRow: Sendable, Equatable, StoredValue {
  public var digest: String
  public var path: String
  public var size: Int
  public var type: String
  public var width: Int
  public var height: Int

  public init(
    digest: String, path: String, size: Int, type: String, width: Int, height: Int
  ) {
    (self.digest, self.path, self.size) = (digest, path, size)
    (self.type, self.width, self.height) = (type, width, height)
  }

  static let columns = "m.digest, m.path, m.size, m.type, m.width, m.height"

  init(_ row: inout ColumnReader) {
    (digest, path, size) = (row.next(), row.next(), row.next())
    (type, width, height) = (row.next(), row.next(), row.next())
  }
}

/// How the images of a page's records were found. An image that is neither in memory nor on disk
/// waits for the network, or for its next try.
public struct ImageWants: Sendable, Equatable {
  public var wanted = 0
  /// Already seen in this run.
  public var memory = 0
  /// Stored, and not due for a check.
  public var disk = 0
}

/// The images that this run's records have needed so far.
final class WantedImages {
  private var keys = KeySet()
  private var answers = KeySet()

  /// Returns true if it is new.
  func insert(_ identity: String) -> Bool { keys.insert(Digest64.of(identity.utf8)) }
  func contains(_ identity: String) -> Bool { keys.contains(Digest64.of(identity.utf8)) }

  /// Its result was recorded in this run.
  func answered(_ identity: String) { _ = answers.insert(Digest64.of(identity.utf8)) }
  func wasAnswered(_ identity: String) -> Bool { answers.contains(Digest64.of(identity.utf8)) }

  /// After a rollback: images that it noted may not be in the queue.
  func forget() { keys = KeySet() }
}

/// The result of requesting an image.
public enum ImageOutcome: Sendable, Equatable {
  /// Its file is durable.
  case stored(
    identity: String, StoredImageRow, status: Int, etag: String?, lastModified: String?)
  /// 304: the stored file is still right.
  case unchanged(identity: String)
  /// Not requested, through no fault of its own: the host failed on others, or asked for a wait.
  /// Requested again when that is over, or soon.
  case postponed(identity: String, reason: String, until: Instant?)
  /// Remembered with its reason, and requested again after a growing time, or never.
  case refused(identity: String, status: Int?, reason: String, mayBeAskedAgain: Bool)

  public var identity: String {
    switch self {
    case .stored(let identity, _, _, _, _), .unchanged(let identity),
      .postponed(let identity, _, _),
      .refused(let identity, _, _, _):
      identity
    }
  }
}
