public import Base

/// The identity of the client. The secret leaves it only as a signature.
public struct S3Key: Sendable {
  public var id: String
  public var secret: Secret
  /// For a temporary key.
  public var session: Secret?

  public init(id: String, secret: Secret, session: Secret? = nil) {
    self.id = id
    self.secret = secret
    self.session = session
  }
}

/// Signature Version 4 of one request (AWS General Reference, "Signing AWS API requests").
struct S3Signature {
  var method: String
  /// Percent-encoded, with its first slash.
  var path: String
  /// Encoded and sorted by name.
  var query: String
  /// All signed fields: names in lower case, in byte order.
  var fields: [(name: String, value: String)]
  var payload: String
  var date: Instant

  private var stamp: String { CivilTime(date).compact }

  func authorization(_ key: S3Key, region: String) -> String {
    let scope = "\(stamp.prefix(8))/\(region)/s3/aws4_request"
    let text =
      "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n"
      + Hexadecimal.text(SHA256.of(Array(canonicalRequest.utf8)))
    var signing = Array("AWS4\(key.secret.reveal())".utf8)
    for part in scope.split(separator: "/") { signing = SHA256.signed(String(part), with: signing) }
    return "AWS4-HMAC-SHA256 Credential=\(key.id)/\(scope), SignedHeaders=\(names), Signature="
      + Hexadecimal.text(SHA256.signed(text, with: signing))
  }

  private var names: String { fields.map(\.name).joined(separator: ";") }

  private var canonicalRequest: String {
    let lines = fields.map { "\($0.name):\($0.value)\n" }.joined()
    return "\(method)\n\(path)\n\(query)\n\(lines)\n\(names)\n\(payload)"
  }
}
