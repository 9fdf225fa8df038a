internal import Base

/// The real content of an API, for comparison with what a client stored.
public struct Truth: Sendable, Equatable {
  /// All records of one kind that some request can reach.
  public struct Table: Sendable, Equatable {
    public var name: String
    /// The API's own keys, as text.
    public var keys: [String]
  }

  /// One list: its records, in order.
  public struct List: Sendable, Equatable {
    /// `followers`
    public var name: String
    /// The owner or query of the list: `octocat`, `q=swift`.
    public var of: String
    /// The path of its first page, relative to the API.
    public var path: String
    /// The keys that a whole walk finds now.
    public var keys: [String]
    /// Entries that exist but that no answer shows (suspended accounts).
    public var hidden = 0
    /// Entries beyond the API's ceiling.
    public var behindCeiling = 0
    /// Keys that left the list since the start, by drift or otherwise.
    public var left: [String] = []
  }

  /// One image of a record of this API.
  public struct Image: Sendable, Equatable {
    public enum State: String, Sendable {
      /// It can be stored.
      case good
      /// 404, with the bytes of an image as its body.
      case missing
      /// 200 with an image's type, but an HTML page.
      case html
      /// The body ends too early.
      case cut
      /// 200 without a body.
      case empty
    }

    public var url: String
    public var state: State
    /// The SHA-256 of a good one, in hexadecimal digits.
    public var sha256: String?
    public var bytes: Int
    public var type: String
  }

  public var api: String
  public var seed: UInt64
  public var size: SandboxSize
  public var tables: [Table] = []
  public var lists: [List] = []
  public var media: [Image] = []

  /// The list with this name and owner or query.
  public func list(_ name: String, of: String) -> List? {
    lists.first { $0.name == name && $0.of == of }
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("api", api)
      json.member("seed", seed)
      json.member("size", size.rawValue)
      json.array("tables") { json in
        for table in tables {
          json.object { json in
            json.member("name", table.name)
            json.member("count", table.keys.count)
            json.strings("keys", table.keys)
          }
        }
      }
      json.array("lists") { json in for list in lists { Self.write(list, to: &json) } }
      json.array("media") { json in for image in media { Self.write(image, to: &json) } }
      json.member("within_reach", lists.reduce(0) { $0 + $1.keys.count })
      json.member("behind_ceiling", lists.reduce(0) { $0 + $1.behindCeiling })
    }
  }

  private static func write(_ list: List, to json: inout JSONWriter) {
    json.object { json in
      json.member("name", list.name)
      json.member("of", list.of)
      json.member("path", list.path)
      json.member("count", list.keys.count)
      json.member("hidden", list.hidden)
      json.member("behind_ceiling", list.behindCeiling)
      json.strings("keys", list.keys)
      json.strings("left", list.left)
    }
  }

  private static func write(_ image: Image, to json: inout JSONWriter) {
    json.object { json in
      json.member("url", image.url)
      json.member("state", image.state.rawValue)
      json.member("sha256", image.sha256)
      json.member("bytes", image.bytes)
      json.member("type", image.type)
    }
  }
}
