public import Base

/// The key of an object store, from the usual places: systemd's credentials, environment variables, the shared
/// credentials file.
public struct BucketKey: Sendable {
  public var id: String
  public var secret: Secret
  public var session: Secret?
  /// Where it was found, for messages.
  public var place: String

  private static let names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]
  private static let fileBytesMax = 100_000

  public static func find(
    environment: (String) -> String?
  ) throws(SecretKeepingProblem) -> BucketKey {
    let folder = environment("CREDENTIALS_DIRECTORY")
    // The unit passes each file of its key folder with this prefix.
    let given = folder.map { ["\($0)/", "\($0)/keys_"] } ?? []
    for start in given {
      let values = try names.map { (name) throws(SecretKeepingProblem) in try text(start + name) }
      if let key = try key(values, in: "in \(folder ?? "")") { return key }
    }
    if let key = try key(names.map(environment), in: "of the environment") { return key }
    let profile = environment("AWS_PROFILE") ?? "default"
    let shared =
      environment("AWS_SHARED_CREDENTIALS_FILE")
      ?? environment("HOME").map { "\($0)/.aws/credentials" }
    for path in given.map({ "\($0)aws_credentials" }) + [shared].compactMap({ $0 }) {
      guard let text = try text(path) else { continue }
      let values = section(profile, of: text)
      let named = names.map { values[$0.lowercased()] }
      if let key = try key(named, in: "\(path), profile \(profile)") { return key }
    }
    throw SecretKeepingProblem(
      "there is no key for the store of objects: set AWS_ACCESS_KEY_ID and "
        + "AWS_SECRET_ACCESS_KEY, or AWS_PROFILE for a profile of ~/.aws/credentials")
  }

  private static func key(
    _ values: [String?], in place: String
  ) throws(SecretKeepingProblem) -> BucketKey? {
    let values = values.map { value in value.flatMap { $0.isEmpty ? nil : $0 } }
    guard values[0] != nil || values[1] != nil else { return nil }
    guard let id = values[0], let secret = values[1] else {
      let missing = values[0] == nil ? names[0] : names[1]
      throw SecretKeepingProblem("of the key \(place) \(missing) is missing")
    }
    // They are sent in one line of a request.
    for (name, value) in zip(names, values) {
      guard let value, !value.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else { continue }
      throw SecretKeepingProblem("\(name) \(place) holds a character that no key has")
    }
    return BucketKey(
      id: id, secret: Secret(secret), session: values[2].map { Secret($0) }, place: place)
  }

  private static func text(_ path: String) throws(SecretKeepingProblem) -> String? {
    switch FileText.read(path, bytesMax: fileBytesMax) {
    case .none: return nil
    case .unreadable(let why): throw SecretKeepingProblem("\(path) cannot be read: \(why)")
    case .bytes(let bytes, _, _):
      return String(decoding: bytes, as: UTF8.self).trimmingBlanks
    }
  }

  /// The values of one section of an INI file.
  private static func section(_ name: String, of text: String) -> [String: String] {
    var values: [String: String] = [:]
    var isInside = false
    for line in text.utf8.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
      let line = String(decoding: line, as: UTF8.self).trimmingBlanks
      if line.hasPrefix("["), line.hasSuffix("]") {
        let section = String(line.dropFirst().dropLast()).trimmingBlanks
        isInside = section == name || section == "profile \(name)"
      } else if isInside, !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
        let key = String(line[..<equals]).trimmingBlanks.lowercased()
        values[key] = String(line[line.index(after: equals)...]).trimmingBlanks
      }
    }
    return values
  }
}
