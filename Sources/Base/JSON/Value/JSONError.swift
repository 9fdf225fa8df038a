/// Why some bytes are not a JSON document: the error and its byte.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
  enum Kind: Sendable, Hashable {
    /// Nothing but white space.
    case empty
    /// The document ends early, as a truncated body does.
    case truncated
    /// The bytes break the grammar of RFC 8259.
    case syntax
    /// More nested lists and objects than `JSONDocument.depthMax`.
    case tooDeep
    /// More bytes than `JSONDocument.bytesMax`.
    case tooLarge
    /// Not enough memory for the parsed document.
    case memory
  }

  let kind: Kind
  /// The offset of the first wrong byte, from 0.
  let offset: Int
  /// The error, without its position.
  let message: String

  init(_ kind: Kind, at offset: Int, _ message: String) {
    self.kind = kind
    self.offset = offset
    self.message = message
  }

  public var description: String { "not JSON: \(message), at byte \(offset)" }
}
