/// The kind of network of an address. Only `.open` may be reached without trust.
enum AddressKind: Equatable, Sendable {
  case open
  case loopback
  /// Not on the public internet; the words go into the message.
  case closed(String)

  static let thisMachine = "this machine itself"
  static let credentials = "a link-local address, where clouds keep credentials"

  init(_ address: IPAddress) {
    self = address.bytes.count == 4 ? Self.four(address) : Self.six(address)
  }

  /// The special-purpose registries of IANA, as prefixes; the first match decides.
  private static let closedFour: [(prefix: IPAddress, bits: Int, words: String)] = [
    (IPAddress(v4: [0, 0, 0, 0]), 8, "an address of no host"),
    (IPAddress(v4: [10, 0, 0, 0]), 8, "a private network"),
    (IPAddress(v4: [100, 64, 0, 0]), 10, "a carrier's private network"),
    (IPAddress(v4: [169, 254, 0, 0]), 16, credentials),
    (IPAddress(v4: [172, 16, 0, 0]), 12, "a private network"),
    (IPAddress(v4: [192, 0, 0, 0]), 24, "a reserved address"),
    (IPAddress(v4: [192, 0, 2, 0]), 24, "an address for documentation"),
    (IPAddress(v4: [192, 88, 99, 0]), 24, "a reserved address"),
    (IPAddress(v4: [192, 168, 0, 0]), 16, "a private network"),
    (IPAddress(v4: [198, 18, 0, 0]), 15, "an address for benchmarks"),
    (IPAddress(v4: [198, 51, 100, 0]), 24, "an address for documentation"),
    (IPAddress(v4: [203, 0, 113, 0]), 24, "an address for documentation"),
    (IPAddress(v4: [224, 0, 0, 0]), 4, "a multicast address"),
    (IPAddress(v4: [240, 0, 0, 0]), 4, "a reserved or broadcast address"),
  ]

  private static func four(_ address: IPAddress) -> AddressKind {
    if address.bytes[0] == 127 { return .loopback }
    let match = closedFour.first { address.begins(with: $0.prefix, bits: $0.bits) }
    return match.map { .closed($0.words) } ?? .open
  }

  private static func six(_ address: IPAddress) -> AddressKind {
    let bytes = address.bytes
    let isZeroToTen = bytes[..<10].allSatisfy { $0 == 0 }
    let embedded = IPAddress(v4: Array(bytes[12...]))
    if isZeroToTen, bytes[10] == 0xFF, bytes[11] == 0xFF {
      return four(embedded) == .loopback ? .loopback : .closed("an IPv4 address inside IPv6")
    }
    if isZeroToTen, bytes[10] == 0, bytes[11] == 0 {
      if bytes[12...] == [0, 0, 0, 1] { return .loopback }
      return .closed(bytes[12...] == [0, 0, 0, 0] ? "no address" : "an IPv4 address inside IPv6")
    }
    // NAT64: networks without IPv4 reach every public IPv4 host through this prefix.
    if bytes[..<12] == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0] {
      if case .open = four(embedded) { return .open }
      return .closed("a translated form of a refused IPv4 address")
    }
    return outsideOfUnicast(bytes)
  }

  /// Only 2000::/3 is assigned to the public internet, and not all of that.
  private static func outsideOfUnicast(_ bytes: [UInt8]) -> AddressKind {
    switch (bytes[0], bytes[1]) {
    case (0xFC...0xFD, _): .closed("a private network")
    case (0xFE, 0x80...0xBF): .closed("a link-local address")
    case (0xFE, 0xC0...0xFF): .closed("a site-local address")
    case (0xFF, _): .closed("a multicast address")
    case (0x20, 0x01) where bytes[2] < 2: .closed("a tunnel or protocol address")
    case (0x20, 0x01) where bytes[2] == 0x0D && bytes[3] == 0xB8:
      .closed("an address for documentation")
    case (0x20, 0x02): .closed("a tunnel address that hides an IPv4 address")
    case (0x3F, 0xFF) where bytes[2] < 0x10: .closed("an address for documentation")
    case (0x20...0x3F, _): .open
    default: .closed("a reserved address")
    }
  }
}
