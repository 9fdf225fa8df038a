internal import Model

/// Finds a request's secret in text that a server sent, so that it neither travels to another
/// origin nor is shown or stored.
struct SecretScreen: Sendable {
  private let secret: [UInt8]
  private let place: Credential.Place?
  /// What is looked for in answers.
  let forms: [[UInt8]]

  init(_ credential: Credential?) {
    let bytes = credential.map { Array($0.secret.reveal().utf8) } ?? []
    // A secret of a few letters would be found in every text.
    secret = bytes.count >= 6 ? bytes : []
    forms = Self.forms(of: bytes)
    place = credential?.place
  }

  func isHeld(by text: String) -> Bool {
    guard !secret.isEmpty else { return false }
    return Self.contains(Array(text.utf8), secret)
      || Self.contains(PercentEncoding.decoded(text), secret)
  }

  /// An address for storing and showing: without the credential's parameter, and with `***` where
  /// the secret stood in the path or another parameter.
  func clean(_ address: WebAddress) -> WebAddress {
    var copy = address.removing(place)
    if isHeld(by: copy.path) { copy.path = "/***" }
    if let query = copy.query, isHeld(by: query) {
      copy.query = query.split(separator: "&", omittingEmptySubsequences: false)
        .map { isHeld(by: String($0)) ? "***" : String($0) }.joined(separator: "&")
      if isHeld(by: copy.query ?? "") { copy.query = "***" }
    }
    return copy
  }

  private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    guard text.count >= part.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)] == part[...] }
  }
}
