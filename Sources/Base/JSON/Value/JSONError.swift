/// Why some bytes are not a JSON document: what is wrong, and at which byte.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
  enum Kind: Sendable, Hashable {
    /// Nothing but white space.
    case empty
    /// The document ends before it is whole, as a body does that was cut on its way.
    case truncated
    /// The bytes break the grammar of RFC 8259.
    case syntax
    /// More nested lists and objects than `JSONDocument.depthMax`.
    case tooDeep
    /// More bytes than `JSONDocument.bytesMax`.
    case tooLarge
    /// The memory for the parsed document cannot be had.
    case memory
  }

  let kind: Kind
  /// Of the first byte that is wrong, counted from 0.
  let offset: Int
  /// What is wrong, without the place.
  let message: String

  init(_ kind: Kind, at offset: Int, _ message: String) {
    self.kind = kind
    self.offset = offset
    self.message = message
  }

  public var description: String { "not JSON: \(message), at byte \(offset)" }
}
