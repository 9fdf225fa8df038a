/// Scheme, host and port: what a credential is bound to.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
  public var scheme: String
  public var host: String
  public var port: Int

  public init(scheme: String, host: String, port: Int) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  /// With the port unless it is the default, as in the `Host` field.
  public var authority: String {
    port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)"
  }

  public var description: String { "\(scheme)://\(authority)" }

  /// Whether the host is this machine by name: `localhost`, 127.0.0.0/8 or `[::1]`.
  public var isLoopback: Bool {
    host == "localhost" || host == "[::1]"
      || (host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 46 || (48...57).contains($0) })
  }

  /// Requests are encrypted or stay on this machine.
  public var isPrivate: Bool { scheme == "https" || isLoopback }
}

/// An http or https URL in parts, with path and query exactly as sent: never decoded or re-encoded. User names and
/// passwords are refused, fragments dropped.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
  public let origin: Origin
  /// Begins with `/`.
  public var path: String
  /// Without the question mark; nil if there is none.
  public var query: String?

  public init(origin: Origin, path: String, query: String? = nil) {
    self.origin = origin
    self.path = path.isEmpty ? "/" : path
    self.query = query
  }

  /// An origin and the rest of a URL.
  public init(origin: Origin, target: String) {
    self.origin = origin
    (path, query) = Self.readTarget(ArraySlice(target.utf8))
  }

  public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
    case empty, notAbsolute, scheme(String), credentials, host, port, character

    public var description: String {
      switch self {
      case .empty: "it is empty"
      case .notAbsolute: "it is not an http or https URL"
      case .scheme(let scheme): "it begins with \(scheme):, and only http and https are requested"
      case .credentials: "it holds a user name or a password"
      case .host: "it has no right host"
      case .port: "its port is no number from 1 to 65535"
      case .character: "its host has a character that no host may have"
      }
    }
  }

  /// Reads an absolute http(s) URL. Bytes that a URL may not contain (space, control, `"<>\^{|}` or beyond ASCII) are
  /// percent-encoded in path and query, as in a browser, but refused in a host. (Braces are encoded too, so fill
  /// templates first.)
  public init(_ text: String) throws(Problem) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { throw .empty }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[(colon + 1)...].starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")])
    else { throw .notAbsolute }
    let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
    guard scheme == "http" || scheme == "https" else { throw .scheme(scheme) }

    let rest = bytes[(colon + 3)...]
    let authorityEnd = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
    let authority = rest[..<authorityEnd]
    if authority.contains(UInt8(ascii: "@")) { throw .credentials }
    let (host, port) = try Self.readAuthority(authority, scheme: scheme)
    origin = Origin(scheme: scheme, host: host, port: port)
    (path, query) = Self.readTarget(rest[authorityEnd...])
  }

  private static func readAuthority(
    _ bytes: ArraySlice<UInt8>, scheme: String
  ) throws(Problem) -> (String, Int) {
    var hostBytes = bytes
    var port = scheme == "https" ? 443 : 80
    let portSearch = bytes.last == UInt8(ascii: "]") ? nil : bytes.lastIndex(of: UInt8(ascii: ":"))
    if let colon = portSearch {
      let digits = String(decoding: bytes[(colon + 1)...], as: UTF8.self)
      hostBytes = bytes[..<colon]
      if !digits.isEmpty {
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits),
          (1...65535).contains(number)
        else { throw .port }
        port = number
      }
    }
    guard !hostBytes.isEmpty else { throw .host }
    let isBracketed =
      hostBytes.first == UInt8(ascii: "[") && hostBytes.last == UInt8(ascii: "]")
    for byte in hostBytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"):
        continue
      case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"):
        guard isBracketed else { throw .host }
      default:
        throw byte >= 0x80 || byte < 0x21 ? .character : .host
      }
    }
    return (String(decoding: hostBytes, as: UTF8.self).lowercased(), port)
  }

  private static func readTarget(_ bytes: ArraySlice<UInt8>) -> (String, String?) {
    let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
    let target = bytes[..<end]
    let mark = target.firstIndex(of: UInt8(ascii: "?"))
    let path = PercentEncoding.repaired(target[..<(mark ?? target.endIndex)])
    let query = mark.map { PercentEncoding.repaired(target[($0 + 1)...]) }
    return (path.isEmpty ? "/" : path, query)
  }

  /// The target in the request line.
  public var target: String { query.map { "\(path)?\($0)" } ?? path }

  public var description: String { origin.description + target }

  /// Resolves a reference according to RFC 3986 section 5.2: absolute, `//host/…`, `/path`, `path`, `?query`.
  public func resolving(_ reference: String) throws(Problem) -> WebAddress {
    let text = reference.trimmingBlanks
    guard let first = text.utf8.first, first != UInt8(ascii: "#") else { return self }
    if text.hasPrefix("//") { return try WebAddress("\(origin.scheme):\(text)") }
    if (97...122).contains(first | 32), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      text.utf8[..<colon].allSatisfy({
        (97...122).contains($0 | 32) || (48...57).contains($0) || "+-.".utf8.contains($0)
      })
    {
      return try WebAddress(text)
    }
    let (path, query) = Self.readTarget(ArraySlice(text.utf8))
    if first == UInt8(ascii: "?") {
      return WebAddress(origin: origin, path: self.path, query: query)
    }
    let joined = first == UInt8(ascii: "/") ? path : folder + path
    return WebAddress(origin: origin, path: Self.withoutDots(joined), query: query)
  }

  /// The path up to its last slash, included.
  private var folder: String {
    String(decoding: path.utf8[...path.utf8.lastIndex(of: UInt8(ascii: "/"))!], as: UTF8.self)
  }

  private static func withoutDots(_ path: String) -> String {
    var kept: [Substring] = []
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (index, part) in zip(1..., parts) {
      let isLast = index == parts.count
      if part == "." || part == ".." {
        if part == "..", !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append("") }
      } else {
        kept.append(part)
      }
    }
    return "/" + kept.joined(separator: "/")
  }
}

extension UInt8 {
  /// A space, a tab or a line end.
  public var isBlank: Bool { self == 32 || (9...13).contains(self) }
}

extension String {
  /// Without spaces, tabs and line ends at both ends.
  public var trimmingBlanks: String {
    guard let first = utf8.firstIndex(where: { !$0.isBlank }),
      let last = utf8.lastIndex(where: { !$0.isBlank })
    else { return "" }
    if first == utf8.startIndex, utf8.index(after: last) == utf8.endIndex { return self }
    return String(decoding: utf8[first...last], as: UTF8.self)
  }
}
