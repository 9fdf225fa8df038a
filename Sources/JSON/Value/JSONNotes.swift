/// What had to be mended or set apart while a document was read; all zero for a clean one.
public struct JSONNotes: Sendable, Hashable {
  /// Strings and keys in which a lone surrogate or a bad byte became U+FFFD.
  public var repairedStrings = 0
  /// Strings and keys that hold control characters which JSON wants escaped; they are kept.
  public var rawControlStrings = 0
  /// Numbers that fit neither 64 bits nor a finite `Double`; their text is kept.
  public var hugeNumbers = 0
  /// simdjson refused the document and our own reader took it.
  public var readTolerantly = false

  public init() {}

  public var isClean: Bool { self == JSONNotes() }
}
