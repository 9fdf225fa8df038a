/// An image that waits to be fetched, or to be asked whether it has changed.
public struct ImageDue: Sendable, Equatable {
  /// The URL itself, or what the job says identifies it.
  public var identity: String
  public var url: String
  /// What to call it: the record's table and key.
  public var title: String
  /// The file that is here already.
  public var digest: String?
  public var etag: String?
  public var lastModified: String?
}

/// A file of the content store, as the database remembers it.
public struct StoredImageRow: Sendable, Equatable {
  public var digest: String
  public var path: String
  public var size: Int
  public var type: String
  public var width: Int
  public var height: Int

  public init(
    digest: String, path: String, size: Int, type: String, width: Int, height: Int
  ) {
    self.digest = digest
    self.path = path
    self.size = size
    self.type = type
    self.width = width
    self.height = height
  }
}

/// What came of asking for an image.
public enum ImageOutcome: Sendable, Equatable {
  /// Its file is durable.
  case stored(
    identity: String, StoredImageRow, status: Int, etag: String?, lastModified: String?)
  /// 304: the file that is here is still right.
  case unchanged(identity: String)
  /// Remembered with its reason, and asked again at a growing distance, or never.
  case refused(identity: String, status: Int?, reason: String, mayBeAskedAgain: Bool)
}
