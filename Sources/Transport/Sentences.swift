internal import Base

/// The messages of failures: what, where, and what to do next; never a query or a secret.
enum Sentences {
  /// Origin and path: a query may contain private data.
  static func place(_ address: WebAddress) -> String { "\(address.origin)\(address.path)" }

  /// libcurl's own words in brackets, if they are plain and contain no secret.
  static func detail(_ text: String, _ screen: SecretScreen) -> String {
    let plain = text.utf8.prefix(160).allSatisfy { (32...126).contains($0) }
    guard !text.isEmpty, plain, !text.utf8.contains(UInt8(ascii: "?")), !screen.isHeld(by: text)
    else { return "" }
    return " (\(String(decoding: text.utf8.prefix(160), as: UTF8.self)))"
  }
}

extension Sentences {
  static func refusal(of shown: WebAddress, address: String, why: String) -> String {
    let name = shown.origin.bareHost
    let where_ = name == address ? address : "\(name), which is \(address),"
    let cure =
      switch why {
      case AddressKind.thisMachine: " To allow it: --allow-loopback."
      // No API is there; a redirect to it is after the keys.
      case AddressKind.credentials: ""
      default: " If the API itself is there, name it with --endpoint."
      }
    return "was not requested: \(where_) leads to \(why), and only public addresses "
      + "are allowed here.\(cure)"
  }

  static func unbuildable(_ problem: HopRequest.Problem) -> String {
    switch problem {
    case .field(let name):
      let plain = FieldRules.isName(name.utf8) ? name : "with a strange name"
      return "was not requested: the header field \(plain) may not be sent like that; "
        + "change it in the job file."
    case .secret:
      return "was not requested: the key has a character that no header may hold; "
        + "store the key again."
    }
  }
}

extension Origin {
  /// The host without the brackets of an IPv6 address.
  var bareHost: String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }
}
