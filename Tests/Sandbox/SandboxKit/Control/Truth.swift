internal import Base

/// What is really there, for comparison with what a client stored.
public struct Truth: Sendable, Equatable {
  /// Every record of one kind that some request can reach.
  public struct Table: Sendable, Equatable {
    public var name: String
    /// The API's own keys, as text.
    public var keys: [String]
  }

  /// One list: who is in it, in its order.
  public struct List: Sendable, Equatable {
    /// `followers`
    public var name: String
    /// What it is the list of: `octocat`, `q=swift`.
    public var of: String
    /// The path of its first page, below the API's own.
    public var path: String
    /// Keys that a whole walk meets now.
    public var keys: [String]
    /// Entries that exist and no answer ever shows (suspended accounts).
    public var hidden: Int
    /// Entries that lie behind the API's ceiling.
    public var behindCeiling: Int
    /// Keys that have left the list since the start, by drift or by themselves.
    public var left: [String]

    public init(
      name: String, of: String, path: String, keys: [String], hidden: Int = 0,
      behindCeiling: Int = 0, left: [String] = []
    ) {
      self.name = name
      self.of = of
      self.path = path
      self.keys = keys
      self.hidden = hidden
      self.behindCeiling = behindCeiling
      self.left = left
    }
  }

  /// One image that a record of this API points at.
  public struct Image: Sendable, Equatable {
    public enum State: String, Sendable {
      /// It can be stored.
      case good
      /// 404, with the bytes of an image as its body.
      case missing
      /// 200 and an image's type, but a page of HTML.
      case html
      /// The body ends before the image does.
      case cut
      /// 200 without a byte.
      case empty
    }

    public var url: String
    public var state: State
    /// SHA-256 in hexadecimal digits, of a good one.
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

  public init(api: String, seed: UInt64, size: SandboxSize) {
    self.api = api
    self.seed = seed
    self.size = size
  }

  /// The list of a name and what it is of.
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
