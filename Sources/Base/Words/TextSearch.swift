/// Of the toolchain's library the one that knows this comes with an engine for regular expressions,
/// a megabyte that nothing else here needs. These compare bytes.
extension String {
  public func holds(_ other: String) -> Bool { utf8.holds(other.utf8) }
}

extension Collection where Element == UInt8 {
  func holds(_ other: some Collection<UInt8>) -> Bool {
    guard let first = other.first else { return true }
    var rest = self[...]
    while let at = rest.firstIndex(of: first) {
      rest = rest[at...]
      if rest.starts(with: other) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
