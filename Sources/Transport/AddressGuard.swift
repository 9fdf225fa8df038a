internal import Base

/// Decides whether a hop may reach an address: where the socket would really go. A name is judged only if it means an
/// address by itself.
struct AddressGuard: Equatable, Sendable {
  /// The hop's origin is the job's own base, which may resolve to any address, or the address is that of the proxy that
  /// the machine's owner chose.
  var allowsAll: Bool
  var allowsLoopback: Bool

  init(rule: AddressRule, origin: Origin, isProxied: Bool) {
    allowsAll = isProxied || rule.trusted.contains(origin)
    allowsLoopback = rule.allowsLoopback
  }

  /// For `localhost` and IPv4 addresses, also with a dot at the end. This machine's resolver may know neither the dotted
  /// ones nor `x.localhost`, a proxy may, and a refusal must not look like a name server's failure.
  func refusal(ofName host: String) -> (address: IPAddress, why: String)? {
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    let isLocal = name == "localhost" || name.hasSuffix(".localhost")
    let address = isLocal ? IPAddress(v4: [127, 0, 0, 1]) : IPAddress(oldSpelling: name)
    guard let address, let why = refusal(of: address) else { return nil }
    return (address, why)
  }

  /// Nil allows the connection; otherwise the reason for refusing it.
  /// - Parameter address: nil: of an unknown family.
  func refusal(of address: IPAddress?) -> String? {
    guard let address else { return "an address of an unknown family" }
    if allowsAll { return nil }
    switch AddressKind(address) {
    case .open: return nil
    case .loopback: return allowsLoopback ? nil : AddressKind.thisMachine
    case .closed(let words): return words
    }
  }
}
