internal import Base

/// Finds out whether the next addresses of a list count pages (`page=2`, `page=3`, …) or positions (`offset=50`,
/// `offset=100`, …): then the list shifts under a walk like any list by position. A keyset (`since=135`) or an opaque
/// cursor does not count.
struct AddressCounter: Sendable, Equatable {
  private enum Guess: Sendable, Equatable {
    case nothing
    /// The parameter, its last value, and the step once two addresses show it.
    case counts(name: String, value: Int, step: Int?)
    case other
  }

  private var guess = Guess.nothing

  /// At least one address was seen, and all of them count.
  var isCounting: Bool {
    if case .counts = guess { true } else { false }
  }

  /// - Parameters:
  ///   - size: the requested page size: its parameter in page 1's address is no counter, even if the server reduces it.
  ///   - received: records received: like `size`, the first step of an offset.
  mutating func note(_ address: String, first: WebAddress?, size: Int?, received: Int) {
    let sizes = [size, received].compactMap { $0 }
    guard let next = try? WebAddress(address) else {  // then nothing can be counted in it
      guess = .other
      return
    }
    let numbers = Self.numbers(next)
    switch guess {
    case .nothing:
      let before = first.map(Self.numbers) ?? []
      let found = numbers.first { pair in
        !before.contains { $0 == pair || $0.0 == pair.0 && $0.1 == size && $0.1 > 2 }
          && ([1, 2].contains(pair.1) || sizes.contains(pair.1))
      }
      guess = found.map { .counts(name: $0.0, value: $0.1, step: nil) } ?? .other
    case .counts(let name, let value, let step):
      guard let now = numbers.first(where: { $0.0 == name })?.1, now > value,
        step == nil || now - value == step
      else {
        guess = .other
        return
      }
      guess = .counts(name: name, value: now, step: now - value)
    case .other: break
    }
  }

  /// Query parameters with whole numbers.
  private static func numbers(_ address: WebAddress) -> [(String, Int)] {
    address.pairs.compactMap { pair in Int(pair.value).map { (pair.name, $0) } }
  }
}
