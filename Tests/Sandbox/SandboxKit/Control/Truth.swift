internal import Base

/// The real content of an API, for comparison with what a client stored.
public struct Truth: Sendable, Equatable {
  /// One list: its records, in order.
  public struct List: Sendable, Equatable {
    /// `followers`
    public var name: String
    /// The owner or query of the list: `octocat`, `q=swift`.
    public var of: String
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
  }

  /// The keys of GIPHY's records, listed or not: each can be requested by itself.
  public var records: [String] = []
  public var lists: [List] = []
  public var media: [Image] = []

  /// The list with this name and owner or query.
  public func list(_ name: String, of: String) -> List? {
    lists.first { $0.name == name && $0.of == of }
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.array("lists") { json in
        for list in lists {
          json.object { json in
            json.member("name", list.name)
            json.member("of", list.of)
            json.strings("keys", list.keys)
          }
        }
      }
      json.member("behind_ceiling", lists.reduce(0) { $0 + $1.behindCeiling })
    }
  }
}
