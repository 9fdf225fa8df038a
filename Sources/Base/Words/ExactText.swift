import Glibc

/// Text as a key, compared byte for byte: Swift's own `==` equates composed and decomposed letters, but an API with
/// both spellings has two records.
public struct ExactText: Hashable, Comparable, Sendable {
  public let text: String

  public init(_ text: String) { self.text = text }

  public static func == (one: ExactText, other: ExactText) -> Bool {
    one.withBytes { left in
      other.withBytes { right in
        guard left.count == right.count else { return false }
        guard let first = left.baseAddress, let second = right.baseAddress else { return true }
        return memcmp(first, second, left.count) == 0
      }
    }
  }

  public static func < (one: ExactText, other: ExactText) -> Bool {
    one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }

  /// Hashes the length and both ends of a long text, such as a statement: hashing a thousand bytes would cost more than
  /// many statements.
  public func hash(into hasher: inout Hasher) {
    withBytes { bytes in
      hasher.combine(bytes.count)
      if bytes.count <= 2 * Self.hashedEnd {
        hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
      } else {
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.hashedEnd)))
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes.suffix(Self.hashedEnd)))
      }
    }
  }

  private static let hashedEnd = 32

  private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    if let result = text.utf8.withContiguousStorageIfAvailable({ body(.init($0)) }) {
      return result
    }
    return Array(text.utf8).withUnsafeBytes(body)
  }
}

extension Sequence<String> {
  /// Compares names as bytes: two spellings of "é" are equal texts but different names.
  public func containsBytes(_ name: String) -> Bool {
    contains { $0.utf8.elementsEqual(name.utf8) }
  }

  /// Each text once, in the order of their bytes.
  public var distinctBytes: [String] { Set(map { ExactText($0) }).sorted().map(\.text) }
}

extension Sequence where Element: Equatable {
  /// Each element once, in the order of their first places; for few elements.
  public var eachOnce: [Element] {
    reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

extension Collection<String> {
  /// Whether the choice includes a name; an empty one includes all.
  public func takes(_ name: String) -> Bool { isEmpty || containsBytes(name) }
}
