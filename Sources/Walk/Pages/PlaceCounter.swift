internal import Base

/// Whether what names the next pages counts records or pages, wherever the number is: in a token, in the path of an
/// address, in Base64. Such a number is a position, which shifts with the list, whatever its order. (`AddressCounter`
/// handles query parameters.)
struct PlaceCounter: Sendable {
  /// Ways of counting that fit every next page so far, by index.
  private var ways: Set<Int>?
  private var received = 0

  /// Every next page so far has a number that counts in the same way.
  var isCounting: Bool { ways.map { !$0.isEmpty } ?? false }

  /// - Parameter first: page 1's address; numbers in it do not count.
  mutating func note(_ page: PageSummary, first: WebAddress?) {
    received += page.counts.received
    guard let next = page.next else { return }
    var numbers = Self.numbers(in: next)
    if let first { numbers.subtract(Self.numbers(in: .address(first.description))) }
    // The last record's own value is not a position.
    if case .sorted(_, .text(let last)) = page.order,
      let value = Int(String(decoding: last, as: UTF8.self))
    {
      numbers.remove(value)
    }
    let counts = [received, received + 1, page.ordinal, page.ordinal + 1]
    let found = Set(counts.indices.filter { numbers.contains(counts[$0]) })
    ways = ways?.intersection(found) ?? found
  }

  private static func numbers(in cursor: Cursor) -> Set<Int> {
    let texts: [String]
    switch cursor {
    case .token(let token): texts = [token]
    case .address(let text):
      guard let address = try? WebAddress(text) else { return [] }  // no address, no number in it
      texts = [address.path] + address.pairs.map(\.value).filter { Int($0) == nil }
    default: return []
    }
    var numbers: Set<Int> = []
    for text in texts {
      for part in [text, Base64.decodedText(text)].compactMap({ $0 }) {
        for word in part.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
          if let number = Int(word) { numbers.insert(number) }
        }
      }
    }
    return numbers
  }
}
