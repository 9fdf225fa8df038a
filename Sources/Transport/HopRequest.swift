internal import Base

/// What is sent for a request. Only here is the credential added.
struct HopRequest {
  /// Includes a query credential: for libcurl only, never shown.
  let url: String
  /// Field lines as libcurl takes them.
  let lines: [String]
  /// Set for a POST.
  let body: [UInt8]?

  enum Problem: Error, Equatable { case field(String), secret }

  init(_ request: Request) throws(Problem) {
    let address = request.address
    var fields = request.fields
    for field in fields {
      guard FieldRules.isName(field.name.utf8), !HeaderField.isOurs(field.name),
        FieldRules.isValue(field.value)
      else { throw .field(field.name) }
    }
    let parts = request.credential?.parts ?? []
    var target = address.removing(parts.map(\.place))
    let isAtHome = request.credential?.origins.contains(address.origin) ?? false
    for part in parts {
      let field = try Self.field(part)
      if let field { fields.removeAll { $0.name.equalsIgnoringCase(field.name) } }
      guard isAtHome else { continue }
      if let field { fields.append(field) }
      if case .query(let name) = part.place { target = target.adding(name, part.secret.reveal()) }
    }
    url = target.description
    if !fields.contains(where: { $0.name.equalsIgnoringCase("Accept-Encoding") }) {
      // The only encoding whose end we can prove; libcurl is told not to unpack bodies.
      fields.append(HeaderField("Accept-Encoding", "gzip"))
    }
    body = request.body?.bytes
    if let body = request.body,
      !fields.contains(where: { $0.name.equalsIgnoringCase("Content-Type") }
      )
    {
      fields.append(HeaderField("Content-Type", body.type))
    }
    // libcurl drops a field with an empty value unless it ends in a semicolon.
    lines =
      fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
      // Do not wait for "100 Continue": the body is small.
      + (body == nil ? [] : ["Expect:"])
  }

  /// The header field that carries a secret.
  private static func field(_ part: Credential.Part) throws(Problem) -> HeaderField? {
    let field: HeaderField
    switch part.place {
    case .query: return nil
    case .header(let name, let prefix): field = HeaderField(name, prefix + part.secret.reveal())
    case .basic, .userName: field = HeaderField("Authorization", "Basic \(part.basicText ?? "")")
    }
    guard FieldRules.isName(field.name.utf8), FieldRules.isValue(field.value) else { throw .secret }
    return field
  }
}
