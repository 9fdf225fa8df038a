internal import Glibc

/// Compares bytes. The toolchain's library with such a search brings an engine for regular expressions, a megabyte that
/// nothing else here needs.
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
