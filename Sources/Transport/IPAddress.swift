internal import Glibc

/// An IPv4 or IPv6 address as bytes.
struct IPAddress: Equatable, Sendable {
  /// 4 or 16 bytes in network order.
  let bytes: [UInt8]

  init(v4 bytes: [UInt8]) {
    precondition(bytes.count == 4, "an IPv4 address has four bytes")
    self.bytes = bytes
  }

  /// The strict text form of resolvers and libcurl: no octal, no missing parts.
  init?(_ text: String) {
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      bytes = withUnsafeBytes(of: six) { Array($0) }
    } else {
      return nil
    }
  }

  /// IPv4 as `inet_aton` reads it: decimal, octal or hexadecimal, in one to four parts.
  init?(oldSpelling text: String) {
    var four = in_addr()
    guard inet_aton(text, &four) == 1 else { return nil }
    bytes = withUnsafeBytes(of: four) { Array($0) }
  }

  /// From a `sockaddr`; nil for other families.
  init?(_ raw: UnsafeRawPointer, length: Int) {
    guard length >= MemoryLayout<sa_family_t>.size else { return nil }
    switch Int32(raw.loadUnaligned(as: sa_family_t.self)) {
    case AF_INET:
      guard length >= MemoryLayout<sockaddr_in>.size else { return nil }
      let value = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
      bytes = withUnsafeBytes(of: value) { Array($0) }
    case AF_INET6:
      guard length >= MemoryLayout<sockaddr_in6>.size else { return nil }
      let value = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      bytes = withUnsafeBytes(of: value) { Array($0) }
    default:
      return nil
    }
  }

  var text: String {
    var room = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &room, socklen_t(room.count)) != nil else { return "?" }
    return String(decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether the first `bits` bits are those of `other`.
  func begins(with other: IPAddress, bits: Int) -> Bool {
    guard bytes.count == other.bytes.count, (0...bytes.count * 8).contains(bits) else {
      return false
    }
    let whole = bits / 8
    guard bytes[..<whole].elementsEqual(other.bytes[..<whole]) else { return false }
    let rest = bits % 8
    guard rest > 0 else { return true }
    let mask = UInt8(truncatingIfNeeded: 0xFF00 >> rest)
    return bytes[whole] & mask == other.bytes[whole] & mask
  }
}
