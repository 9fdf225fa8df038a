/// One header field. Names ignore case.
public struct HeaderField: Equatable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Fields that only the transport sets, as they frame or route a message: a caller who sets them could turn one
  /// message into two, or reach another virtual host than that of the address.
  public static func isOurs(_ name: String) -> Bool {
    ours.contains { name.equalsIgnoringCase($0) }
  }

  private static let ours = [
    "host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer",
    "upgrade", "expect", "http2-settings", "proxy-authorization", "proxy-connection",
  ]
}

/// The fields of an answer in their order.
public struct HeaderFields: Equatable, Sendable {
  public private(set) var all: [HeaderField]

  public init(_ all: [HeaderField] = []) { self.all = all }

  public mutating func append(_ field: HeaderField) { all.append(field) }

  /// The first value of a name.
  public subscript(name: String) -> String? {
    all.first { $0.name.equalsIgnoringCase(name) }?.value
  }

  /// All values of a name, in order.
  public func values(_ name: String) -> [String] {
    all.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
  }
}

extension String {
  /// ASCII case folding only: header names and schemes hold nothing else.
  public func equalsIgnoringCase(_ other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    var others = other.utf8.makeIterator()
    return utf8.allSatisfy { byte in
      others.next().map { Self.folded($0) == Self.folded(byte) } ?? false
    }
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    (65...90).contains(byte) ? byte | 32 : byte
  }
}
