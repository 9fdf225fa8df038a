public import Base

/// The one object of a folder in a bucket that ever changes: claim, lease, fence and place at once.
/// It is changed by compare-and-swap only. This is a value; nothing here sends a request.
public struct Head: Sendable, Equatable {
  static let format = 1
  /// Deltas after a base; one more, and they are merged.
  static let deltasMax = 32
  /// How long a piece can be read after the head stops naming it.
  static let keptFor = Duration.seconds(86_400)

  /// An object with pages of a file.
  public struct Piece: Sendable, Equatable {
    /// `epoch-seq-random`: no name is used twice.
    var name: String
    var bytes: Int
    /// The file's digest once this piece is applied; empty if others of the same put follow.
    var digest: String

    /// The number of the put that it belongs to.
    static func seq(of name: String) -> Int? {
      let parts = name.split(separator: "-")
      return parts.count == 3 ? Int(parts[1]) : nil
    }
  }

  public struct File: Sendable, Equatable {
    var size: Int
    var pageBytes: Int
    /// Digest of its pages' digests.
    public var digest: String
    /// A whole file (the base), then deltas.
    var pieces: [Piece]
    /// How many of them are the base.
    var baseCount: Int
    /// In order of time.
    var drops: [Drop] = []

    var baseBytes: Int { pieces.prefix(baseCount).reduce(0) { $0 + $1.bytes } }
    var deltaBytes: Int { pieces.dropFirst(baseCount).reduce(0) { $0 + $1.bytes } }

    /// One entry an hour is enough: the later time of two counts for both.
    fileprivate mutating func drop(below: Int, at now: Instant) {
      if let last = drops.last, last.since > now - .seconds(3600) {
        drops[drops.count - 1] = Drop(since: last.since, at: now, below: below)
      } else {
        drops.append(Drop(since: now, at: now, below: below))
      }
      // Of the expired entries, only the newest matters.
      drops.removeFirst(drops.lastIndex { $0.at <= now - Head.keptFor } ?? 0)
    }
  }

  /// Since when no head names the pieces below a number.
  struct Drop: Sendable, Equatable {
    var since: Instant
    var at: Instant
    var below: Int
  }

  public private(set) var epoch = 0
  public private(set) var seq = 0
  public private(set) var owner = ""
  /// By the store's clock; nil: given back.
  public private(set) var until: Instant?
  /// Identifies this change: a worker recognises its own if an answer was lost.
  var nonce = ""
  /// Made with the folder: a head with another one is that of another folder.
  var born = ""
  public private(set) var files: [String: File] = [:]

  init() {}

  // MARK: what the next head is

  /// Nil: another worker has it.
  func claimed(
    by owner: String, at now: Instant, for lease: Duration
  ) -> Head? {
    // An owner of the same cache is dead, or it would hold the cache's lock.
    guard until.map({ $0 <= now }) ?? true || self.owner == owner else { return nil }
    var head = self
    head.epoch += 1
    head.owner = owner
    head.until = now + lease
    return head
  }

  func renewed(at now: Instant, for lease: Duration) -> Head {
    var head = self
    head.until = now + lease
    return head
  }

  func givenBack() -> Head {
    var head = self
    head.until = nil
    return head
  }

  /// With these files in the place of those before.
  func holding(_ new: [String: File], at now: Instant, for lease: Duration) -> Head {
    var head = renewed(at: now, for: lease)
    head.seq += 1
    for (name, file) in new {
      var file = file
      let kept = Set(file.pieces.map(\.name))
      file.drops = files[name]?.drops ?? []
      if let old = files[name], old.pieces.contains(where: { !kept.contains($0.name) }) {
        file.drop(below: head.seq, at: now)
      }
      head.files[name] = file
    }
    return head
  }

  // MARK: pieces

  /// The pieces that a file with this digest lacks; nil: all of them, the base first.
  static func missing(of file: File, behind digest: String?) -> ArraySlice<Piece>? {
    guard let digest, let at = file.pieces.lastIndex(where: { $0.digest == digest }) else {
      return nil
    }
    return file.pieces[(at + 1)...]
  }

  /// Those of these pieces that neither this head nor any later one names: the pieces of a put under way have a higher
  /// number than the file's last one.
  func unnamed(_ names: [String], of file: String) -> [String] {
    let named = Set(files[file]?.pieces.map(\.name) ?? [])
    let last = named.compactMap { Piece.seq(of: $0) }.max() ?? 0
    return names.filter { name in
      !named.contains(name) && Piece.seq(of: name).map { $0 <= last } ?? false
    }
  }

  /// Of these pieces, those that are needed no more: no head of the last day named them.
  func collectable(_ names: [String], of file: String, at now: Instant) -> [String] {
    guard let below = files[file]?.drops.last(where: { $0.at <= now - Self.keptFor })?.below else {
      return []
    }
    return unnamed(names, of: file).filter { Piece.seq(of: $0).map { $0 < below } ?? false }
  }
}

// MARK: as JSON

extension Head {
  /// - Parameter name: its object's, for a message.
  init(json bytes: [UInt8], of name: String = "head") throws(BucketError) {
    let damaged = BucketError.damaged("the object \(name) is not a head of a folder")
    // Reported here.
    guard let root = try? JSONDocument.read(bytes).root, let format = root.count("format") else {
      throw damaged
    }
    guard format <= Self.format else { throw .newer(format) }
    self.init()
    // The names of its files become paths here.
    guard Self.fields.readMembers(of: root, into: &self), Self.numbers.contains(epoch),
      Self.numbers.contains(seq),
      ["epoch", "seq", "owner", "nonce"].allSatisfy({ root[$0] != nil }),
      files.count == root["files"]?.count,
      files.allSatisfy({ Claim.databases.contains($0.key) && $0.value.isSound })
    else { throw damaged }
  }

  /// So that no sum of them overflows.
  fileprivate static let numbers = 0...(1 << 48)

  var json: [UInt8] { Array(jsonText.utf8) }
}

extension Head: JSONShape {
  public static let empty = Head()
  public static let fields = JSONFields<Head>([
    .made("format") { _ in format }, .value("epoch", \.epoch), .value("seq", \.seq),
    .value("owner", \.owner), .nullable("until", \.until), .value("nonce", \.nonce),
    .value("born", \.born), .value("files", \.files),
  ])
}

extension Head.File: JSONShape {
  public static let empty = Head.File(size: -1, pageBytes: 0, digest: "", pieces: [], baseCount: 0)
  public static let fields = JSONFields<Head.File>([
    .value("size", \.size), .value("page", \.pageBytes), .value("digest", \.digest),
    .value("base", \.baseCount), .value("pieces", \.pieces), .value("dropped", \.drops),
  ])

  fileprivate var isSound: Bool {
    Head.numbers.contains(size) && !digest.isEmpty && (512...65_536).contains(pageBytes)
      && (1...max(1, pieces.count)).contains(baseCount)
      && pieces.allSatisfy { !$0.name.isEmpty && (0..<(1 << 32)).contains($0.bytes) }
  }
}

extension Head.Piece: JSONShape {
  public static let empty = Head.Piece(name: "", bytes: -1, digest: "")
  public static let fields = JSONFields<Head.Piece>([
    .value("name", \.name), .value("bytes", \.bytes), .value("digest", \.digest),
  ])
}

extension Head.Drop: JSONShape {
  static let empty = Head.Drop(since: Instant(seconds: 0), at: Instant(seconds: 0), below: 0)
  static let fields = JSONFields<Head.Drop>([
    .value("since", \.since), .value("at", \.at), .value("below", \.below),
  ])
}

extension JSONValue {
  func count(_ name: String) -> Int? {
    self[name]?.integer.flatMap { Int(exactly: $0) }.flatMap { $0 >= 0 ? $0 : nil }
  }
}
