internal import Base

/// A digest of all that a record says, whatever the order of its members: two records that say the same
/// are one.
enum RecordDigest {
  /// 32 hexadecimal digits.
  static func text(of record: JSONValue) -> String {
    ["a", "b"].map { salt in
      var digest = Digest64()
      digest.addField(salt)
      add(record, to: &digest)
      return Hexadecimal.text(digest.value)
    }.joined()
  }

  /// Levels are bounded by the reader of the answer.
  private static func add(_ value: JSONValue, to digest: inout Digest64) {
    switch value.kind {
    case .object:
      let members = value.members.map { (name: $0.key.identity, value: $0.value) }
        .sorted { $0.name.lexicographicallyPrecedes($1.name) }
      digest.addField("{\(members.count)")
      for member in members {
        digest.addField(member.name)
        add(member.value, to: &digest)
      }
    case .array:
      digest.addField("[\(value.count)")
      for element in value.elements { add(element, to: &digest) }
    default: digest.addField(value.identity)
    }
  }
}
