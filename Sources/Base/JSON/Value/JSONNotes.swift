/// What had to be mended or set apart while a document was read; all zero for a clean one.
struct JSONNotes: Sendable, Hashable {
  /// Strings and keys in which a lone surrogate or a bad byte became U+FFFD.
  var repairedStrings = 0
  /// Strings and keys that hold control characters which JSON wants escaped; they are kept.
  var rawControlStrings = 0
  /// Numbers that fit neither 64 bits nor a finite `Double`; their text is kept.
  var hugeNumbers = 0
  /// simdjson refused the document and our own reader took it.
  var readTolerantly = false

  var isClean: Bool { self == JSONNotes() }
}
