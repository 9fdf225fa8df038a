internal import Glibc

/// Of the toolchain's library the one that knows this comes with an engine for regular expressions,
/// a megabyte that nothing else here needs. This compares bytes.
extension String {
  public func holds(_ other: String) -> Bool {
    var (whole, part) = (self, other)
    return whole.withUTF8 { whole in
      part.withUTF8 { part in
        guard let first = part.first else { return true }
        guard whole.count >= part.count else { return false }
        return (0...whole.count - part.count).contains {
          whole[$0] == first && memcmp(whole.baseAddress! + $0, part.baseAddress!, part.count) == 0
        }
      }
    }
  }
}
