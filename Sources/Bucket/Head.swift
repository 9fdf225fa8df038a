public import Base

/// The one object of a folder in a bucket that ever changes: claim, lease, fence and place at once.
/// It is changed by compare-and-swap only. This is a value; nothing here sends a request.
public struct Head: Sendable, Equatable {
  static let format = 1
  /// Deltas behind a base; one more, and they become one.
  static let deltasMax = 32
  /// How long what was named once can still be read.
  static let keptFor = Duration.seconds(86_400)

  /// An object with pages of a file.
  public struct Piece: Sendable, Equatable {
    /// `epoch-seq-random`: no name is used twice.
    var name: String
    var bytes: Int
    /// The file's, once this piece is in it; empty where others of the same put follow.
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
    /// Of the digests of its pages.
    public var digest: String
    /// A whole file, and then what changed.
    var pieces: [Piece]
    /// How many of them are the base.
    var baseCount: Int

    var baseBytes: Int { pieces.prefix(baseCount).reduce(0) { $0 + $1.bytes } }
    var deltaBytes: Int { pieces.dropFirst(baseCount).reduce(0) { $0 + $1.bytes } }
  }

  /// From when on no head named the pieces below a number.
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
  /// Of this very change: by it a worker knows its own where an answer was lost.
  var nonce = ""
  public private(set) var files: [String: File] = [:]
  private(set) var drops: [String: [Drop]] = [:]

  init() {}

  // MARK: what the next head is

  /// Nil: another one has it.
  func claimed(
    by owner: String, at now: Instant, for lease: Duration
  ) -> Head? {
    // A process of the same cache is dead, or it would hold the cache's lock.
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
      let kept = Set(file.pieces.map(\.name))
      if let old = files[name], old.pieces.contains(where: { !kept.contains($0.name) }) {
        head.drop(name, below: head.seq, at: now)
      }
      head.files[name] = file
    }
    return head
  }

  /// One entry an hour is enough: the later time of two counts for both.
  private mutating func drop(_ name: String, below: Int, at now: Instant) {
    var all = drops[name, default: []]
    if let last = all.last, last.since > now - .seconds(3600) {
      all[all.count - 1] = Drop(since: last.since, at: now, below: below)
    } else {
      all.append(Drop(since: now, at: now, below: below))
    }
    // What is older says no more than the newest of the old ones.
    let old = all.lastIndex { $0.at <= now - Self.keptFor }
    drops[name] = Array(all[(old ?? 0)...])
  }

  // MARK: pieces

  /// The pieces that are missing where the file has this digest; nil: all are, the base first.
  static func missing(of file: File, behind digest: String?) -> ArraySlice<Piece>? {
    guard let digest, let at = file.pieces.lastIndex(where: { $0.digest == digest }) else {
      return nil
    }
    return file.pieces[(at + 1)...]
  }

  /// Pieces of which the file does not consist now.
  func unnamed(_ names: [String], of file: String) -> [String] {
    let named = Set(files[file]?.pieces.map(\.name) ?? [])
    return names.filter { !named.contains($0) }
  }

  /// Of these pieces, those that are needed no more: no head of the last day named them.
  func collectable(_ names: [String], of file: String, at now: Instant) -> [String] {
    guard let below = drops[file]?.last(where: { $0.at <= now - Self.keptFor })?.below else {
      return []
    }
    return unnamed(names, of: file).filter { Piece.seq(of: $0).map { $0 < below } ?? false }
  }
}

// MARK: as JSON

extension Head {
  enum Problem: Error, Equatable {
    /// Written by a program that knows more.
    case newer(Int)
    case damaged
  }

  init(json bytes: [UInt8]) throws(Problem) {
    // Reported here.
    guard let root = try? JSONDocument.read(bytes).root, let format = root.count("format") else {
      throw .damaged
    }
    guard format <= Self.format else { throw .newer(format) }
    guard let epoch = root.count("epoch"), let seq = root.count("seq"),
      let owner = root["owner"]?.string, let nonce = root["nonce"]?.string,
      let files = root["files"], files.isObject
    else { throw .damaged }
    (self.epoch, self.seq, self.owner, self.nonce) = (epoch, seq, owner, nonce)
    until = root["until"]?.integer.map { Instant(milliseconds: $0) }
    for member in files.members {
      guard let name = member.key.string, let file = File(member.value) else { throw .damaged }
      self.files[name] = file
      let drops: [Drop] = (member.value["dropped"]?.elements.map { $0 } ?? []).compactMap { drop in
        guard let since = drop["since"]?.integer, let at = drop["at"]?.integer,
          let below = drop.count("below")
        else { return nil }
        return Drop(
          since: Instant(milliseconds: since), at: Instant(milliseconds: at), below: below)
      }
      if !drops.isEmpty { self.drops[name] = drops }
    }
  }

  var json: [UInt8] {
    let files = JSONObject(
      files.sorted { $0.key < $1.key }.map { name, file in
        var object = file.json
        object.members.append(
          (
            "dropped",
            (drops[name] ?? []).map {
              JSONObject([("since", $0.since), ("at", $0.at), ("below", $0.below)])
            }
          ))
        return (name, object)
      })
    let object: JSONObject = [
      "format": Self.format, "epoch": epoch, "seq": seq, "owner": owner, "until": until,
      "nonce": nonce, "files": files,
    ]
    return object.bytes
  }
}

extension Head.File {
  fileprivate init?(_ json: JSONValue) {
    guard let size = json.count("size"), let pageBytes = json.count("page"),
      (512...65_536).contains(pageBytes), let digest = json["digest"]?.string,
      let baseCount = json.count("base"), let list = json["pieces"]
    else { return nil }
    (self.size, self.pageBytes, self.digest, self.baseCount) = (size, pageBytes, digest, baseCount)
    pieces = list.elements.compactMap { piece in
      guard let name = piece["name"]?.string, let bytes = piece.count("bytes") else { return nil }
      return Head.Piece(name: name, bytes: bytes, digest: piece["digest"]?.string ?? "")
    }
    guard pieces.count == list.count, (1...max(1, pieces.count)).contains(baseCount) else {
      return nil
    }
  }

  fileprivate var json: JSONObject {
    [
      "size": size, "page": pageBytes, "digest": digest, "base": baseCount,
      "pieces": pieces.map {
        JSONObject([("name", $0.name), ("bytes", $0.bytes), ("digest", $0.digest)])
      },
    ]
  }
}

extension JSONValue {
  func count(_ name: String) -> Int? {
    self[name]?.integer.flatMap { Int(exactly: $0) }.flatMap { $0 >= 0 ? $0 : nil }
  }
}
