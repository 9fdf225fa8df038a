internal import Glibc
internal import Base

/// Which proxy is used for which origin, by curl's rules.
struct ProxySettings: Equatable, Sendable {
  var http: String?
  var https: String?
  var all: String?
  /// Hosts that are reached directly: `*`, names with their subdomains, addresses, networks.
  var exceptions: String = ""

  /// Those of curl. `HTTP_PROXY` in capitals is ignored: a web server sets it from a request's `Proxy` field.
  static func fromEnvironment() -> ProxySettings {
    let read = { (names: [String]) -> String? in
      names.lazy.compactMap { getenv($0).map { String(cString: $0) } }.first { !$0.isEmpty }
    }
    return ProxySettings(
      http: read(["http_proxy"]), https: read(["https_proxy", "HTTPS_PROXY"]),
      all: read(["all_proxy", "ALL_PROXY"]), exceptions: read(["no_proxy", "NO_PROXY"]) ?? "")
  }

  /// The proxy's URL; nil for a direct connection.
  func proxy(for origin: Origin) -> String? {
    let candidates = [origin.scheme == "https" ? https : http, all]
    guard let chosen = candidates.lazy.compactMap({ $0 }).first(where: { !$0.isEmpty }),
      !isExcepted(origin.bareHost)
    else { return nil }
    return chosen
  }

  private func isExcepted(_ host: String) -> Bool {
    var name = host
    if name.hasSuffix(".") { name.removeLast() }
    let address = IPAddress(name)
    let entries = exceptions.utf8.split { $0 == 44 || $0 == 32 || $0 == 9 }
      .map { String(decoding: $0, as: UTF8.self).lowercased() }
    return entries.contains { entry in
      if entry == "*" { return true }
      return address.map { Self.matches($0, entry) } ?? Self.matches(name, entry)
    }
  }

  private static func matches(_ name: String, _ entry: String) -> Bool {
    var tail = Substring(entry)
    while tail.hasPrefix(".") { tail = tail.dropFirst() }
    if tail.hasSuffix(".") { tail = tail.dropLast() }
    guard !tail.isEmpty else { return false }
    return name == tail || name.hasSuffix("." + tail)
  }

  private static func matches(_ address: IPAddress, _ entry: String) -> Bool {
    let parts = entry.split(separator: "/", maxSplits: 1)
    guard let first = parts.first else { return false }
    let bare = first.hasPrefix("[") && first.hasSuffix("]") ? first.dropFirst().dropLast() : first
    guard let network = IPAddress(String(bare)) else { return false }
    guard parts.count == 2 else { return address == network }
    guard let bits = Int(parts[1]) else { return false }
    return address.begins(with: network, bits: bits)
  }

  /// The password of a proxy's URL, and user and password as sent: a proxy may repeat either.
  static func secrets(of proxy: String) -> [SecretScreen] {
    let user = parts(of: proxy).user
    guard !user.isEmpty else { return [] }
    let plain = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      .map { PercentEncoding.decoded($0) }
    let pair = Array(plain.joined(separator: [UInt8(ascii: ":")]))
    let texts = [
      plain.count > 1 ? String(decoding: plain[1], as: UTF8.self) : "", Base64.encoded(pair),
    ]
    return texts.map { SecretScreen(texts: [$0]) }
  }

  /// Host and port of a proxy's URL, without its user and password.
  static func shown(_ proxy: String) -> String {
    String(parts(of: proxy).host.prefix { $0 != "/" })
  }

  /// What is before the last `@`, and after it. The scheme may be missing, and a password may hold any character.
  private static func parts(of proxy: String) -> (user: Substring, host: Substring) {
    let parts = proxy.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    let hasScheme = parts.count > 2 && parts[0].hasSuffix(":") && parts[1].isEmpty
    let rest = hasScheme ? parts[2] : proxy[...]
    guard let at = rest.lastIndex(of: "@") else { return ("", rest) }
    return (rest[..<at], rest[rest.index(after: at)...])
  }
}
